package ristretto.symbolic.train;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.FileFormatException;

/** Measures of each epoch, by the metrics' names, with the prefix {@code valid_} for validation. */
public final class History {
  private static final String COUNT = "trainer/epochs";
  private static final Pattern MEASURE = Pattern.compile("trainer/(\\d{1,9})/(.+)", Pattern.DOTALL);

  private final List<Map<String, Double>> epochs = new ArrayList<>();

  History() {}

  void add(Map<String, Double> values) {
    epochs.add(new LinkedHashMap<>(values));
  }

  /** Returns the history of the first epochs. */
  History first(int count) {
    var some = new History();
    some.epochs.addAll(epochs.subList(0, count));
    return some;
  }

  /** Returns the number of epochs. */
  public int epochs() {
    return epochs.size();
  }

  /** Returns the names of all measures. */
  public Set<String> names() {
    var names = new LinkedHashSet<String>();
    epochs.forEach(e -> names.addAll(e.keySet()));
    return names;
  }

  /** Returns a measure of an epoch, numbered from 0; NaN if the epoch lacks the measure. */
  public double get(int epoch, String name) {
    return epochs.get(epoch).getOrDefault(name, Double.NaN);
  }

  /** Returns a measure of the last epoch; NaN if there is none. */
  public double last(String name) {
    return epochs.isEmpty() ? Double.NaN : get(epochs.size() - 1, name);
  }

  /**
   * Returns the epoch in which a measure was best, the first of equal epochs; -1 if there is none.
   */
  public int best(String name, boolean higherIsBetter) {
    int best = -1;
    for (int e = 0; e < epochs.size(); e++) {
      double v = get(e, name);
      boolean better = best < 0 || (higherIsBetter ? v > get(best, name) : v < get(best, name));
      if (!Double.isNaN(v) && better) {
        best = e;
      }
    }
    return best;
  }

  /**
   * Returns the number of epochs after the best one. Epochs without the measure, of a training that
   * is resumed with another metric, do not count.
   */
  int epochsAfterBest(String name, boolean higherIsBetter) {
    return (int)
        epochs.stream()
            .skip(best(name, higherIsBetter) + 1L)
            .filter(values -> values.containsKey(name))
            .count();
  }

  /** Returns the measures as strings that convert back to the same bits. */
  Map<String, String> notes() {
    var notes = new LinkedHashMap<String, String>();
    notes.put(COUNT, Integer.toString(epochs.size()));
    for (int e = 0; e < epochs.size(); e++) {
      String prefix = "trainer/" + e + "/";
      epochs.get(e).forEach((name, v) -> notes.put(prefix + name, Double.toString(v)));
    }
    return notes;
  }

  /**
   * Reads a history that {@link #notes} wrote.
   *
   * @param file name for messages
   * @throws FileFormatException if the notes are damaged
   */
  static History of(Map<String, String> notes, Path file) {
    var epochs = new TreeMap<Integer, Map<String, Double>>();
    notes.forEach((key, text) -> {
      Matcher measure = MEASURE.matcher(key);
      if (measure.matches()) {
        epochs
            .computeIfAbsent(Integer.valueOf(measure.group(1)), _ -> new LinkedHashMap<>())
            .put(measure.group(2), number(key, text, file));
      }
    });
    String count = notes.getOrDefault(COUNT, "0");
    boolean complete = epochs.isEmpty() || epochs.lastKey() == epochs.size() - 1;
    if (!complete || !count.equals(Integer.toString(epochs.size()))) {
      throw damaged(
          "a checkpoint must have the measures of each epoch it counts",
          epochs.size() + " epochs with measures for the count \"" + Excerpt.of(count) + "\"",
          file);
    }
    var history = new History();
    epochs.values().forEach(history::add);
    return history;
  }

  private static double number(String key, String text, Path file) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException _) {
      throw damaged(
          "measures of a checkpoint must be numbers",
          "\"" + Excerpt.of(text) + "\" for " + Excerpt.of(key),
          file);
    }
  }

  private static FileFormatException damaged(String rule, String got, Path file) {
    return new FileFormatException(
        "[train] " + rule + "; got " + got + " in " + file + "; delete it to start over.");
  }

  /** Returns one line per epoch. */
  @Override
  public String toString() {
    var text = new StringBuilder();
    for (int e = 0; e < epochs.size(); e++) {
      text.append(line(e)).append('\n');
    }
    return text.toString();
  }

  String line(int epoch) {
    var line = new StringBuilder(String.format(Locale.ROOT, "epoch %3d", epoch + 1));
    epochs
        .get(epoch)
        .forEach((name, v) -> line.append(String.format(Locale.ROOT, "  %s %.4f", name, v)));
    return line.toString();
  }
}
