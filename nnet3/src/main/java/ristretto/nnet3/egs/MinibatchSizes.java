package ristretto.nnet3.egs;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.ShapeException;

/**
 * Allowed numbers of examples per minibatch: {@code 128}, {@code 16:32,64}, or by example size
 * {@code 128=64:128,256/256=32}, where the nearest size applies. Before the end of the input,
 * minibatches have the largest allowed number; at the end, the largest allowed number that is
 * available.
 */
public final class MinibatchSizes {
  private static final Pattern RANGE = Pattern.compile("(\\d{1,9})(:(\\d{1,9}))?");

  private final List<Rule> rules = new ArrayList<>();

  private record Range(int first, int last) {}

  private record Rule(int size, List<Range> ranges) {
    int largest() {
      return ranges.stream().mapToInt(Range::last).max().orElseThrow();
    }

    /** Returns the largest allowed number of at most {@code available}, or 0. */
    int upTo(int available) {
      return ranges.stream()
          .filter(range -> range.first <= available)
          .mapToInt(range -> Math.min(range.last, available))
          .max()
          .orElse(0);
    }
  }

  /** Parses the value of the option {@code --minibatch-size}. */
  public MinibatchSizes(String text) {
    String[] parts = text.split("/", -1);
    for (String part : parts) {
      int equals = part.indexOf('=');
      if (equals < 0 && parts.length > 1) {
        throw refused(text, "\"%s\" has no size of examples before it".formatted(Excerpt.of(part)));
      }
      int size = equals < 0 ? 0 : number(text, part.substring(0, equals));
      if (rules.stream().anyMatch(rule -> rule.size == size)) {
        throw refused(
            text, String.format(Locale.ROOT, "examples of size %d are named twice", size));
      }
      List<Range> ranges = new ArrayList<>();
      for (String range : part.substring(equals + 1).split(",", -1)) {
        ranges.add(range(text, range));
      }
      rules.add(new Rule(size, ranges));
    }
  }

  private static int number(String text, String digits) {
    if (!digits.matches("\\d{1,9}")) {
      throw refused(text, "\"%s\" is not an example size".formatted(Excerpt.of(digits)));
    }
    return Integer.parseInt(digits);
  }

  private static Range range(String text, String range) {
    Matcher form = RANGE.matcher(range);
    if (!form.matches()) {
      throw refused(text, "\"%s\" is neither a number nor a range".formatted(Excerpt.of(range)));
    }
    int first = Integer.parseInt(form.group(1));
    int last = form.group(3) == null ? first : Integer.parseInt(form.group(3));
    if (first == 0 || last < first) {
      throw refused(text, "\"%s\" is empty or has 0".formatted(Excerpt.of(range)));
    }
    return new Range(first, last);
  }

  private static ShapeException refused(String text, String why) {
    return new ShapeException(
        "[egs] sizes of minibatches must be numbers and ranges; got \"%s\", where %s; write, for example, 128, 16:32,64 or 128=64:128,256/256=32."
            .formatted(Excerpt.of(text), why));
  }

  /** Returns the number of examples to merge before the end of the input; 0 to wait for more. */
  public int now(int exampleSize, int available) {
    int largest = nearest(exampleSize).largest();
    return largest <= available ? largest : 0;
  }

  /** Returns the number of examples to merge at the end of the input; 0 if there are too few. */
  public int atEnd(int exampleSize, int available) {
    return nearest(exampleSize).upTo(available);
  }

  private Rule nearest(int exampleSize) {
    Rule nearest = rules.get(0);
    for (Rule rule : rules) {
      if (Math.abs(exampleSize - rule.size) < Math.abs(exampleSize - nearest.size)) {
        nearest = rule;
      }
    }
    return nearest;
  }
}
