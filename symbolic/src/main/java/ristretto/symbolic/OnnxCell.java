package ristretto.symbolic;

import java.util.List;

/**
 * A cell as ONNX has it.
 *
 * @param order of its gates: our numbers of ONNX's
 */
record OnnxCell(String type, List<Integer> order, List<String> activations) {
  OnnxCell(String type, List<Integer> order, String... activations) {
    this(type, order, List.of(activations));
  }
}
