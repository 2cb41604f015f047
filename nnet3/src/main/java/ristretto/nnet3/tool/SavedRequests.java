package ristretto.nnet3.tool;

import java.util.ArrayList;
import java.util.List;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;
import ristretto.nnet3.compile.Compiler;
import ristretto.nnet3.io.KaldiOutput;

/**
 * The requests of a run, in a file for later runs, which compile them at the start. Each is text as
 * nnet3-eval reads it, with a line {@code end} after it.
 */
final class SavedRequests {
  private static final String END = "end\n";

  private final List<ComputationRequest> requests = new ArrayList<>();

  void add(ComputationRequest request) {
    requests.add(request);
  }

  void save(String wxfilename) {
    KaldiOutput.write(
        wxfilename, false, out -> requests.forEach(request -> out.writeText(text(request) + END)));
  }

  private static String text(ComputationRequest request) {
    var text = new StringBuilder();
    request.inputs().forEach(io -> rows("input", io, text));
    request.outputs().forEach(io -> rows("output", io, text));
    return text.toString();
  }

  private static void rows(String kind, ComputationRequest.Io io, StringBuilder to) {
    to.append("%s %s has-deriv=0\n".formatted(kind, io.name()));
    for (Index i : io.indexes()) {
      to.append(i.n()).append(' ').append(i.t()).append(' ').append(i.x()).append('\n');
    }
  }

  /** Compiles what a file holds. */
  static void compile(String rxfilename, Compiler compiler) {
    for (String text : ModelEdits.text(rxfilename).split("(?m)^" + END)) {
      if (!text.isBlank()) {
        compiler.compile(ComputationRequest.parse(rxfilename, text));
      }
    }
  }
}
