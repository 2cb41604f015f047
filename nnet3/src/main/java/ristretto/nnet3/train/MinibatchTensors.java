package ristretto.nnet3.train;

import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.file.Excerpt;
import ristretto.expr.type.F32;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.compile.ForwardBackward;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.egs.NnetIo;

/** Input and target tensors for minibatches of one structure. */
final class MinibatchTensors {
  private final Context context;
  private final ForwardBackward pass;
  private final Map<String, Supervision> supervisions = new LinkedHashMap<>();

  /** Allocates tensors for minibatches like {@code like}. */
  MinibatchTensors(Context context, ForwardBackward pass, NnetExample like) {
    this.context = context;
    this.pass = pass;
    for (NnetIo io : like.io()) {
      if (pass.outputDim(io.name()) >= 0) {
        supervisions.put(io.name(), new Supervision(context, io.features()));
      }
    }
  }

  /** Uploads a minibatch. */
  void set(NnetExample minibatch) {
    for (NnetIo io : minibatch.io()) {
      Tensor<F32> input = pass.inputs().get(io.name());
      if (input != null) {
        check(io, input.shape());
        context.copy(MemorySegment.ofArray(io.features().toMatrix().data()), input);
      } else {
        supervisions.get(io.name()).set(io, pass.outputDim(io.name()));
      }
    }
  }

  static void check(NnetIo io, Shape wanted) {
    long columns = wanted.dim(wanted.rank() - 1);
    if (io.features().cols() != columns) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[egs] features must have as many columns as the network's input; got %d for %d of"
                  + " \"%s\"; make examples for this network.",
              io.features().cols(),
              columns,
              Excerpt.of(io.name())));
    }
  }

  /** Returns the names of the outputs. */
  Iterable<String> outputs() {
    return supervisions.keySet();
  }

  /** Returns the targets of an output. */
  Expr<F32> targets(String output) {
    return supervisions.get(output).targets();
  }
}
