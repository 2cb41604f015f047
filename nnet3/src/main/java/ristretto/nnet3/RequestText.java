package ristretto.nnet3;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import ristretto.expr.file.Excerpt;
import ristretto.nnet3.ComputationRequest.Io;

/** Text form of requests: parser and printer. */
final class RequestText {
  /** Maximum number of rows of a node; each takes tens of bytes. */
  private static final long MOST_ROWS = 100_000_000;

  /** Range from {@code from} (inclusive) to {@code to} (exclusive) in steps of {@code step}. */
  private record Steps(int from, int to, int step) {
    static final Steps ZERO = new Steps(0, 1, 1);

    long count() {
      return Math.max(0, Math.ceilDiv((long) to - from, step));
    }
  }

  private final String source;
  private final List<Io> inputs = new ArrayList<>();
  private final List<Io> outputs = new ArrayList<>();
  private final Map<String, Boolean> flags = new HashMap<>();
  private String[] header;
  private boolean hasDeriv;
  private List<Index> rows = new ArrayList<>();
  private int number;
  private String line;

  RequestText(String source) {
    this.source = source;
  }

  static void check(List<Io> all, String kind) {
    var names = new HashSet<String>();
    for (Io io : all) {
      if (!names.add(io.name())) {
        throw new ComputationException(
            "[request] a node must be listed once as %s; got '%s' twice; put its rows together."
                .formatted(kind, io.name()));
      }
      var seen = new HashSet<Index>();
      for (Index index : io.indexes()) {
        if (!seen.add(index)) {
          throw new ComputationException(
              "[request] each row of an %s must be listed once; got %s of '%s' twice; remove one."
                  .formatted(kind, index, io.name()));
        }
      }
    }
  }

  // Reading

  ComputationRequest parse(String text) {
    for (String each : text.lines().toList()) {
      number++;
      line = each.strip();
      if (!line.isEmpty()) {
        parseLine(line.split("[ \t]+"));
      }
    }
    finishRows();
    return new ComputationRequest(
        inputs,
        outputs,
        flags.getOrDefault("need-model-derivative", false),
        flags.getOrDefault("store-component-stats", false));
  }

  private void parseLine(String[] words) {
    switch (words[0]) {
      case "need-model-derivative", "store-component-stats" -> {
        require(words.length == 2);
        flags.put(words[0], flag(words[1]));
      }
      case "input", "output" -> {
        require(words.length == 3 && words[2].startsWith("has-deriv="));
        finishRows();
        header = words;
        hasDeriv = flag(words[2].substring("has-deriv=".length()));
      }
      case "range" -> {
        require(header != null);
        range(words);
      }
      default -> {
        require(header != null && (words.length == 2 || words.length == 3));
        int t = words[1].equals("notime") ? Index.NO_TIME : whole(words[1]);
        rows.add(new Index(whole(words[0]), t, words.length == 3 ? whole(words[2]) : 0));
      }
    }
  }

  private void finishRows() {
    if (header != null) {
      var io = new Io(header[1], rows, hasDeriv);
      (header[0].equals("input") ? inputs : outputs).add(io);
      rows = new ArrayList<>();
    }
  }

  private void range(String[] words) {
    var values = new HashMap<String, String>();
    for (int k = 1; k < words.length; k++) {
      int equals = words[k].indexOf('=');
      require(equals > 0 && values.put(words[k].substring(0, equals), after(words[k])) == null);
    }
    Steps n = steps(values.remove("n"));
    Steps t = steps(values.remove("t"));
    Steps x = values.containsKey("x") ? steps(values.remove("x")) : Steps.ZERO;
    String order = values.getOrDefault("order", "nt");
    values.remove("order");
    require(values.isEmpty() && (order.equals("nt") || order.equals("tn")));
    double all = rows.size() + (double) n.count() * t.count() * x.count();
    if (all > MOST_ROWS) {
      throw new ComputationException(
          String.format(
              Locale.ROOT,
              "[request] a node must have at most %d rows; got %.0f at %s:%d; ask for fewer.",
              MOST_ROWS,
              all,
              source,
              number));
    }
    boolean byTime = order.equals("tn");
    Steps outer = byTime ? t : n;
    Steps inner = byTime ? n : t;
    for (int i = outer.from; i < outer.to; i += outer.step) {
      for (int j = inner.from; j < inner.to; j += inner.step) {
        for (int k = x.from; k < x.to; k += x.step) {
          rows.add(byTime ? new Index(j, i, k) : new Index(i, j, k));
        }
      }
    }
  }

  private Steps steps(String text) {
    require(text != null);
    String[] parts = text.split(":", -1);
    require(parts.length == 2 || parts.length == 3);
    int step = parts.length == 3 ? whole(parts[2]) : 1;
    require(step > 0);
    return new Steps(whole(parts[0]), whole(parts[1]), step);
  }

  private static String after(String word) {
    return word.substring(word.indexOf('=') + 1);
  }

  private boolean flag(String word) {
    require(word.equals("0") || word.equals("1"));
    return word.equals("1");
  }

  private int whole(String word) {
    require(word.matches("[-+]?[0-9]{1,9}"));
    return Integer.parseInt(word);
  }

  private void require(boolean holds) {
    if (!holds) {
      throw new ComputationException(
          String.format(
              Locale.ROOT,
              """
              [request] a line must be 'need-model-derivative 0|1', 'store-component-stats 0|1', \
              'input|output NAME has-deriv=0|1', or rows of one, 'N T [X]' or \
              'range [order=nt|tn] n=A:B t=A:B[:STEP] [x=A:B]'; got '%s' at %s:%d; correct it.\
              """,
              Excerpt.of(line),
              source,
              number));
    }
  }

  // Printing

  static String print(ComputationRequest request) {
    var out = new StringBuilder(" # Computation request:\n");
    print(out, "input-", request.inputs());
    print(out, "output-", request.outputs());
    out.append("need-model-derivative: ").append(request.needModelDerivative()).append('\n');
    out.append("store-component-stats: ").append(request.storeComponentStats()).append('\n');
    return out.toString();
  }

  private static void print(StringBuilder out, String kind, List<Io> all) {
    for (int k = 0; k < all.size(); k++) {
      Io io = all.get(k);
      out.append(kind).append(k).append(": name=").append(io.name());
      out.append(", has-deriv=").append(io.hasDeriv()).append(", indexes=[");
      out.append(print(io.indexes())).append("]\n");
    }
  }

  /** Returns rows as Kaldi prints them, with consecutive t merged into ranges. */
  static String print(List<Index> all) {
    var out = new StringBuilder();
    int end;
    for (int start = 0; start < all.size(); start = end) {
      Index first = all.get(start);
      end = start + 1;
      while (end < all.size()
          && first.t() != Index.NO_TIME
          && all.get(end).equals(first.at(first.t() + end - start, first.x()))) {
        end++;
      }
      out.append(start == 0 ? "(" : ", (").append(first.n()).append(',');
      out.append(first.t() == Index.NO_TIME ? "NONE" : Integer.toString(first.t()));
      if (end > start + 1) {
        out.append(':').append(first.t() + end - start - 1);
      }
      if (first.x() != 0) {
        out.append(',').append(first.x());
      }
      out.append(')');
    }
    return out.toString();
  }
}
