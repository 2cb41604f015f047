package ristretto.nnet3.draw;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import ristretto.nnet3.analysis.Access;
import ristretto.nnet3.analysis.Analyzer;
import ristretto.nnet3.analysis.Assignments;
import ristretto.nnet3.analysis.FusedAssignment;
import ristretto.nnet3.analysis.MatrixInfo;
import ristretto.report.picture.Diagram;

/** Graph of the kernels of a computation and the data flow between them. */
public final class KernelGraph {
  /** Maximum number of writers of one matrix to show; of more, only the last one is shown. */
  private static final int MOST_SOURCES = 3;

  private KernelGraph() {}

  /**
   * Returns the graph: boxes are kernels with the nodes they compute; arrows go from the writer to
   * the reader of a value.
   */
  public static Diagram of(Assignments assignments) {
    var graph = new Diagram();
    Map<Integer, Integer> given = new HashMap<>();
    for (MatrixInfo m : assignments.memories()) {
      if (m.role() == MatrixInfo.Role.INPUT && isRead(assignments, m.number())) {
        given.put(m.number(), graph.box(Diagram.Kind.INPUT, m.name(), m.dims()));
      }
    }
    var boxes = new int[assignments.fused().size()];
    for (FusedAssignment f : assignments.fused()) {
      boxes[f.number()] = graph.box(kind(f), lines(f));
    }
    var analyzer = new Analyzer(assignments);
    for (FusedAssignment f : assignments.fused()) {
      for (Access read : f.reads()) {
        if (given.containsKey(read.elements().memory())) {
          graph.arrow(given.get(read.elements().memory()), boxes[f.number()], "");
        }
      }
      analyzer
          .sources(f.number())
          .forEach((memory, writers) -> {
            List<Integer> shown =
                writers.size() > MOST_SOURCES ? List.of(writers.getLast()) : writers;
            String more =
                shown.size() == writers.size() ? "" : "and of " + (writers.size() - 1) + " more";
            for (int writer : shown) {
              graph.arrow(boxes[writer], boxes[f.number()], more);
            }
          });
    }
    for (MatrixInfo m : assignments.memories()) {
      List<Integer> writers = analyzer.writers(m.number());
      boolean ends =
          m.role() == MatrixInfo.Role.OUTPUT
              || m.role() == MatrixInfo.Role.KEPT && m.holds().isEmpty();
      if (ends && !writers.isEmpty()) {
        int end = graph.box(Diagram.Kind.OUTPUT, m.name(), m.dims());
        graph.arrow(boxes[writers.getLast()], end, "");
      }
    }
    return graph;
  }

  private static boolean isRead(Assignments assignments, int memory) {
    return assignments.fused().stream()
        .anyMatch(f -> f.reads().stream().anyMatch(a -> a.elements().memory() == memory));
  }

  private static Diagram.Kind kind(FusedAssignment f) {
    if (f.kind().equals("gemm")) {
      return Diagram.Kind.PRODUCT;
    }
    return f.kernel().startsWith("map_copy") ? Diagram.Kind.MOVE : Diagram.Kind.VALUE;
  }

  private static String[] lines(FusedAssignment f) {
    String space = f.space().stream().map(String::valueOf).collect(Collectors.joining(" \u00d7 "));
    String kernel = f.kernel().replaceAll("_[0-9a-f]{8}$", "").replaceAll("_f32.*$", "");
    List<String> lines =
        f.kind().equals("gemm")
            ? List.of(f.number() + ". " + f.node(), "product " + space)
            : List.of(f.number() + ". " + f.node(), kernel, "over " + space);
    return lines.toArray(String[]::new);
  }
}
