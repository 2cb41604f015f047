package ristretto.llm.generate;

import java.util.ArrayList;
import java.util.List;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.llm.model.Hyperparameters;

/**
 * Keys and values of all sequences, in pages of {@link #PAGE} tokens that sequences take one by one
 * (Kwon et al., 2023). Page 0 belongs to no sequence: padding is stored there.
 */
final class KeyValueCache {
  static final int PAGE = 16;

  private final List<Tensor<F32>> keys = new ArrayList<>();
  private final List<Tensor<F32>> values = new ArrayList<>();
  private final int[] free;
  private int available;

  /**
   * Creates an empty cache.
   *
   * @param pages number of pages for sequences
   */
  KeyValueCache(Context ctx, Hyperparameters sizes, int pages) {
    long slots = (pages + 1L) * PAGE;
    for (int k = 0; k < sizes.layers(); k++) {
      keys.add(ctx.zeros(Ops.F32, slots, sizes.keyHeads(), sizes.headWidth()));
      values.add(ctx.zeros(Ops.F32, slots, sizes.keyHeads(), sizes.headWidth()));
    }
    free = new int[pages];
    for (int k = 0; k < pages; k++) {
      free[k] = pages - k;
    }
    available = pages;
  }

  /** Keys of a layer, {@code [slots, key heads, width of a head]}. */
  Tensor<F32> keys(int layer) {
    return keys.get(layer);
  }

  /** Values of a layer, like its keys. */
  Tensor<F32> values(int layer) {
    return values.get(layer);
  }

  /** Number of pages that no sequence has. */
  int available() {
    return available;
  }

  /** Takes one of the {@link #available} pages. */
  int take() {
    return free[--available];
  }

  /** Gives a page back. */
  void give(int page) {
    free[available++] = page;
  }
}
