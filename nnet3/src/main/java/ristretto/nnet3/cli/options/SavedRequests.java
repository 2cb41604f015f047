package ristretto.nnet3.cli.options;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.NavigableSet;
import java.util.TreeSet;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.ComputationRequest.Io;
import ristretto.nnet3.Index;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.KaldiOutput;

/**
 * File of the computation requests of a run, which later runs compile at the start. After a header
 * line, each request is text in the format of nnet3-eval, followed by a line {@code end}.
 */
public final class SavedRequests {
  private static final String FIRST = "ristretto-nnet3-requests 1";
  private static final String END = "end";

  private SavedRequests() {}

  /** Writes requests to a file, which replaces an existing file once complete. */
  public static void save(String wxfilename, Collection<ComputationRequest> requests) {
    KaldiOutput.write(
        wxfilename,
        false,
        out -> {
          out.writeText(FIRST + "\n");
          requests.forEach(request -> out.writeText(text(request) + END + "\n"));
        });
  }

  private static String text(ComputationRequest request) {
    var text = new StringBuilder();
    text.append("need-model-derivative ").append(request.needModelDerivative() ? 1 : 0);
    text.append("\nstore-component-stats ").append(request.storeComponentStats() ? 1 : 0);
    text.append('\n');
    request.inputs().forEach(io -> rows("input", io, text));
    request.outputs().forEach(io -> rows("output", io, text));
    return text.toString();
  }

  private static void rows(String kind, Io io, StringBuilder to) {
    String head =
        String.format(Locale.ROOT, "%s %s has-deriv=%d\n", kind, io.name(), io.hasDeriv() ? 1 : 0);
    for (String order : new String[] {"nt", "tn"}) {
      String range = range(io.indexes(), order);
      var one = ComputationRequest.parse("range", "input x has-deriv=0\n" + range);
      if (one.inputs().get(0).indexes().equals(io.indexes())) {
        to.append(head).append(range);
        return;
      }
    }
    to.append(head);
    for (Index i : io.indexes()) {
      String t = i.t() == Index.NO_TIME ? "notime" : Integer.toString(i.t());
      to.append(i.n()).append(' ').append(t).append(' ').append(i.x()).append('\n');
    }
  }

  /**
   * Returns a range from the first to the last row, which may differ from the rows in between;
   * empty without rows or with rows that have no time.
   */
  private static String range(List<Index> rows, String order) {
    NavigableSet<Integer> times = new TreeSet<>();
    rows.forEach(row -> times.add(row.t()));
    if (rows.isEmpty() || times.first() == Index.NO_TIME) {
      return "";
    }
    Index first = rows.get(0);
    Index last = rows.get(rows.size() - 1);
    int step = times.size() == 1 ? 1 : times.higher(times.first()) - times.first();
    return String.format(
        Locale.ROOT,
        "range order=%s n=%d:%d t=%d:%d:%d x=%d:%d\n",
        order,
        first.n(),
        last.n() + 1,
        first.t(),
        last.t() + 1,
        step,
        first.x(),
        last.x() + 1);
  }

  /**
   * Reads the requests of a file.
   *
   * @throws FileFormatException if the file is of another kind or truncated
   * @throws ComputationException if a request is invalid
   */
  public static List<ComputationRequest> read(String rxfilename) {
    var all = new ArrayList<ComputationRequest>();
    try (KaldiInput in = KaldiInput.open(rxfilename)) {
      String first = in.binary() ? null : in.readLine();
      if (!FIRST.equals(first)) {
        throw new FileFormatException(
            "[cache] a cache file must begin with \"%s\"; got %s in %s; give one that this command wrote, or leave the option out."
                .formatted(
                    FIRST,
                    in.binary() ? "binary data" : first == null ? "nothing" : "other text",
                    rxfilename));
      }
      var text = new StringBuilder();
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (line.equals(END)) {
          String source = String.format(Locale.ROOT, "%s, request %d", rxfilename, all.size() + 1);
          all.add(ComputationRequest.parse(source, text.toString()));
          text.setLength(0);
        } else {
          text.append(line).append('\n');
        }
      }
      if (!text.isEmpty()) {
        throw new FileFormatException(
            String.format(
                Locale.ROOT,
                "[cache] each request of a cache file must end with \"%s\"; got the end"
                    + " of %s in request %d; write it again, or leave the option out.",
                END,
                rxfilename,
                all.size() + 1));
      }
    }
    return all;
  }
}
