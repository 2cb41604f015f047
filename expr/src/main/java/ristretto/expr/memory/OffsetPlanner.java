package ristretto.expr.memory;

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
public final class OffsetPlanner implements MemoryPlanner {
  /** Maximal growth of the excess for which an allocation is resized instead of computed anew. */
  private static final double RESIZED = 1.03;

  private final List<Integer> results;
  private final IntToLongFunction temporary;
  private final IntToLongFunction result;
  private final long alignment;
  private final long largest;
  private final Interference interference;
  private final Map<Integer, int[]> liveRanges;
  private final List<Integer> temporaries;

  /** Last allocation; null at first. */
  private Blocks known;

  /** Blocks of temporaries; each temporary of a block is written in place of its predecessor. */
  private record Blocks(List<List<Integer>> all, LiveRanges live, OffsetAllocator allocation) {
    Blocks with(OffsetAllocator other) {
      return new Blocks(all, live, other);
    }
  }

  /**
   * Creates the allocator of a plan.
   *
   * @param liveRanges live ranges by argument
   * @param results arguments whose memory may hold temporaries until they are written, smallest
   *     first
   * @param temporary bytes by argument, as in the plan
   */
  public OffsetPlanner(
      Device device,
      Interference interference,
      Map<Integer, int[]> liveRanges,
      List<Integer> temporaries,
      List<Integer> results,
      IntToLongFunction temporary,
      IntToLongFunction result) {
    this.alignment = device.partAlignment();
    this.largest = device.largestBuffer();
    this.interference = interference;
    this.liveRanges = liveRanges;
    this.temporaries = List.copyOf(temporaries);
    this.results = List.copyOf(results);
    this.temporary = temporary;
    this.result = result;
  }

  @Override
  public synchronized MemoryPlan plan(LongUnaryOperator size) {
    long[] capacities = new long[results.size()];
    for (int r = 0; r < capacities.length; r++) {
      capacities[r] = size.applyAsLong(result.applyAsLong(results.get(r)));
    }
    if (known != null) {
      OffsetAllocator resized =
          known.allocation.resized(bytes(known.all, size), capacities, largest);
      if (resized != null && resized.excess() <= RESIZED * Math.max(1, known.allocation.excess())) {
        return plan(known.with(resized));
      }
    }
    Map<Integer, Integer> next = handedOver();
    known = allocated(next, size, capacities);
    if (!next.isEmpty() && !known.allocation.isClose()) {
      // blocks of in-place chains have long live ranges; separate blocks may need less memory
      Blocks apart = allocated(Map.of(), size, capacities);
      known = apart.allocation.total() < known.allocation.total() ? apart : known;
    }
    return plan(known);
  }

  private long[] bytes(List<List<Integer>> blocks, LongUnaryOperator size) {
    long[] bytes = new long[blocks.size()];
    for (int b = 0; b < bytes.length; b++) {
      bytes[b] = size.applyAsLong(temporary.applyAsLong(blocks.get(b).get(0)));
    }
    return bytes;
  }

  private Blocks allocated(Map<Integer, Integer> next, LongUnaryOperator size, long[] capacities) {
    List<List<Integer>> blocks = blocks(next);
    LiveRanges live = liveRanges(blocks);
    OffsetAllocator best =
        OffsetAllocator.best(live, bytes(blocks, size), alignment, capacities, largest);
    return new Blocks(blocks, live, best);
  }

  /** Temporary that is written in place of each temporary, if any. */
  private Map<Integer, Integer> handedOver() {
    var ends = new HashMap<Integer, List<Integer>>();
    for (int k : temporaries) {
      ends.computeIfAbsent(liveRanges.get(k)[1], _ -> new ArrayList<>()).add(k);
    }
    var next = new HashMap<Integer, Integer>();
    for (int to : temporaries) {
      for (int from : ends.getOrDefault(liveRanges.get(to)[0], List.of())) {
        if (from != to
            && !next.containsKey(from)
            && temporary.applyAsLong(from) == temporary.applyAsLong(to)
            && !interference.between(from, to)) {
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

  private LiveRanges liveRanges(List<List<Integer>> blocks) {
    int[] first = new int[blocks.size()];
    int[] last = new int[blocks.size()];
    int[] into = new int[blocks.size()];
    for (int b = 0; b < first.length; b++) {
      int end = blocks.get(b).getLast();
      first[b] = liveRanges.get(blocks.get(b).getFirst())[0];
      last[b] = liveRanges.get(end)[1];
      into[b] = -1;
      for (int r = 0; r < results.size() && into[b] < 0; r++) {
        boolean becomes = liveRanges.get(results.get(r))[0] == last[b];
        into[b] = becomes && !interference.between(end, results.get(r)) ? r : -1;
      }
    }
    int[] until = results.stream().mapToInt(r -> liveRanges.get(r)[0]).toArray();
    return new LiveRanges(first, last, into, until);
  }

  private MemoryPlan plan(Blocks blocks) {
    OffsetAllocator found = blocks.allocation;
    var all = new ArrayList<MemoryPlan.Placement>();
    for (int b = 0; b < blocks.all.size(); b++) {
      int buffer = found.buffer(b);
      long offset = found.offset(b);
      boolean whole = found.isWhole(b);
      // all temporaries of a block have equal size
      long needed = found.bytes(b);
      for (int argument : blocks.all.get(b)) {
        all.add(new MemoryPlan.Placement(argument, buffer, offset, needed, whole));
      }
    }
    return new MemoryPlan(all, found.bytes(), results);
  }
}
