package ristretto.nnet3.cli;

import java.util.List;
import java.util.function.UnaryOperator;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.egs.NnetIo;

/** Changes the targets of an example at the output named {@code output}. */
final class OutputTargets {
  private OutputTargets() {}

  static NnetExample change(NnetExample example, UnaryOperator<NnetIo> change) {
    List<String> names = example.io().stream().map(NnetIo::name).toList();
    if (!names.contains("output")) {
      throw new ShapeException(
          "[egs] an example must have an output named \"output\"; got %s; leave out the options that change it."
              .formatted(names));
    }
    return new NnetExample(
        example.io().stream()
            .map(io -> io.name().equals("output") ? change.apply(io) : io)
            .toList());
  }
}
