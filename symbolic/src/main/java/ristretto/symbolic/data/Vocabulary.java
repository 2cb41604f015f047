package ristretto.symbolic.data;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import ristretto.expr.file.Excerpt;
import ristretto.expr.table.LineReader;
import ristretto.kernels.FileFormatException;

/**
 * Words of texts in the format of the Penn Treebank language models: separated by spaces, with
 * {@code <eos>} as the word at the end of each line. Words are numbered by descending frequency.
 */
public final class Vocabulary {
  /** Word at the end of each line. */
  public static final String END = "<eos>";

  /** Word that replaces words outside the vocabulary. */
  public static final String UNKNOWN = "<unk>";

  private static final int MOST_WORDS = 10_000_000;

  private final List<String> words;
  private final Map<String, Integer> numbers = new HashMap<>();

  private Vocabulary(List<String> words) {
    this.words = List.copyOf(words);
    for (String word : words) {
      numbers.put(word, numbers.size());
    }
  }

  /**
   * Returns the vocabulary of all words of a text; of equally frequent words, the first to appear
   * gets the smaller number.
   */
  public static Vocabulary of(Path text) {
    return of(text, MOST_WORDS);
  }

  static Vocabulary of(Path text, int mostWords) {
    var counts = new LinkedHashMap<String, Integer>();
    LineReader.forEach(
        "vocabulary",
        text,
        (line, number) -> {
          for (String word : split(line)) {
            counts.merge(word, 1, Integer::sum);
          }
          if (counts.size() > mostWords) {
            throw new FileFormatException(
                String.format(
                    Locale.ROOT,
                    "[vocabulary] a text must have at most %d different words; got more in line %d"
                        + " of %s; it is another kind of file, or replace rare words by %s.",
                    mostWords,
                    number,
                    text,
                    UNKNOWN));
          }
        });
    var words = new ArrayList<>(counts.keySet());
    words.sort(Comparator.comparing(word -> -counts.get(word)));
    return new Vocabulary(words);
  }

  private static List<String> split(String line) {
    var all = new ArrayList<String>();
    for (String word : line.strip().split("\\s+")) {
      if (!word.isEmpty()) {
        all.add(word);
      }
    }
    all.add(END);
    return all;
  }

  /** Returns the number of words. */
  public int size() {
    return words.size();
  }

  /** Returns the word of a number. */
  public String word(int number) {
    return words.get(number);
  }

  /**
   * Returns the number of a word; that of {@link #UNKNOWN} for a word outside the vocabulary, or -1
   * if the vocabulary lacks {@link #UNKNOWN} too.
   */
  public int number(String word) {
    return numbers.getOrDefault(word, numbers.getOrDefault(UNKNOWN, -1));
  }

  /**
   * Returns the word numbers of a text.
   *
   * @throws FileFormatException if a word is outside the vocabulary, and the vocabulary lacks
   *     {@code <unk>}
   */
  public int[] read(Path text) {
    var all = new GrowableArrays("vocabulary", text);
    LineReader.forEach(
        "vocabulary",
        text,
        (line, at) -> {
          for (String word : split(line)) {
            int number = number(word);
            if (number < 0) {
              throw new FileFormatException(
                  String.format(
                      Locale.ROOT,
                      "[vocabulary] words must be known, or %s be one of the words; got '%s' in"
                          + " line %d of %s; put %s into the text that the vocabulary is made of.",
                      UNKNOWN,
                      Excerpt.of(word),
                      at,
                      text,
                      UNKNOWN));
            }
            all.add(number);
          }
        });
    return all.ints();
  }

  /** Returns text like {@code vocabulary of 10000 words}. */
  @Override
  public String toString() {
    return "vocabulary of " + size() + " words";
  }
}
