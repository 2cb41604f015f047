package ristretto.jmh.nnet3;

import java.util.Locale;
import java.util.function.UnaryOperator;
import ristretto.expr.Context;
import ristretto.expr.Program;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Property;
import ristretto.nnet3.compile.Compiler;
import ristretto.nnet3.compile.ForwardBackward;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.step.DeviceParameters;
import ristretto.nnet3.step.GradientTensors;

/**
 * Measures forward and backward pass of a recipe's training minibatch, as one program, in this
 * process. Arguments: the minimum time of the measurement in milliseconds, and the recipe. Prints
 * the minimum time in milliseconds, and the peak bytes of inputs and temporaries.
 */
final class PassServer {
  private static final int LEAST_ROUNDS = 3;

  private PassServer() {}

  public static void main(String[] args) {
    var recipe = new Recipe(args[1]);
    Nnet nnet = recipe.nnet("train");
    ComputationRequest request = recipe.request("train", UnaryOperator.identity());
    try (Context context = Context.open("cpu")) {
      ForwardBackward pass =
          new Compiler(nnet, new DeviceParameters(context), 1).pass(request).withinProgram();
      var gradients = new GradientTensors(context, c -> c.has(Property.UPDATABLE), false);
      Program program =
          context.recordOnly(() -> {
            pass.forward(gradients);
            pass.outputs().forEach((name, output) -> pass.derivative(name, output.times(0.01f)));
            pass.backward(gradients);
          });
      double least = Double.POSITIVE_INFINITY;
      long end = System.nanoTime() + 1_000_000L * Long.parseLong(args[0]);
      for (int k = 0; k < LEAST_ROUNDS || System.nanoTime() < end; k++) {
        long start = System.nanoTime();
        program.run();
        least = Math.min(least, (System.nanoTime() - start) / 1e6);
      }
      long bytes = program.temporaryBytes() + bytes(pass.inputs().values());
      System.out.println(String.format(Locale.ROOT, "%.3f,%d", least, bytes));
    }
  }

  private static long bytes(Iterable<Tensor<F32>> all) {
    long bytes = 0;
    for (Tensor<F32> t : all) {
      bytes += t.shape().size() * Float.BYTES;
    }
    return bytes;
  }
}
