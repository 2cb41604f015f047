package ristretto.nnet3.cli.tool;

import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import ristretto.kernels.ShapeException;

/** Changes the targets of an example at the output named {@code output}. */
public final class OutputTargets {
  private OutputTargets() {}

  public static <P> List<P> change(
      List<P> parts, Function<P, String> name, UnaryOperator<P> change) {
    List<String> names = parts.stream().map(name).toList();
    if (!names.contains("output")) {
      throw new ShapeException(
          "[egs] an example must have an output named \"output\"; got %s; leave out the options that change it."
              .formatted(names));
    }
    return parts.stream()
        .map(part -> name.apply(part).equals("output") ? change.apply(part) : part)
        .toList();
  }
}
