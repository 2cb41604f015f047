package ristretto.kernels.cpu.codegen;

import java.util.List;

/**
 * Rows computed in one loop, and the tape outputs that the loop stores.
 *
 * @param vector true for vector code
 * @param lanes elements per step: 1 in scalar code; in vector code, one number for all types of the
 *     segment
 * @param rows rows that the segment computes
 * @param stores tape outputs that the segment stores
 * @param carried true if the segment updates accumulators
 */
record Segment(
    boolean vector, int lanes, List<Integer> rows, List<Integer> stores, boolean carried) {
  Segment {
    rows = List.copyOf(rows);
    stores = List.copyOf(stores);
  }
}
