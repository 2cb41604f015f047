package ristretto.kernels.cpu;

import java.util.List;

/**
 * Rows that are computed in one loop, and the tape outputs stored by it.
 *
 * @param lanes elements of one step: 1 in scalar code, the same for every type of the segment in
 *     vector code
 * @param carried true if the segment updates accumulators
 */
record Segment(
    boolean vector, int lanes, List<Integer> rows, List<Integer> stores, boolean carried) {
  Segment {
    rows = List.copyOf(rows);
    stores = List.copyOf(stores);
  }
}
