package ristretto.symbolic.inspect;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import ristretto.kernels.FileException;
import ristretto.kernels.ShapeException;
import ristretto.report.picture.Diagram;
import ristretto.report.picture.DrawGraph;
import ristretto.symbolic.graph.Dims;
import ristretto.symbolic.graph.Operator;
import ristretto.symbolic.graph.Variable;

/** Picture of a model: boxes are inputs and operators, arrows the variables that they pass on. */
public final class ModelPicture {
  private ModelPicture() {}

  /**
   * Returns the picture as SVG.
   *
   * @param operators operators in topological order
   * @param inputs inputs of the model
   * @param outputs outputs of the model
   */
  public static String svg(
      List<Operator> operators,
      Collection<Variable<?>> inputs,
      Collection<? extends Variable<?>> outputs) {
    var graph = new Diagram();
    Map<Variable<?>, Integer> boxes = new IdentityHashMap<>();
    for (Variable<?> v : inputs) {
      boxes.put(v, graph.box(Diagram.Kind.INPUT, v.name(), shape(v)));
    }
    for (Operator op : operators) {
      long parameters =
          op.inputs().stream()
              .filter(v -> v.kind() == Variable.Kind.PARAMETER)
              .distinct()
              .mapToLong(v -> v.dims().shape().size())
              .sum();
      int box = graph.box(kind(op, outputs, parameters), lines(op, parameters));
      op.outputs().forEach(v -> boxes.put(v, box));
      for (Variable<?> in : op.inputs()) {
        Integer from = boxes.get(in);
        if (from != null && from != box) {
          String label = in.owner() != null && in.owner().outputs().size() > 1 ? in.name() : "";
          graph.arrow(from, box, label);
        }
      }
    }
    return DrawGraph.svg(graph);
  }

  private static Diagram.Kind kind(
      Operator op, Collection<? extends Variable<?>> outputs, long parameters) {
    if (op.outputs().stream().anyMatch(outputs::contains)) {
      return Diagram.Kind.OUTPUT;
    }
    return parameters > 0 ? Diagram.Kind.PRODUCT : Diagram.Kind.VALUE;
  }

  private static String[] lines(Operator op, long parameters) {
    var lines = new ArrayList<String>();
    lines.add(op.name());
    op.outputs().stream().map(ModelPicture::shape).forEach(lines::add);
    if (parameters > 0) {
      lines.add(Quantities.exact(parameters) + (parameters == 1 ? " parameter" : " parameters"));
    }
    return lines.toArray(String[]::new);
  }

  private static String shape(Variable<?> v) {
    Dims dims = v.dims();
    return v.dtype().toString() + dims;
  }

  /**
   * Writes the picture as an SVG file, atomically.
   *
   * @throws ShapeException if the name does not end in {@code .svg}
   * @throws FileException if the file cannot be written
   */
  public static void write(Path file, String svg) {
    PictureFile.write("picture", file, ".svg", svg.getBytes(StandardCharsets.UTF_8));
  }
}
