package ristretto.nnet3.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.nnet3.Component;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;
import ristretto.nnet3.LoweringOptions;
import ristretto.nnet3.Property;
import ristretto.nnet3.TimeOffsets;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.config.Node;
import ristretto.nnet3.graph.ComputationGraph;
import ristretto.nnet3.graph.NodeRows;

/**
 * Splits steps over many time steps into blocks of fewer time steps, one block after the other.
 * Each block runs the steps in their order. Rows that later blocks read stay in memory, the others
 * are freed. Nothing is computed twice: rows on which all outputs depend, such as those of a
 * recurrence backwards in time or of statistics over all frames, belong to the first block.
 */
final class SplitIntoBlocks {
  private static final int NONE = Integer.MAX_VALUE;

  /** Minimum number of time steps per block; products with fewer rows are slow. */
  private static final int LEAST_TIMES = 250;

  private static final int MOST = 64;

  private final ComputationGraph graph;
  private final Steps steps;
  private final Aliases aliases;
  private final int count;

  /** Block of each row, by node and position. */
  private final Map<Integer, int[]> blocks = new HashMap<>();

  /** First position that rows of a block read, by node and block. */
  private final Map<Integer, int[]> reads = new HashMap<>();

  private SplitIntoBlocks(ComputationGraph graph, Steps steps, int count) {
    this.graph = graph;
    this.steps = steps;
    this.aliases = Aliases.forward(graph);
    this.count = count;
  }

  /**
   * Splits the steps of a computation without derivatives or statistics into blocks.
   *
   * @param times approximate number of output times per block; see {@link LoweringOptions#block}
   * @return the unchanged steps if there are too few times, or if all rows would be in one block
   */
  static Steps apply(ComputationGraph graph, Steps steps, int times) {
    if (times == 0 || graph.request().needDerivatives() || graph.request().storeComponentStats()) {
      return steps;
    }
    int first = NONE;
    int last = -NONE;
    for (ComputationRequest.Io io : graph.request().outputs()) {
      List<Index> rows = io.indexes();
      for (int k = 0; k < rows.size(); k++) {
        if (k > 0 && rows.get(k).t() < rows.get(k - 1).t()) {
          return steps;
        }
        first = Math.min(first, rows.get(k).t());
        last = Math.max(last, rows.get(k).t());
      }
    }
    int most = (int) ((last - (long) first + 1) / (times < 0 ? LEAST_TIMES : times));
    if (most < 2 || suppliesComponents(graph)) {
      return steps;
    }
    int count = times < 0 ? Math.min(most, worthwhile(graph, steps)) : most;
    if (count < 2) {
      return steps;
    }
    return new SplitIntoBlocks(graph, steps, count).inBlocks(first, last);
  }

  /**
   * Returns the number of blocks that costs little time. Each block reads all parameters again,
   * which is slow if the parameters are larger than the values. Blocks save nothing if the outputs
   * are larger than every value, because values then use the memory of the outputs.
   */
  private static int worthwhile(ComputationGraph graph, Steps steps) {
    long largest = 0;
    long outputs = 0;
    long values = 0;
    long parameters = 1;
    var dims = new HashMap<Integer, Integer>();
    for (Step step : steps.all()) {
      Node node = graph.nnet().node(step.node());
      int dim = dims.computeIfAbsent(step.node(), _ -> graph.nnet().dim(node));
      long size = step.rows().size() * (long) dim;
      if (node instanceof Node.OutputNode) {
        outputs += size;
      } else if (!step.supplied() && node instanceof Node.ComponentNode n) {
        largest = Math.max(largest, size);
        if (graph.nnet().component(n) instanceof UpdatableComponent u) {
          values += size;
          for (float[] p : u.parameters()) {
            parameters += p.length;
          }
        }
      }
    }
    return largest <= outputs ? 1 : (int) Math.min(MOST, 1 + values / parameters);
  }

  private static boolean suppliesComponents(ComputationGraph graph) {
    return graph.request().inputs().stream()
        .anyMatch(
            io -> graph.nnet().node(graph.nnet().number(io.name())) instanceof Node.ComponentNode);
  }

  private Steps inBlocks(int first, int last) {
    List<Step> all = steps.all();
    backwardRecurrences();
    for (int k = all.size() - 1; k >= 0; k--) {
      Step step = all.get(k);
      if (step.supplied() || aliases.isAlias(step.node())) {
        continue;
      }
      int[] block = blocks(step.node());
      if (graph.nnet().node(step.node()) instanceof Node.OutputNode) {
        for (int row = 0; row < block.length; row++) {
          long t = step.rows().get(row).t() - (long) first;
          block[row] = (int) Math.min(count - 1, t * count / (last - (long) first + 1));
        }
      }
      settle(step, block);
      read(step, block);
    }
    if (blocks.values().stream().allMatch(b -> Arrays.stream(b).allMatch(k -> k == b[0]))) {
      return steps;
    }
    return steps.with(split());
  }

  /** Puts all rows of nodes whose steps go backwards in time into the first block. */
  private void backwardRecurrences() {
    var next = new HashMap<Integer, Integer>();
    for (Step step : steps.all()) {
      if (step.at() < next.getOrDefault(step.node(), 0)) {
        Arrays.fill(blocks(step.node()), 0);
      }
      next.put(step.node(), step.at());
    }
  }

  private int[] blocks(int node) {
    return blocks.computeIfAbsent(
        node,
        _ -> {
          var all = new int[steps.rows(node).size()];
          Arrays.fill(all, count - 1);
          return all;
        });
  }

  /**
   * Makes the blocks ascend with the position, and puts rows that must be computed together into
   * one block.
   */
  private void settle(Step step, int[] block) {
    int end = step.at() + step.rows().size();
    for (int k = Math.min(end, block.length - 1) - 1; k >= step.at(); k--) {
      block[k] = Math.min(block[k], block[k + 1]);
    }
    if (!isDivisible(step)) {
      Arrays.fill(block, step.at(), end, block[step.at()]);
    }
  }

  /** Returns true if some rows of a step can be computed without the others. */
  private boolean isDivisible(Step step) {
    if (step.isSplit()) {
      return false;
    }
    if (!(graph.nnet().node(step.node()) instanceof Node.ComponentNode n)) {
      return true;
    }
    Component component = graph.nnet().component(n);
    return !component.has(Property.USES_MEMO)
        && (component.isSimple() || component.reach().map(TimeOffsets::isFixed).orElse(false));
  }

  /** Returns true if each row reads only the row that the descriptor gathers for it. */
  private boolean isOneToOne(Step step) {
    return !(graph.nnet().node(step.node()) instanceof Node.ComponentNode n)
        || graph.nnet().component(n).isSimple();
  }

  /** Moves the rows that a step reads to the block of their first reader, or an earlier one. */
  private void read(Step step, int[] block) {
    Readers by = readers(step, block);
    GatherPlan gathered =
        GatherPlan.of(
            graph, steps, aliases, graph.nnet().node(step.node()).descriptor(), step.inputs());
    for (GatherPlan.Part part : gathered.parts()) {
      for (GatherPlan.Term term : part.terms()) {
        int[] source = blocks(term.node());
        int[] firstRead =
            reads.computeIfAbsent(
                term.node(),
                _ -> {
                  var none = new int[count];
                  Arrays.fill(none, NONE);
                  return none;
                });
        for (int k = 0; k < by.first.length; k++) {
          int place = term.places()[k];
          for (int b = by.first[k]; place >= 0 && b <= by.last[k]; b++) {
            source[place] = Math.min(source[place], b);
            firstRead[b] = Math.min(firstRead[b], place);
          }
        }
      }
    }
  }

  /** First and last block that read each gathered row. */
  private record Readers(int[] first, int[] last) {}

  private Readers readers(Step step, int[] block) {
    int end = step.at() + step.rows().size();
    if (isOneToOne(step)) {
      int[] same = Arrays.copyOfRange(block, step.at(), end);
      return new Readers(same, same);
    }
    var first = new int[step.inputs().size()];
    var last = new int[first.length];
    if (!isDivisible(step)) {
      Arrays.fill(first, block[step.at()]);
      return new Readers(first, first);
    }
    Arrays.fill(first, NONE);
    Arrays.fill(last, -1);
    inputs(
        step,
        step.rows(),
        (row, place) -> {
          first[place] = Math.min(first[place], block[step.at() + row]);
          last[place] = Math.max(last[place], block[step.at() + row]);
        });
    return new Readers(first, last);
  }

  private interface Pairs {
    void add(int row, int place);
  }

  /**
   * Passes pairs of a component's row and the position of one of its input rows to {@code sink}.
   */
  private void inputs(Step step, List<Index> rows, Pairs sink) {
    var node = (Node.ComponentNode) graph.nnet().node(step.node());
    TimeOffsets reach = graph.nnet().component(node).reach().orElseThrow();
    var inputs = new NodeRows(step.inputs());
    for (int distance : reach.distances()) {
      for (int k = 0; k < rows.size(); k++) {
        Index row = rows.get(k);
        int place = inputs.find(row.at(row.t() + distance, row.x()));
        if (place >= 0) {
          sink.add(k, place);
        }
      }
    }
  }

  private List<Step> split() {
    var all = new ArrayList<Step>();
    for (int block = 0; block < count; block++) {
      for (Step step : steps.all()) {
        if (step.supplied() || aliases.isAlias(step.node())) {
          if (block == 0) {
            all.add(step);
          }
          continue;
        }
        int[] of = blocks(step.node());
        int from = step.at();
        int end = step.at() + step.rows().size();
        while (from < end && of[from] < block) {
          from++;
        }
        int to = from;
        while (to < end && of[to] == block) {
          to++;
        }
        if (from < to) {
          all.add(part(step, from, to, block));
        }
      }
    }
    return all;
  }

  private Step part(Step step, int from, int to, int block) {
    List<Index> rows = step.rows().subList(from - step.at(), to - step.at());
    return new Step(
        step.node(),
        rows,
        rows.size() == step.rows().size() ? step.inputs() : inputs(step, rows),
        from,
        false,
        window(step.node(), block));
  }

  private List<Index> inputs(Step step, List<Index> rows) {
    if (isOneToOne(step)) {
      return rows;
    }
    var used = new BitSet();
    inputs(step, rows, (_, place) -> used.set(place));
    return used.stream().mapToObj(step.inputs()::get).toList();
  }

  private Step.Window window(int node, int block) {
    int[] of = blocks(node);
    int from = 0;
    while (from < of.length && of[from] < block) {
      from++;
    }
    int end = from;
    while (end < of.length && of[end] == block) {
      end++;
    }
    int[] firstRead = reads.get(node);
    int now = NONE;
    int later = NONE;
    for (int b = block; firstRead != null && b < count; b++) {
      now = Math.min(now, firstRead[b]);
      later = b > block ? Math.min(later, firstRead[b]) : later;
    }
    return new Step.Window(block, Math.min(from, now), from, end, Math.min(later, end));
  }
}
