package ristretto.nnet3.fst;

import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.text.Nearest;

/** Names of labels, as in Kaldi's {@code words.txt}: lines of a name and a number. */
public final class SymbolTable {
  private final String file;
  private final Map<String, Integer> numbers;
  private final Map<Integer, String> names = new HashMap<>();

  private SymbolTable(String file, Map<String, Integer> numbers) {
    this.file = file;
    this.numbers = numbers;
    numbers.forEach((name, number) -> names.put(number, name));
  }

  /**
   * Reads a table.
   *
   * @throws FileFormatException if a line is not a name and a number, or if one of them is repeated
   */
  public static SymbolTable load(String rxfilename) {
    var numbers = new LinkedHashMap<String, Integer>();
    var seen = new HashMap<Integer, String>();
    try (KaldiInput in = KaldiInput.open(rxfilename)) {
      in.eachLine((line, at) -> {
        String[] words = line.strip().split("[ \t]+", -1);
        int number = words.length == 2 ? number(words[1]) : -1;
        if (number < 0
            || numbers.put(words[0], number) != null
            || seen.put(number, words[0]) != null) {
          throw in.malformed(
              at,
              "a line of a symbol table must be a name and a number from 0, both new",
              '"' + Excerpt.of(line) + '"');
        }
      });
    }
    return new SymbolTable(rxfilename, numbers);
  }

  private static int number(String word) {
    try {
      return Integer.parseInt(word);
    } catch (NumberFormatException _) {
      return -1;
    }
  }

  /**
   * Returns the number of a name.
   *
   * @param where file that has the name, for the message
   * @throws FileFormatException if the table lacks the name
   */
  public int number(String name, String where) {
    Integer number = numbers.get(name);
    if (number == null) {
      String hint = Nearest.hint(name, numbers.keySet());
      throw new FileFormatException(
          "[symbols] %s must have all names of %s; got none for \"%s\"%s"
              .formatted(
                  Excerpt.of(file),
                  Excerpt.of(where),
                  Excerpt.of(name),
                  hint.isEmpty() ? "; add it." : hint));
    }
    return number;
  }

  /**
   * Returns the name of a number.
   *
   * @throws FileFormatException if the table lacks the number
   */
  public String name(int number) {
    String name = names.get(number);
    if (name == null) {
      throw new FileFormatException(
          String.format(
              Locale.ROOT,
              "[symbols] %s must have all labels of the graph; got none for %d; use the table that"
                  + " the graph was made with.",
              Excerpt.of(file),
              number));
    }
    return name;
  }

  /**
   * Returns the names of numbers, with spaces between them.
   *
   * @throws FileFormatException if the table lacks a number
   */
  public String text(int[] some) {
    return Arrays.stream(some).mapToObj(this::name).collect(Collectors.joining(" "));
  }
}
