package ristretto.nnet3.compile;

import static ristretto.expr.Ops.F32;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.network.Nnet;

/**
 * Input and output matrices of a computation, and their derivatives, by node; rows as in the
 * request.
 */
record RequestMatrices(
    Map<String, Tensor<F32>> inputs,
    Map<String, Tensor<F32>> outputs,
    Map<String, Tensor<F32>> outputDerivs,
    Map<String, Tensor<F32>> inputDerivs) {
  /**
   * Allocates the matrices.
   *
   * @param rows number of rows of an input or output
   */
  static RequestMatrices of(
      Context context,
      Nnet nnet,
      ComputationRequest request,
      ToLongFunction<ComputationRequest.Io> rows) {
    var all =
        new RequestMatrices(
            new LinkedHashMap<>(),
            new LinkedHashMap<>(),
            new LinkedHashMap<>(),
            new LinkedHashMap<>());
    for (ComputationRequest.Io io : request.inputs()) {
      long dim = nnet.dim(nnet.node(nnet.number(io.name())));
      all.inputs.put(io.name(), context.empty(F32, rows.applyAsLong(io), dim));
      if (io.hasDeriv()) {
        all.inputDerivs.put(io.name(), context.empty(F32, rows.applyAsLong(io), dim));
      }
    }
    for (ComputationRequest.Io io : request.outputs()) {
      long dim = nnet.outputDim(io.name());
      all.outputs.put(io.name(), context.empty(F32, rows.applyAsLong(io), dim));
      if (io.hasDeriv()) {
        all.outputDerivs.put(io.name(), context.empty(F32, rows.applyAsLong(io), dim));
      }
    }
    return all;
  }

  /** Returns all matrices, in an order that depends on the nodes only. */
  List<Tensor<?>> all() {
    var all = new ArrayList<Tensor<?>>();
    for (Map<String, Tensor<F32>> some : List.of(inputs, outputs, outputDerivs, inputDerivs)) {
      all.addAll(some.values());
    }
    return all;
  }
}
