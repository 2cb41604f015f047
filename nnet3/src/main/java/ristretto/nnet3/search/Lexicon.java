package ristretto.nnet3.search;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.fst.Fst;
import ristretto.nnet3.fst.FstBuilder;
import ristretto.nnet3.fst.SymbolTable;
import ristretto.nnet3.io.KaldiInput;

/**
 * Pronunciations of words, as in Kaldi's {@code lexicon.txt}: lines of a word and its phones, or of
 * a word, a probability and its phones.
 */
public final class Lexicon {
  private static final int LOOP = 0;

  private final String file;
  private final List<Entry> entries;

  private record Entry(String word, double probability, List<String> phones) {}

  private Lexicon(String file, List<Entry> entries) {
    this.file = file;
    this.entries = entries;
  }

  /**
   * Reads a lexicon.
   *
   * @param probabilities true if the second word of each line is a probability
   * @throws FileFormatException if a line has no phones, or a probability outside (0, 1]
   */
  public static Lexicon load(String rxfilename, boolean probabilities) {
    var entries = new ArrayList<Entry>();
    try (KaldiInput in = KaldiInput.open(rxfilename)) {
      in.eachLine((line, at) -> entries.add(entry(in, line, at, probabilities)));
    }
    if (entries.isEmpty()) {
      throw new FileFormatException(
          "[lexicon] a lexicon must have words; got none in %s; give lines of a word and its phones."
              .formatted(Excerpt.of(rxfilename)));
    }
    return new Lexicon(rxfilename, List.copyOf(entries));
  }

  private static Entry entry(KaldiInput in, String line, long at, boolean probabilities) {
    List<String> words = List.of(line.strip().split("[ \t]+", -1));
    int first = probabilities ? 2 : 1;
    double probability = 1;
    if (probabilities && words.size() > 1) {
      probability = probability(words.get(1));
    }
    if (words.size() <= first || !(probability > 0 && probability <= 1)) {
      throw in.malformed(
          at,
          probabilities
              ? "a line of a lexicon must be a word, its probability above 0 and up to 1, and"
                  + " phones"
              : "a line of a lexicon must be a word and its phones",
          '"' + Excerpt.of(line) + '"');
    }
    return new Entry(words.getFirst(), probability, words.subList(first, words.size()));
  }

  private static double probability(String word) {
    try {
      return Double.parseDouble(word);
    } catch (NumberFormatException _) {
      return Double.NaN;
    }
  }

  /**
   * Returns the transducer from phones to words, any number of them.
   *
   * @param silence phone that may come before, between and after words; empty for none
   * @param silenceProbability probability of the silence at each of these places
   */
  public Fst fst(SymbolTable phones, SymbolTable words, String silence, double silenceProbability) {
    boolean silent = !silence.isEmpty();
    if (silent && !(silenceProbability > 0 && silenceProbability < 1)) {
      throw new FileFormatException(
          String.format(
              Locale.ROOT,
              "[lexicon] the probability of silence must be above 0 and below 1; got %s; set"
                  + " --sil-prob.",
              silenceProbability));
    }
    var builder = new FstBuilder();
    builder.start(LOOP);
    int loop = LOOP;
    int before = LOOP;
    float without = 0;
    float with = 0;
    if (silent) {
      loop = 1;
      before = 2;
      without = (float) -Math.log(1 - silenceProbability);
      with = (float) -Math.log(silenceProbability);
      builder.arc(LOOP, 0, 0, without, loop);
      builder.arc(LOOP, 0, 0, with, before);
      builder.arc(before, phones.number(silence, "the command line"), 0, 0, loop);
    }
    builder.finalCost(loop, 0);
    for (Entry entry : entries) {
      int from = loop;
      int word = words.number(entry.word, file);
      float cost = (float) -Math.log(entry.probability);
      for (int k = 0; k < entry.phones.size(); k++) {
        int phone = phones.number(entry.phones.get(k), file);
        if (k + 1 < entry.phones.size()) {
          int next = builder.states();
          builder.arc(from, phone, word, cost, next);
          from = next;
        } else {
          builder.arc(from, phone, word, cost + without, loop);
          if (silent) {
            builder.arc(from, phone, word, cost + with, before);
          }
        }
        word = 0;
        cost = 0;
      }
    }
    return builder.build();
  }
}
