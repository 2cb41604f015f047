package ristretto.expr;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Where blocks of memory lie that are needed for some time each: those that are needed at the same
 * time do not overlap. Large ones are placed first, each where it fits best between those that are
 * there.
 */
final class Arrangement {
  /** Good enough to look for nothing better. */
  private static final double CLOSE = 1.01;

  private final Lives lives;
  private final long[] bytes;

  /** The bytes, rounded up. */
  private final long[] sizes;

  private final long alignment;

  /** Results first, then pieces of its own. */
  private final List<Piece> pieces;

  private final int[] piece;
  private final long[] offset;

  /** 0 before it is asked for. */
  private double excess;

  /** By piece and block in the order of offsets, the blocks that it lies on; null before use. */
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

  /** Blocks in the order of their offsets. */
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
   * The best of some.
   *
   * @param bytes of the blocks
   * @param alignment of their offsets
   * @param rooms of the results
   * @param largest size of a piece
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

  /** The offset of the smallest gap of a piece that a block fits into; -1 if there is none. */
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
   * The same order of blocks for other sizes; null if there is no room for it.
   *
   * @param needed bytes of the blocks
   * @param rooms of the results
   * @param largest size of a piece
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

  /** Of each block of a piece those below it that nothing is between. */
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

  /** The piece of a block; results come last. */
  int piece(int block) {
    int p = piece[block] - lives.results();
    return p >= 0 ? p : pieces.size() + p;
  }

  long offset(int block) {
    return offset[block];
  }

  /** Of a block. */
  long bytes(int block) {
    return bytes[block];
  }

  /** Whether a block is all of its piece, or lies at the beginning of a result. */
  boolean isWhole(int block) {
    int number = piece[block];
    return offset[block] == 0
        && (number < lives.results() || bytes[block] == pieces.get(number).end);
  }

  /** Of the pieces of its own. */
  List<Long> bytes() {
    return pieces.subList(lives.results(), pieces.size()).stream().map(p -> p.end).toList();
  }

  /** Whether there is hardly anything to gain. */
  boolean isClose() {
    return excess() <= CLOSE;
  }

  /** Bytes of its own pieces. */
  long total() {
    return bytes().stream().mapToLong(b -> b).sum();
  }

  /** How many times as large its own pieces are as what is needed of them at a time. */
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
