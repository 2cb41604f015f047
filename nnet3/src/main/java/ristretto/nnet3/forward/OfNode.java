package ristretto.nnet3.forward;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import ristretto.expr.F32;
import ristretto.expr.Tensor;
import ristretto.nnet3.Index;

/** What all steps of a node share. */
public final class OfNode {
  private final List<Index> rows;
  private final Map<String, Tensor<F32>> constants = new HashMap<>();
  private Map<Index, Integer> places;

  /** Of its rows in all steps. */
  public OfNode(List<Index> rows) {
    this.rows = rows;
  }

  List<Index> rows() {
    return rows;
  }

  /** A value of all rows that is made once. */
  Tensor<F32> constant(String name, Function<List<Index>, Tensor<F32>> value) {
    return constants.computeIfAbsent(name, _ -> value.apply(rows));
  }

  /** Where some of the rows are among all. */
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
