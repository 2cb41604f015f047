package ristretto.nnet3.step;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.Index;

/** Data shared by all steps of a node. */
public final class NodeConstants {
  private final List<Index> rows;
  private final Map<String, Tensor<F32>> constants = new HashMap<>();
  private Map<Index, Integer> places;

  /**
   * @param rows rows of the node in all steps
   */
  public NodeConstants(List<Index> rows) {
    this.rows = rows;
  }

  List<Index> rows() {
    return rows;
  }

  /** Returns a cached constant with all rows of the node. */
  Tensor<F32> constant(String name, Function<List<Index>, Tensor<F32>> value) {
    return constants.computeIfAbsent(name, _ -> value.apply(rows));
  }

  /** Returns the positions of rows among all rows of the node. */
  int[] places(List<Index> some) {
    if (places == null) {
      places = HashMap.newHashMap(rows.size());
      for (int k = 0; k < rows.size(); k++) {
        places.put(rows.get(k), k);
      }
    }
    return some.stream().mapToInt(places::get).toArray();
  }
}
