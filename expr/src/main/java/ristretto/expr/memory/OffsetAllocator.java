package ristretto.expr.memory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Offset allocation of memory blocks with live ranges: blocks with intersecting live ranges do not
 * overlap. Greedy best fit: blocks are placed one by one into the smallest sufficient gap.
 */
final class OffsetAllocator {
  /** Excess at which the search for better allocations stops. */
  private static final double CLOSE = 1.01;

  private final LiveRanges live;
  private final long[] bytes;

  /** Sizes of the blocks, rounded up to the alignment. */
  private final long[] sizes;

  private final long alignment;

  /** Buffers: results first, then buffers of the plan's own. */
  private final List<Bin> bins;

  private final int[] bin;
  private final long[] offset;

  /** Cached {@link #excess()}; 0 if not computed yet. */
  private double excess;

  /** Lower neighbours of each block, by buffer and order of offsets; null if not computed yet. */
  private int[][][] below;

  private OffsetAllocator(
      LiveRanges live, long[] bytes, long alignment, List<Bin> bins, int[] bin, long[] offset) {
    this.live = live;
    this.bytes = bytes;
    this.alignment = alignment;
    this.sizes = rounded(bytes, alignment);
    this.bins = bins;
    this.bin = bin;
    this.offset = offset;
  }

  private static long[] rounded(long[] bytes, long alignment) {
    long[] sizes = new long[bytes.length];
    for (int b = 0; b < sizes.length; b++) {
      sizes[b] = (bytes[b] + alignment - 1) / alignment * alignment;
    }
    return sizes;
  }

  /** Buffer with its blocks in the order of their offsets. */
  private static final class Bin {
    final long capacity;
    int[] blocks = new int[16];
    int count;
    long end;

    Bin(long capacity) {
      this.capacity = capacity;
    }
  }

  /**
   * Returns the best allocation over several orders of the blocks.
   *
   * @param bytes sizes of the blocks
   * @param alignment alignment of offsets
   * @param capacities sizes of the results
   * @param largest maximal size of a buffer
   */
  static OffsetAllocator best(
      LiveRanges live, long[] bytes, long alignment, long[] capacities, long largest) {
    long[] sizes = rounded(bytes, alignment);
    Comparator<Integer> bySize = Comparator.comparingLong(b -> -sizes[b]);
    Comparator<Integer> byStart = Comparator.comparingInt(b -> live.first[b]);
    Comparator<Integer> byArea =
        Comparator.comparingDouble(b -> -(double) sizes[b] * (live.last[b] - live.first[b] + 1));
    Comparator<Integer> byLife = Comparator.comparingInt(b -> live.first[b] - live.last[b]);
    OffsetAllocator best = null;
    for (Comparator<Integer> order :
        List.of(bySize.thenComparing(byStart), byArea, byLife.thenComparing(bySize), byStart)) {
      var next = new OffsetAllocator(live, bytes, alignment, capacities);
      next.place(order, largest);
      best = best == null || next.total() < best.total() ? next : best;
      if (best.isClose()) {
        break;
      }
    }
    return best;
  }

  private OffsetAllocator(LiveRanges live, long[] bytes, long alignment, long[] capacities) {
    this(
        live,
        bytes,
        alignment,
        new ArrayList<>(Arrays.stream(capacities).mapToObj(Bin::new).toList()),
        new int[bytes.length],
        new long[bytes.length]);
  }

  private void place(Comparator<Integer> order, long largest) {
    IntStream.range(0, sizes.length).boxed().sorted(order).forEach(b -> place(b, largest));
  }

  private void place(int block, long largest) {
    int at = 0;
    long found = -1;
    while (found < 0) {
      if (at == bins.size()) {
        bins.add(new Bin(Math.max(largest, sizes[block])));
      }
      found = find(block, at++);
    }
    Bin in = bins.get(at - 1);
    bin[block] = at - 1;
    offset[block] = found;
    int k = in.count++;
    if (k == in.blocks.length) {
      in.blocks = Arrays.copyOf(in.blocks, 2 * k);
    }
    for (; k > 0 && offset[in.blocks[k - 1]] > found; k--) {
      in.blocks[k] = in.blocks[k - 1];
    }
    in.blocks[k] = block;
    in.end = Math.max(in.end, found + bytes[block]);
  }

  /** Offset of the smallest sufficient gap for a block in a buffer; -1 if there is none. */
  private long find(int block, int number) {
    Bin in = bins.get(number);
    boolean becomes = false;
    if (number < live.results() && live.last[block] >= live.until[number]) {
      if (live.into[block] != number) {
        return -1;
      }
      becomes = true;
    }
    long needed = sizes[block];
    int first = live.first[block];
    int last = live.last[block];
    long end = 0;
    long best = -1;
    long smallest = Long.MAX_VALUE;
    int[] blocks = in.blocks;
    for (int k = 0; k < in.count; k++) {
      int other = blocks[k];
      if (live.first[other] <= last && first <= live.last[other]) {
        long gap = offset[other] - end;
        if (gap >= needed && gap < smallest) {
          smallest = gap;
          best = end;
        }
        end = Math.max(end, offset[other] + sizes[other]);
      }
    }
    best = best < 0 && bytes[block] <= in.capacity - end ? end : best;
    return becomes && best != 0 ? -1 : best;
  }

  /**
   * Returns this allocation with the same neighbours but other sizes; null if a buffer would exceed
   * its limit.
   *
   * @param needed sizes of the blocks
   * @param capacities sizes of the results
   * @param largest maximal size of a buffer
   */
  OffsetAllocator resized(long[] needed, long[] capacities, long largest) {
    if (below == null) {
      below = new int[bins.size()][][];
      for (int p = 0; p < below.length; p++) {
        below[p] = below(bins.get(p));
      }
    }
    long[] others = rounded(needed, alignment);
    var moved = new long[others.length];
    var all = new ArrayList<Bin>();
    for (int p = 0; p < below.length; p++) {
      Bin like = bins.get(p);
      var next = new Bin(p < capacities.length ? capacities[p] : largest);
      next.blocks = like.blocks;
      next.count = like.count;
      for (int k = 0; k < like.count; k++) {
        int block = like.blocks[k];
        long at = 0;
        for (int under : below[p][k]) {
          at = Math.max(at, moved[under] + others[under]);
        }
        boolean becomes = p < capacities.length && live.last[block] >= live.until[p];
        moved[block] = at;
        next.end = Math.max(next.end, at + needed[block]);
        if (becomes && at != 0 || at + needed[block] > next.capacity && like.count > 1) {
          return null;
        }
      }
      all.add(next);
    }
    return new OffsetAllocator(live, needed, alignment, all, bin, moved);
  }

  /** For each block, its lower neighbours in the same buffer. */
  private int[][] below(Bin in) {
    int[] top = new int[live.steps];
    Arrays.fill(top, -1);
    var all = new int[in.count][];
    for (int k = 0; k < in.count; k++) {
      int block = in.blocks[k];
      int[] found = new int[4];
      int count = 0;
      int previous = -1;
      for (int step = live.first[block]; step <= live.last[block]; step++) {
        int under = top[step];
        if (under != previous && under >= 0) {
          found = count == found.length ? Arrays.copyOf(found, 2 * count) : found;
          found[count++] = under;
        }
        previous = under;
        top[step] = block;
      }
      all[k] = Arrays.copyOf(found, count);
    }
    return all;
  }

  /** Buffer of a block; the plan's own buffers come first, results last. */
  int buffer(int block) {
    int p = bin[block] - live.results();
    return p >= 0 ? p : bins.size() + p;
  }

  long offset(int block) {
    return offset[block];
  }

  /** Size of a block in bytes. */
  long bytes(int block) {
    return bytes[block];
  }

  /** Returns true if a block fills its buffer, or starts at offset 0 of a result. */
  boolean isWhole(int block) {
    int number = bin[block];
    return offset[block] == 0 && (number < live.results() || bytes[block] == bins.get(number).end);
  }

  /** Sizes of the plan's own buffers in bytes. */
  List<Long> bytes() {
    return bins.subList(live.results(), bins.size()).stream().map(p -> p.end).toList();
  }

  /** Returns true if the excess is too small for a further search. */
  boolean isClose() {
    return excess() <= CLOSE;
  }

  /** Bytes of the plan's own buffers. */
  long total() {
    return bytes().stream().mapToLong(b -> b).sum();
  }

  /**
   * Ratio of the size of the plan's own buffers to the largest sum of blocks that are live at one
   * step in these buffers.
   */
  double excess() {
    if (excess == 0) {
      excess = found();
    }
    return excess;
  }

  private double found() {
    long[] change = new long[live.steps + 1];
    for (int b = 0; b < sizes.length; b++) {
      if (bin[b] >= live.results()) {
        change[live.first[b]] += sizes[b];
        change[live.last[b] + 1] -= sizes[b];
      }
    }
    long most = 0;
    long sum = 0;
    for (long c : change) {
      sum += c;
      most = Math.max(most, sum);
    }
    return most == 0 ? 1 : (double) total() / most;
  }
}
