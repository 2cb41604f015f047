package ristretto.expr;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.IntToLongFunction;
import java.util.function.LongUnaryOperator;
import ristretto.kernels.device.Device;

/**
 * Allocator of temporaries at offsets of one buffer, or of several if the buffer size is limited.
 * Temporaries with disjoint live ranges may overlap.
 */
final class Packing implements Placement {
  /** Maximal growth of the excess for which an allocation is resized instead of computed anew. */
  private static final double MOVED = 1.03;

  private final List<Integer> results;
  private final IntToLongFunction temporary;
  private final IntToLongFunction result;
  private final long alignment;
  private final long largest;
  private final Sharing sharing;
  private final Map<Integer, int[]> lifetimes;
  private final List<Integer> temporaries;

  /** Last allocation; null at first. */
  private Blocks known;

  /** Blocks of temporaries; each temporary of a block is written in place of its predecessor. */
  private record Blocks(List<List<Integer>> all, Lives lives, Arrangement arrangement) {
    Blocks with(Arrangement other) {
      return new Blocks(all, lives, other);
    }
  }

  /**
   * Creates the allocator of a plan.
   *
   * @param lifetimes live ranges by argument
   * @param results arguments whose memory may hold temporaries until they are written, smallest
   *     first
   * @param temporary bytes by argument, as in the plan
   */
  Packing(
      Device device,
      Sharing sharing,
      Map<Integer, int[]> lifetimes,
      List<Integer> temporaries,
      List<Integer> results,
      IntToLongFunction temporary,
      IntToLongFunction result) {
    this.alignment = device.partAlignment();
    this.largest = device.largestBuffer();
    this.sharing = sharing;
    this.lifetimes = lifetimes;
    this.temporaries = List.copyOf(temporaries);
    this.results = List.copyOf(results);
    this.temporary = temporary;
    this.result = result;
  }

  @Override
  public synchronized Places at(LongUnaryOperator size) {
    long[] rooms = new long[results.size()];
    for (int r = 0; r < rooms.length; r++) {
      rooms[r] = size.applyAsLong(result.applyAsLong(results.get(r)));
    }
    if (known != null) {
      Arrangement moved = known.arrangement.resized(bytes(known.all, size), rooms, largest);
      if (moved != null && moved.excess() <= MOVED * Math.max(1, known.arrangement.excess())) {
        return places(known.with(moved));
      }
    }
    Map<Integer, Integer> next = handedOver();
    known = arranged(next, size, rooms);
    if (!next.isEmpty() && !known.arrangement.isClose()) {
      // blocks of in-place chains have long live ranges; separate blocks may need less memory
      Blocks apart = arranged(Map.of(), size, rooms);
      known = apart.arrangement.total() < known.arrangement.total() ? apart : known;
    }
    return places(known);
  }

  private long[] bytes(List<List<Integer>> blocks, LongUnaryOperator size) {
    long[] bytes = new long[blocks.size()];
    for (int b = 0; b < bytes.length; b++) {
      bytes[b] = size.applyAsLong(temporary.applyAsLong(blocks.get(b).get(0)));
    }
    return bytes;
  }

  private Blocks arranged(Map<Integer, Integer> next, LongUnaryOperator size, long[] rooms) {
    List<List<Integer>> blocks = blocks(next);
    Lives lives = lives(blocks);
    Arrangement best = Arrangement.best(lives, bytes(blocks, size), alignment, rooms, largest);
    return new Blocks(blocks, lives, best);
  }

  /** Temporary that is written in place of each temporary, if any. */
  private Map<Integer, Integer> handedOver() {
    var ends = new HashMap<Integer, List<Integer>>();
    for (int k : temporaries) {
      ends.computeIfAbsent(lifetimes.get(k)[1], _ -> new ArrayList<>()).add(k);
    }
    var next = new HashMap<Integer, Integer>();
    for (int to : temporaries) {
      for (int from : ends.getOrDefault(lifetimes.get(to)[0], List.of())) {
        if (from != to
            && !next.containsKey(from)
            && temporary.applyAsLong(from) == temporary.applyAsLong(to)
            && !sharing.meet(from, to)) {
          next.put(from, to);
          break;
        }
      }
    }
    return next;
  }

  private List<List<Integer>> blocks(Map<Integer, Integer> next) {
    var taken = new HashSet<>(next.values());
    var blocks = new ArrayList<List<Integer>>();
    for (int argument : temporaries) {
      if (!taken.contains(argument)) {
        var block = new ArrayList<Integer>();
        for (Integer k = argument; k != null; k = next.get(k)) {
          block.add(k);
        }
        blocks.add(block);
      }
    }
    return blocks;
  }

  private Lives lives(List<List<Integer>> blocks) {
    int[] first = new int[blocks.size()];
    int[] last = new int[blocks.size()];
    int[] into = new int[blocks.size()];
    for (int b = 0; b < first.length; b++) {
      int end = blocks.get(b).getLast();
      first[b] = lifetimes.get(blocks.get(b).getFirst())[0];
      last[b] = lifetimes.get(end)[1];
      into[b] = -1;
      for (int r = 0; r < results.size() && into[b] < 0; r++) {
        boolean becomes = lifetimes.get(results.get(r))[0] == last[b];
        into[b] = becomes && !sharing.meet(end, results.get(r)) ? r : -1;
      }
    }
    int[] until = results.stream().mapToInt(r -> lifetimes.get(r)[0]).toArray();
    return new Lives(first, last, into, until);
  }

  private Places places(Blocks blocks) {
    Arrangement found = blocks.arrangement;
    var all = new ArrayList<Places.Place>();
    for (int b = 0; b < blocks.all.size(); b++) {
      int piece = found.piece(b);
      long offset = found.offset(b);
      boolean whole = found.isWhole(b);
      // all temporaries of a block have equal size
      long needed = found.bytes(b);
      for (int argument : blocks.all.get(b)) {
        all.add(new Places.Place(argument, piece, offset, needed, whole));
      }
    }
    return new Places(all, found.bytes(), results);
  }
}
