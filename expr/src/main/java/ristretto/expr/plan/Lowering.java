package ristretto.expr.plan;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import ristretto.expr.formula.Integers;
import ristretto.expr.formula.Scalar;
import ristretto.expr.graph.Barrier;
import ristretto.expr.graph.Barrier.Reduce;
import ristretto.expr.graph.Formula;
import ristretto.expr.graph.Formula.Copy;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.index.IndexMap;
import ristretto.expr.index.ViewChain;
import ristretto.expr.plan.Fragments.Fragment;
import ristretto.expr.plan.Fragments.Gathered;
import ristretto.expr.plan.Fragments.Hole;
import ristretto.expr.plan.Fragments.Position;
import ristretto.expr.plan.Fragments.Reshaped;
import ristretto.expr.plan.Fragments.Use;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Links fragments into the tape and the operands of one kernel: views become index maps of the
 * leaves, reductions over the kernel's own rows become part of it. Everything else that the kernel
 * reads is in memory; see {@link Draft#settle}.
 */
final class Lowering {
  /** Slots of reduction results while the number of inputs is not known yet. */
  private static final int RESULTS = 1 << 20;

  /** An element as a kernel reads it; see {@link Draft.Root} on the base. */
  private record Read(Use use, ViewChain base) {}

  /** A value that an earlier store of this same kernel puts into memory. */
  private record Stored(int buffer, IndexMap map, int row) {}

  private final PlanBuilder plan;
  private final RowSpace rows;
  private final TapeBuilder tape = new TapeBuilder();
  private final Map<Operand, Integer> slots = new LinkedHashMap<>();
  private final List<IndexMap> maps = new ArrayList<>();
  private final Map<Read, Integer> memo = new HashMap<>();
  private final Map<Term, Integer> results = new LinkedHashMap<>();
  private final List<Reduction> reductions = new ArrayList<>();
  private final List<Integer> reducedRows = new ArrayList<>();
  private final List<Stored> stored = new ArrayList<>();

  /** Shared expressions that became part of this kernel. */
  private final Set<Term> inlined = Collections.newSetFromMap(new IdentityHashMap<>());

  /**
   * Starts a kernel without reads.
   *
   * @param rows of a row kernel; null for others
   */
  Lowering(PlanBuilder plan, RowSpace rows) {
    this.plan = plan;
    this.rows = rows;
  }

  /** The parts of a kernel that computes one expression, with what it needs in memory. */
  static Parts of(PlanBuilder plan, Term e, ViewChain chain) {
    var root = new Draft.Root(e, chain, null);
    new Draft(plan, null, List.of(root)).settle();
    var lowering = new Lowering(plan, null);
    return lowering.finish(lowering.read(root));
  }

  /** The row of an expression's element. */
  int read(Draft.Root root) {
    return read(new Use(root.expr(), root.chain()), root.base());
  }

  private int read(Use use, ViewChain base) {
    plan.visited(1);
    var read = new Read(use, base);
    Integer known = memo.get(read);
    if (known == null) {
      known = link(use, base);
      memo.put(read, known);
    }
    return known;
  }

  private int link(Use use, ViewChain base) {
    StorageView memory = plan.inMemory(use.expr());
    if (memory != null) {
      return element(memory, use.chain(), base);
    }
    return switch (use.expr().operation()) {
      case StorageView m -> {
        Term substitute = plan.substitute(m);
        yield substitute == null
            ? element(m, use.chain(), base)
            : read(new Use(substitute, use.chain()), base);
      }
      case Formula f -> {
        if (!(f instanceof Copy)) {
          inlined.add(use.expr());
        }
        yield link(plan.fragments().of(f, use), base);
      }
      case Barrier _ -> {
        Term l = use.expr();
        if (rows == null || !rows.reduces(l, use.chain(), base)) {
          throw new AssertionError("a barrier is not in memory: " + l.name());
        }
        yield reduce(l);
      }
    };
  }

  private int link(Fragment fragment, ViewChain base) {
    int start = fragment.start();
    int[] map = new int[fragment.end() - start];
    for (int k = 0; k < map.length; k++) {
      Node node = plan.fragments().node(start + k);
      map[k] =
          node instanceof Node.Input in
              ? fill(fragment.hole(in), in.type(), base)
              : tape.copy(node, map, start);
    }
    return map[fragment.result() - start];
  }

  private int fill(Hole hole, ScalarType type, ViewChain base) {
    return switch (hole) {
      case Use use -> read(use, base);
      case Reshaped below -> read(below.use(), base);
      case Position p ->
          slot(new Operand.Index(type, apply(p.chain(), base, p.numbering()).affine()), null);
      case Fragments.Number n -> slot(new Operand.Value(type, n.argument()), null);
      case Gathered g -> gather(g, base);
    };
  }

  private int reduce(Term r) {
    Integer known = results.get(r);
    if (known == null) {
      int value = read(new Use(r.operand(0), rows.inputChain(r)), null);
      int k = reductions.size();
      var reduction = ((Reduce) r.operation()).reduction(tape.type(value), k);
      reductions.add(reduction);
      reducedRows.add(value);
      known = wrapped(r, tape.input(RESULTS + k, reduction.resultType()));
      results.put(r, known);
    }
    return known;
  }

  /** Result of a reduction as memory would hold it, where a dtype wraps after each operation. */
  private int wrapped(Term r, int row) {
    return Integers.wraps(r.dtype())
        ? Integers.wrapped(new Scalar(tape, row), r.dtype()).row()
        : row;
  }

  private IndexMap apply(ViewChain chain, ViewChain base, IndexMap map) {
    plan.visited(ViewChain.length(chain));
    IndexMap over = ViewChain.apply(chain, base, map);
    if (over == null) {
      throw new AssertionError("an operand has no index map in the kernel's space");
    }
    return over;
  }

  private int element(StorageView t, ViewChain chain, ViewChain base) {
    IndexMap map = apply(chain, base, t.map());
    int buffer = plan.number(t.storage());
    for (int k = stored.size() - 1; k >= 0; k--) {
      Stored s = stored.get(k);
      if (s.buffer == buffer && s.map.sameElements(map) && !map.bounded()) {
        return s.row;
      }
    }
    var operand =
        new Operand.Memory(
            t.dtype().scalar(), buffer, map.affine(), Optional.empty(), map.bounds());
    return slot(operand, map);
  }

  private int gather(Gathered g, ViewChain base) {
    StorageView source = plan.asMemory(g.source());
    StorageView index = plan.asMemory(g.index());
    IndexMap map = apply(g.chain(), base, g.sourceMap(source, index));
    IndexMap from = source.map();
    int sourceBuffer = plan.number(source.storage());
    var gather =
        new Operand.Gather(
            index.dtype().scalar(),
            plan.number(index.storage()),
            apply(g.chain(), base, g.indexMap(index)).affine(),
            from.strides[g.axis()],
            from.dims[g.axis()]);
    return slot(
        new Operand.Memory(
            source.dtype().scalar(), sourceBuffer, map.affine(), Optional.of(gather), map.bounds()),
        map);
  }

  private int slot(Operand operand, IndexMap map) {
    Integer slot = slots.get(operand);
    if (slot == null) {
      slot = slots.size();
      slots.put(operand, slot);
      maps.add(map);
    }
    return tape.input(slot, operand.type());
  }

  /** Returns true if the kernel reads more operands than the device accepts. */
  boolean exceedsOperands() {
    int most = plan.context().device().mostOperands();
    return slots.size() > most
        && slots.keySet().stream().flatMap(Lowering::arguments).distinct().count() > most;
  }

  private static Stream<Object> arguments(Operand operand) {
    return switch (operand) {
      case Operand.Memory m ->
          Stream.concat(Stream.of(m.buffer()), m.gather().stream().map(Operand.Gather::buffer));
      case Operand.Value v -> Stream.of(v);
      case Operand.Index _ -> Stream.of();
    };
  }

  /** From now on, reads of these elements take {@code row}, rounded as memory would round it. */
  void remember(StorageView target, IndexMap map, int row) {
    int rounded = new Scalar(tape, row).cast(target.dtype()).row();
    stored.add(new Stored(plan.number(target.storage()), map, rounded));
    memo.clear();
  }

  /**
   * The first operand that reads what a store to {@code map} of {@code buffer} writes at another
   * index, or null.
   */
  Operand conflict(int buffer, IndexMap map, boolean anyOverlap) {
    int slot = 0;
    for (Operand operand : slots.keySet()) {
      IndexMap read = maps.get(slot++);
      if (!(operand instanceof Operand.Memory m)) {
        continue;
      }
      if (m.gather().isPresent() && (m.buffer() == buffer || m.gather().get().buffer() == buffer)) {
        return m;
      }
      if (m.buffer() == buffer
          && read.mayOverlap(map)
          && (anyOverlap || read.bounded() || !read.sameElements(map))) {
        return m;
      }
    }
    return null;
  }

  /**
   * The finished parts of a kernel: unused operands and reductions are gone, slots are numbered as
   * the tape uses them.
   */
  record Parts(Tape tape, List<Operand> inputs, List<Reduction> reductions) {}

  /** Row kernels only: reductions over the rows, each with the row of its result. */
  Map<Term, Integer> results() {
    return results;
  }

  Parts finish(int... outputRows) {
    plan.recompute(inlined);
    boolean[] used = usedReductions(outputRows);
    var kept = new ArrayList<Integer>();
    for (int k = 0; k < used.length; k++) {
      if (used[k]) {
        kept.add(k);
      }
    }
    int[] outputs = new int[kept.size() + outputRows.length];
    for (int i = 0; i < kept.size(); i++) {
      outputs[i] = reducedRows.get(kept.get(i));
    }
    System.arraycopy(outputRows, 0, outputs, kept.size(), outputRows.length);
    Tape draft = tape.build(outputs);
    List<Operand> operands = List.copyOf(slots.keySet());
    var inputs = new ArrayList<Operand>();
    var number = new HashMap<Integer, Integer>();
    for (Node node : draft.nodes()) {
      if (node instanceof Node.Input in && in.slot() < RESULTS) {
        number.computeIfAbsent(
            in.slot(),
            slot -> {
              inputs.add(operands.get(slot));
              return inputs.size() - 1;
            });
      }
    }
    var nodes = new ArrayList<Node>();
    for (Node node : draft.nodes()) {
      nodes.add(
          node instanceof Node.Input in
              ? new Node.Input(
                  in.type(),
                  in.slot() < RESULTS
                      ? number.get(in.slot())
                      : inputs.size() + kept.indexOf(in.slot() - RESULTS))
              : node);
    }
    var results = new ArrayList<Reduction>();
    for (int i = 0; i < kept.size(); i++) {
      Reduction r = reductions.get(kept.get(i));
      results.add(new Reduction(r.kind(), r.type(), i, r.combine(), r.identity()));
    }
    return new Parts(new Tape(nodes, draft.outputs()), inputs, results);
  }

  private boolean[] usedReductions(int[] outputRows) {
    boolean[] live = new boolean[tape.size()];
    boolean[] used = new boolean[reductions.size()];
    for (int row : outputRows) {
      live[row] = true;
    }
    for (int row = tape.size() - 1; row >= 0; row--) {
      if (!live[row]) {
        continue;
      }
      Node node = tape.node(row);
      node.forEachOperand(operand -> live[operand] = true);
      if (node instanceof Node.Input in && in.slot() >= RESULTS) {
        int k = in.slot() - RESULTS;
        used[k] = true;
        // The reduced value was read before its result: its row is lower and still to come.
        live[reducedRows.get(k)] = true;
      }
    }
    return used;
  }
}
