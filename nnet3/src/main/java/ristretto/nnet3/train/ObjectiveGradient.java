package ristretto.nnet3.train;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.CacheSettings;
import ristretto.nnet3.LoweringOptions;
import ristretto.nnet3.compile.Compiler;
import ristretto.nnet3.compile.Computation;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.egs.NnetIo;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.step.DeviceParameters;

/** Derivatives of the objective of examples by a network's parameters. */
public final class ObjectiveGradient {
  private ObjectiveGradient() {}

  /** Returns a network whose parameters are the derivatives, summed over minibatches. */
  public static Nnet of(
      Context context,
      LoweringOptions lowering,
      Nnet nnet,
      List<NnetExample> minibatches,
      CacheSettings cache) {
    var deviceParameters = new DeviceParameters(context);
    deviceParameters.lowering(lowering);
    var compiler = new Compiler(nnet, deviceParameters, cache, _ -> {});
    var objectives = new Objectives(nnet);
    Nnet sum = null;
    for (NnetExample minibatch : minibatches) {
      Map<String, Matrix> inputs = new HashMap<>();
      for (NnetIo io : minibatch.io()) {
        if (nnet.inputDim(io.name()) >= 0) {
          inputs.put(io.name(), io.features().toMatrix());
        }
      }
      Computation computation = compiler.compile(minibatch.request(nnet, true, false));
      Map<String, Matrix> outputs = computation.run(inputs);
      Map<String, Matrix> derivatives = new HashMap<>();
      for (NnetIo io : minibatch.io()) {
        Matrix output = outputs.get(io.name());
        if (output != null) {
          Expr<F32> of =
              objectives
                  .of(io.name())
                  .derivative(tensor(context, output), tensor(context, io.features().toMatrix()));
          derivatives.put(
              io.name(), new Matrix(output.rows(), output.cols(), context.eval(of).toFloatArray()));
        }
      }
      computation.backward(derivatives);
      if (sum == null) {
        sum = computation.gradient();
      } else {
        sum.add(1, computation.gradient());
      }
    }
    return sum;
  }

  private static Expr<F32> tensor(Context context, Matrix matrix) {
    return context.tensor(matrix.data(), matrix.rows(), matrix.cols());
  }
}
