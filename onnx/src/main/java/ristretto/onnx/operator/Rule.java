package ristretto.onnx.operator;

import java.util.List;
import ristretto.onnx.call.NodeCall;
import ristretto.onnx.call.Value;

/** Outputs of an operator as expressions of its inputs. */
@FunctionalInterface
public interface Rule {
  /** Returns the outputs. */
  List<Value> of(NodeCall n);
}
