package ristretto.expr;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Offset allocation of memory blocks with live ranges: blocks with intersecting live ranges do not
 * overlap. Greedy best fit: blocks are placed one by one into the smallest sufficient gap.
 */
final class Arrangement {
  /** Excess at which the search for better allocations stops. */
  private static final double CLOSE = 1.01;

  private final Lives lives;
  private final long[] bytes;

  /** Sizes of the blocks, rounded up to the alignment. */
  private final long[] sizes;

  private final long alignment;

  /** Buffers: results first, then buffers of the plan's own. */
  private final List<Piece> pieces;

  private final int[] piece;
  private final long[] offset;

  /** Cached {@link #excess()}; 0 if not computed yet. */
  private double excess;

  /** Lower neighbours of each block, by buffer and order of offsets; null if not computed yet. */
  private int[][][] below;

  private Arrangement(
      Lives lives, long[] bytes, long alignment, List<Piece> pieces, int[] piece, long[] offset) {
    this.lives = lives;
    this.bytes = bytes;
    this.alignment = alignment;
    this.sizes = rounded(bytes, alignment);
    this.pieces = pieces;
    this.piece = piece;
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
  private static final class Piece {
    final long room;
    int[] blocks = new int[16];
    int count;
    long end;

    Piece(long room) {
      this.room = room;
    }
  }

  /**
   * Returns the best allocation over several orders of the blocks.
   *
   * @param bytes sizes of the blocks
   * @param alignment alignment of offsets
   * @param rooms sizes of the results
   * @param largest maximal size of a buffer
   */
  static Arrangement best(Lives lives, long[] bytes, long alignment, long[] rooms, long largest) {
    long[] sizes = rounded(bytes, alignment);
    Comparator<Integer> bySize = Comparator.comparingLong(b -> -sizes[b]);
    Comparator<Integer> byStart = Comparator.comparingInt(b -> lives.first[b]);
    Comparator<Integer> byArea =
        Comparator.comparingDouble(b -> -(double) sizes[b] * (lives.last[b] - lives.first[b] + 1));
    Comparator<Integer> byLife = Comparator.comparingInt(b -> lives.first[b] - lives.last[b]);
    Arrangement best = null;
    for (Comparator<Integer> order :
        List.of(bySize.thenComparing(byStart), byArea, byLife.thenComparing(bySize), byStart)) {
      var next = new Arrangement(lives, bytes, alignment, rooms);
      next.place(order, largest);
      best = best == null || next.total() < best.total() ? next : best;
      if (best.isClose()) {
        break;
      }
    }
    return best;
  }

  private Arrangement(Lives lives, long[] bytes, long alignment, long[] rooms) {
    this(
        lives,
        bytes,
        alignment,
        new ArrayList<>(Arrays.stream(rooms).mapToObj(Piece::new).toList()),
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
      if (at == pieces.size()) {
        pieces.add(new Piece(Math.max(largest, sizes[block])));
      }
      found = find(block, at++);
    }
    Piece in = pieces.get(at - 1);
    piece[block] = at - 1;
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
    Piece in = pieces.get(number);
    boolean becomes = false;
    if (number < lives.results() && lives.last[block] >= lives.until[number]) {
      if (lives.into[block] != number) {
        return -1;
      }
      becomes = true;
    }
    long needed = sizes[block];
    int first = lives.first[block];
    int last = lives.last[block];
    long end = 0;
    long best = -1;
    long smallest = Long.MAX_VALUE;
    int[] blocks = in.blocks;
    for (int k = 0; k < in.count; k++) {
      int other = blocks[k];
      if (lives.first[other] <= last && first <= lives.last[other]) {
        long gap = offset[other] - end;
        if (gap >= needed && gap < smallest) {
          smallest = gap;
          best = end;
        }
        end = Math.max(end, offset[other] + sizes[other]);
      }
    }
    best = best < 0 && bytes[block] <= in.room - end ? end : best;
    return becomes && best != 0 ? -1 : best;
  }

  /**
   * Returns this allocation with the same neighbours but other sizes; null if a buffer would exceed
   * its limit.
   *
   * @param needed sizes of the blocks
   * @param rooms sizes of the results
   * @param largest maximal size of a buffer
   */
  Arrangement resized(long[] needed, long[] rooms, long largest) {
    if (below == null) {
      below = new int[pieces.size()][][];
      for (int p = 0; p < below.length; p++) {
        below[p] = below(pieces.get(p));
      }
    }
    long[] others = rounded(needed, alignment);
    var moved = new long[others.length];
    var all = new ArrayList<Piece>();
    for (int p = 0; p < below.length; p++) {
      Piece like = pieces.get(p);
      var next = new Piece(p < rooms.length ? rooms[p] : largest);
      next.blocks = like.blocks;
      next.count = like.count;
      for (int k = 0; k < like.count; k++) {
        int block = like.blocks[k];
        long at = 0;
        for (int under : below[p][k]) {
          at = Math.max(at, moved[under] + others[under]);
        }
        boolean becomes = p < rooms.length && lives.last[block] >= lives.until[p];
        moved[block] = at;
        next.end = Math.max(next.end, at + needed[block]);
        if (becomes && at != 0 || at + needed[block] > next.room && like.count > 1) {
          return null;
        }
      }
      all.add(next);
    }
    return new Arrangement(lives, needed, alignment, all, piece, moved);
  }

  /** For each block, its lower neighbours in the same buffer. */
  private int[][] below(Piece in) {
    int[] top = new int[lives.steps];
    Arrays.fill(top, -1);
    var all = new int[in.count][];
    for (int k = 0; k < in.count; k++) {
      int block = in.blocks[k];
      int[] found = new int[4];
      int count = 0;
      int previous = -1;
      for (int step = lives.first[block]; step <= lives.last[block]; step++) {
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
  int piece(int block) {
    int p = piece[block] - lives.results();
    return p >= 0 ? p : pieces.size() + p;
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
    int number = piece[block];
    return offset[block] == 0
        && (number < lives.results() || bytes[block] == pieces.get(number).end);
  }

  /** Sizes of the plan's own buffers in bytes. */
  List<Long> bytes() {
    return pieces.subList(lives.results(), pieces.size()).stream().map(p -> p.end).toList();
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
    long[] change = new long[lives.steps + 1];
    for (int b = 0; b < sizes.length; b++) {
      if (piece[b] >= lives.results()) {
        change[lives.first[b]] += sizes[b];
        change[lives.last[b] + 1] -= sizes[b];
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
