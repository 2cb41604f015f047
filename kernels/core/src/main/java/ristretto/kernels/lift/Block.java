package ristretto.kernels.lift;

import java.util.List;

/**
 * Basic block of the instructions {@code start} to {@code end}, exclusive.
 *
 * @param successors numbers of the successor blocks: for a conditional branch the taken one first,
 *     for a switch the cases in order and the default last
 */
record Block(int start, int end, List<Integer> successors) {
  Block {
    successors = List.copyOf(successors);
  }
}
