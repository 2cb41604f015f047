package ristretto.symbolic.layers;

import java.util.List;

/**
 * Recurrent cell type of ONNX.
 *
 * @param order order of the gates: for each ONNX gate, the number of our gate
 */
record OnnxCellType(String type, List<Integer> order, List<String> activations) {
  OnnxCellType(String type, List<Integer> order, String... activations) {
    this(type, order, List.of(activations));
  }
}
