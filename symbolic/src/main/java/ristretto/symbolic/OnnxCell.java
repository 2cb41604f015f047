package ristretto.symbolic;

import java.util.List;

/**
 * Recurrent cell type of ONNX.
 *
 * @param order order of the gates: for each ONNX gate, the number of our gate
 */
record OnnxCell(String type, List<Integer> order, List<String> activations) {
  OnnxCell(String type, List<Integer> order, String... activations) {
    this(type, order, List.of(activations));
  }
}
