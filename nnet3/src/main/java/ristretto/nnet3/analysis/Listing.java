package ristretto.nnet3.analysis;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Text form of a computation: its matrices, then its assignments with the kernels that execute
 * them.
 */
public final class Listing {
  private final Assignments assignments;
  private final Analyzer analyzer;
  private final StringBuilder out = new StringBuilder();

  private Listing(Assignments assignments) {
    this.assignments = assignments;
    this.analyzer = new Analyzer(assignments);
  }

  /** Returns the text of a computation. */
  public static String of(Assignments assignments) {
    var listing = new Listing(assignments);
    listing.matrices();
    listing.assignments();
    listing.end();
    return listing.out.toString();
  }

  private void matrices() {
    out.append("matrices\n");
    List<MatrixInfo> all =
        assignments.memories().stream()
            .filter(m -> m.role() != MatrixInfo.Role.PARAMETER)
            .filter(m -> analyzer.firstAccess(m.number()) >= 0)
            .sorted(Comparator.comparingInt(m -> analyzer.firstAccess(m.number())))
            .toList();
    for (MatrixInfo m : all) {
      int first = analyzer.firstAccess(m.number());
      out.append("  ").append(m);
      if (!m.holds().isEmpty()) {
        out.append(" of ").append(m.holds());
      }
      out.append("; ").append(m.bytes()).append(" bytes");
      switch (m.role()) {
        case INPUT -> out.append(", supplied");
        case OUTPUT -> out.append(", wanted");
        case KEPT -> out.append(", stays");
        case PARAMETER, TEMPORARY ->
            out.append(", from ")
                .append(first)
                .append(" to ")
                .append(analyzer.lastAccess(m.number()))
                .append(" in place ")
                .append(m.slot())
                .append(" at ")
                .append(m.offset());
      }
      out.append(m.reason() == null ? "" : "; reason " + m.reason()).append('\n');
    }
  }

  private void assignments() {
    out.append("assignments\n");
    int number = 0;
    for (Assignments.Line line : assignments.lines()) {
      out.append("  ").append(number++).append(". ").append(line.node()).append(": ");
      out.append(line.target()).append(' ').append(line.expression()).append("\n      ");
      if (line.fused().isEmpty()) {
        out.append("nothing reads it");
      } else {
        out.append(line.isInlined() ? "inside " : "");
        out.append(line.fused().stream().map(this::kernel).collect(Collectors.joining(", ")));
      }
      MatrixInfo.Reason reason = assignments.memories().get(line.memory()).reason();
      out.append(line.isInlined() || reason == null ? "" : "; reason " + reason.number());
      out.append('\n');
    }
  }

  private String kernel(int number) {
    FusedAssignment f = assignments.fused().get(number);
    String space =
        f.kind().equals("gemm")
            ? " " + f.space().stream().map(String::valueOf).collect(Collectors.joining(" x "))
            : "";
    return number + " " + f.kernel() + space;
  }

  private void end() {
    List<FusedAssignment> fused = assignments.fused();
    long products = fused.stream().filter(f -> f.kind().equals("gemm")).count();
    out.append(
        String.format(
            Locale.ROOT,
            "%d kernels, %d of them products; %d bytes of temporaries in %s of %d bytes, %d at most"
                + " at a time\n",
            fused.size(),
            products,
            analyzer.temporaryBytes(),
            assignments.places(),
            analyzer.placeBytes(),
            analyzer.peakBytes()));
  }
}
