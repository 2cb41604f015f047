package ristretto.expr;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Turns expressions into the tape and the operands of one kernel. Reading an expression through a
 * {@link ViewChain} inlines it: maps become rows, views become index maps of the leaves, barriers
 * become memory, or, in a row kernel, reductions over the kernel's own rows.
 */
final class Lowering {
  /** Slots of reduction results while the number of inputs is not known yet. */
  private static final int RESULTS = 1 << 20;

  /**
   * Thrown where a reshape cannot be expressed by index maps; the expression below it is then put
   * into memory.
   */
  static final class NotViewable extends RuntimeException {
    private static final long serialVersionUID = 1L;
    static final NotViewable INSTANCE = new NotViewable();

    private NotViewable() {
      super(null, null, false, false);
    }
  }

  private record Use(Expr<?> expr, ViewChain chain) {
    @Override
    public boolean equals(Object o) {
      return o instanceof Use u && expr == u.expr && java.util.Objects.equals(chain, u.chain);
    }

    @Override
    public int hashCode() {
      return 31 * System.identityHashCode(expr) + (chain == null ? 0 : chain.hashCode());
    }
  }

  /** A value that an earlier store of this same kernel puts into memory. */
  private record Stored(int buffer, IndexMap map, int row) {}

  private final PlanBuilder plan;
  private final RowSpace rows;
  private final Survey survey;
  private final TapeBuilder tape = new TapeBuilder();
  private final Map<Operand, Integer> slots = new LinkedHashMap<>();
  private final List<IndexMap> maps = new ArrayList<>();
  private final Map<Use, Integer> memo = new HashMap<>();
  private final Map<Reduce<?>, Integer> results = new LinkedHashMap<>();
  private final List<Reduction> reductions = new ArrayList<>();
  private final List<Integer> reducedRows = new ArrayList<>();
  private final List<Stored> stored = new ArrayList<>();

  /** Shared expressions that became part of this kernel. */
  private final Set<Expr<?>> inlined = Collections.newSetFromMap(new IdentityHashMap<>());

  private Lowering(PlanBuilder plan, RowSpace rows, Survey survey) {
    this.plan = plan;
    this.rows = rows;
    this.survey = survey;
  }

  static Lowering forMap(PlanBuilder plan) {
    return new Lowering(plan, null, null);
  }

  static Lowering forRows(PlanBuilder plan, RowSpace rows) {
    return new Lowering(plan, rows, null);
  }

  static Lowering forSurvey(PlanBuilder plan, Survey survey) {
    return new Lowering(plan, survey.rows(), survey);
  }

  TapeBuilder tape() {
    return tape;
  }

  /** Survey only: finds out what an expression reads. */
  void survey(Expr<?> expr, ViewChain chain) {
    readNew(expr, chain);
  }

  int read(Expr<?> expr, ViewChain chain) {
    if (survey != null) {
      survey.read(expr, chain);
      return unknown(expr);
    }
    plan.visited(1);
    var use = new Use(expr, chain);
    Integer known = memo.get(use);
    if (known == null) {
      known = readNew(expr, chain);
      memo.put(use, known);
    }
    return known;
  }

  private int readNew(Expr<?> expr, ViewChain chain) {
    Tensor<?> memory = plan.inMemory(expr);
    if (memory != null) {
      return element(memory, chain);
    }
    return switch (expr) {
      case Tensor<?> t -> {
        if (t.isCopy()) {
          yield t.read(new Reads(this, t, chain)).row;
        }
        Expr<?> substitute = plan.substitute(t);
        yield substitute != null ? read(substitute, chain) : element(t, chain);
      }
      case RExpr<?> r -> {
        if (survey == null) {
          if (plan.tooOftenRecomputed(r)) {
            yield element(plan.materialize(r, Reason.RECOMPUTED), chain);
          }
          inlined.add(r);
        }
        yield r.read(new Reads(this, r, chain)).row;
      }
      case LExpr<?> l -> barrier(l, chain);
    };
  }

  /**
   * Reads {@code expr} through one more view; where that has no index map, its elements go to
   * memory first.
   */
  int readThrough(Expr<?> expr, ViewOp op, ViewChain chain) {
    var longer = new ViewChain(op, chain);
    if (!(op instanceof ViewOp.Reshape) && !(op instanceof ViewOp.Windows)) {
      return read(expr, longer);
    }
    try {
      return read(expr, longer);
    } catch (NotViewable e) {
      return element(plan.materialize(expr, Reason.RESHAPE), longer);
    }
  }

  private int barrier(LExpr<?> l, ViewChain chain) {
    if (survey != null) {
      if (rows != null && l instanceof Reduce<?> r && rows.isRowNumber(r, chain)) {
        read(r.inputs().get(0), rows.inputChain(r));
        return unknown(l);
      }
      survey.barrier(l, chain);
      return unknown(l);
    }
    if (rows != null && l instanceof Reduce<?> r && rows.isRowNumber(r, chain)) {
      try {
        return reduce(r);
      } catch (NotViewable e) {
        if (!plan.isActive(l)) {
          return element(plan.materialize(l, Reason.RESHAPE), chain);
        }
        // This kernel is there to compute it: what it reduces goes to memory instead.
        plan.materialize(r.inputs().get(0), Reason.RESHAPE);
        return reduce(r);
      }
    }
    return element(plan.materialize(l, Reason.BARRIER), chain);
  }

  private int reduce(Reduce<?> r) {
    Integer known = results.get(r);
    if (known == null) {
      int value = reduced(r);
      int k = reductions.size();
      var reduction = r.reduction(tape.type(value), k);
      reductions.add(reduction);
      reducedRows.add(value);
      known = tape.input(RESULTS + k, reduction.resultType());
      results.put(r, known);
    }
    return known;
  }

  /** The elements that {@code r} reduces. */
  private int reduced(Reduce<?> r) {
    Expr<?> input = r.inputs().get(0);
    ViewChain chain = rows.inputChain(r);
    try {
      return read(input, chain);
    } catch (NotViewable e) {
      if (!plan.isActive(r)) {
        throw e;
      }
      // The kernel is there for r itself, which cannot be put aside.
      return element(plan.materialize(input, Reason.RESHAPE), chain);
    }
  }

  /** Survey only: a value that will come from memory. */
  private int placeholder(Expr<?> e) {
    survey.needsMemory();
    return unknown(e);
  }

  private int unknown(Expr<?> e) {
    return tape.input(2 * RESULTS + tape.size(), e.dtype().compute());
  }

  private int element(Tensor<?> t, ViewChain chain) {
    IndexMap map = apply(chain, t.layout().map());
    if (map == null) {
      return notViewable(t);
    }
    if (survey != null) {
      return unknown(t);
    }
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

  private IndexMap apply(ViewChain chain, IndexMap map) {
    plan.visited(ViewChain.length(chain));
    return ViewChain.apply(chain, map);
  }

  /** No index map leads to {@code e}: something above it must be in memory. */
  private int notViewable(Expr<?> e) {
    if (survey == null) {
      throw NotViewable.INSTANCE;
    }
    return placeholder(e);
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

  int index(IndexMap numbering, ViewChain chain, Expr<?> expr) {
    IndexMap map = apply(chain, numbering);
    if (map == null) {
      notViewable(expr);
      return tape.input(2 * RESULTS + tape.size(), ScalarType.I64);
    }
    return slot(new Operand.Index(ScalarType.I64, map.affine()), null);
  }

  int number(Expr<?> expr, int k) {
    return plan.scalar(expr, k, this::value, tape);
  }

  private int value(ScalarType type, int argument) {
    return slot(new Operand.Value(type, argument), null);
  }

  int gather(
      Expr<?> expr, int sourceInput, int indexInput, int axis, boolean along, ViewChain chain) {
    Expr<?> sourceExpr = expr.inputs().get(sourceInput);
    Expr<?> indexExpr = expr.inputs().get(indexInput);
    if (survey != null && (plan.asTensor(sourceExpr) == null || plan.asTensor(indexExpr) == null)) {
      return placeholder(expr);
    }
    Tensor<?> source = plan.memory(sourceExpr, Reason.GATHERED);
    Tensor<?> index = plan.memory(indexExpr, Reason.GATHERED);
    long[] dims = expr.shape().toArray();
    int indexRank = index.shape().rank();
    int rank = dims.length;
    long[] sourceStrides = new long[rank];
    long[] indexStrides = new long[rank];
    IndexMap from = source.layout().map();
    IndexMap by = index.layout().map();
    for (int d = 0; d < rank; d++) {
      if (along) {
        sourceStrides[d] = d == axis ? 0 : from.dims[d] == 1 ? 0 : from.strides[d];
        indexStrides[d] = by.strides[d];
      } else if (d >= axis && d < axis + indexRank) {
        indexStrides[d] = by.strides[d - axis];
      } else {
        sourceStrides[d] = from.strides[d < axis ? d : d - indexRank + 1];
      }
    }
    IndexMap map = apply(chain, IndexMap.of(dims, sourceStrides, from.offset));
    IndexMap indexMap = apply(chain, IndexMap.of(dims, indexStrides, by.offset));
    if (map == null || indexMap == null) {
      return notViewable(expr);
    }
    var gather =
        new Operand.Gather(
            index.dtype().scalar(),
            plan.number(index.storage()),
            indexMap.affine(),
            from.strides[axis],
            from.dims[axis]);
    return slot(
        new Operand.Memory(
            source.dtype().scalar(),
            plan.number(source.storage()),
            map.affine(),
            Optional.of(gather),
            map.bounds()),
        map);
  }

  /** From now on, reads of these elements take {@code row}, rounded as memory would round it. */
  void remember(Tensor<?> target, IndexMap map, int row) {
    int rounded = Apply.cast(new Scalar(tape, row), target.dtype().scalar()).row;
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
  Map<Reduce<?>, Integer> results() {
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
