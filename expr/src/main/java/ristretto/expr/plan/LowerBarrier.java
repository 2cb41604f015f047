package ristretto.expr.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import ristretto.expr.graph.Barrier;
import ristretto.expr.graph.Barrier.ConcatCopies;
import ristretto.expr.graph.Barrier.Convolve;
import ristretto.expr.graph.Barrier.CustomBarrier;
import ristretto.expr.graph.Barrier.Dot;
import ristretto.expr.graph.Barrier.FoldWindows;
import ristretto.expr.graph.Barrier.Fourier;
import ristretto.expr.graph.Barrier.IntegerDot;
import ristretto.expr.graph.Barrier.Reduce;
import ristretto.expr.graph.Barrier.Scan;
import ristretto.expr.graph.Barrier.Scatter;
import ristretto.expr.graph.Barrier.Sort;
import ristretto.expr.graph.Barrier.ViewScatter;
import ristretto.expr.graph.Constant;
import ristretto.expr.graph.Formula.DropAxes;
import ristretto.expr.graph.Recurrence;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.index.IndexMap;
import ristretto.expr.index.ViewChain;
import ristretto.expr.index.ViewOp;
import ristretto.expr.recording.Update;
import ristretto.expr.type.Shape;
import ristretto.expr.type.Slice;
import ristretto.kernels.device.Device;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.KernelNames;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Lowers the barriers of this library: states what must be in memory, then plans the kernels or
 * assignments that fill the target, which overlaps no input.
 */
public final class LowerBarrier {
  private LowerBarrier() {}

  /** First pass: states requirements on operands. */
  static void prepare(Term term, AssignmentLowering assignment) {
    List<Term> operands = term.operands();
    switch ((Barrier) term.operation()) {
      case Reduce _, Scan _ -> {}
      case Dot _, Sort _, FoldWindows _ -> operands.forEach(assignment::requireMemory);
      case Recurrence _ ->
          operands.stream()
              .filter(e -> !assignment.plan().isLaunchScalar(e))
              .forEach(assignment::requireContiguous);
      case IntegerDot _ -> {
        if (LowerProduct.isTaken(term, assignment)) {
          operands.forEach(assignment::requireMemory);
        }
      }
      case Scatter _ -> {
        assignment.requireMemory(operands.get(0));
        operands.stream().skip(2).forEach(assignment::requireChecked);
      }
      case ViewScatter _, ConcatCopies _ -> operands.forEach(assignment::requireChecked);
      case Fourier _ -> operands.forEach(assignment::requireChecked);
      case Convolve c -> {
        if (isTaken(term, c.key(), assignment.plan().context().device())) {
          operands.forEach(assignment::requireContiguous);
        }
      }
      case CustomBarrier c -> c.prepare(term, assignment);
    }
  }

  /** Second pass: plans the work that fills the target. */
  static void execute(Term term, AssignmentLowering assignment, StorageView to) {
    PlanBuilder plan = assignment.plan();
    switch ((Barrier) term.operation()) {
      case Reduce _ ->
          assignment.assign(to, Term.of(new DropAxes(), term.dtype(), term.shape(), term));
      case Dot _ -> LowerProduct.execute(term, assignment, to);
      case IntegerDot d when LowerProduct.isTaken(term, assignment) ->
          LowerProduct.execute(term, assignment, to);
      case IntegerDot d -> assignment.assign(to, d.sum().apply(term));
      case Scan s -> scan(term, s, assignment, to);
      case Recurrence r -> recurrence(term, r, assignment, to);
      case Sort s -> sort(term, s, assignment, to);
      case Scatter s -> scatter(term, s, assignment, to);
      case Convolve c -> convolve(term, c, assignment, to);
      case Fourier _ -> new LowerFourier(term, assignment).run(to);
      case ViewScatter v -> {
        new AssignmentLowering(plan, to, Constant.literal(to.dtype(), 0)).run();
        new AssignmentLowering(plan, to.view(v.view()), term.operand(0)).run();
      }
      case FoldWindows f -> {
        StorageView windows = assignment.memory(term.operand(0));
        for (Update part : new WindowSums(f.windows(), windows, to).parts()) {
          assignment.assign(part.target(), part.expr());
        }
      }
      case ConcatCopies c -> concat(term, c.axis(), assignment, to);
      case CustomBarrier c -> c.execute(term, assignment, to);
    }
  }

  static ViewOp.Permute axisLast(Shape shape, int axis) {
    int rank = shape.rank();
    long[] axes = new long[rank];
    long[] dims = new long[rank];
    for (int d = 0; d < rank; d++) {
      axes[d] = d == rank - 1 ? axis : d < axis ? d : d + 1;
      dims[d] = shape.at((int) axes[d]);
    }
    return new ViewOp.Permute(Longs.of(axes), Longs.of(dims));
  }

  private static void scan(Term scan, Scan key, AssignmentLowering assignment, StorageView to) {
    ViewOp order = axisLast(scan.shape(), key.axis());
    PlanBuilder plan = assignment.plan();
    Lowering.Parts parts = Lowering.of(plan, scan.operand(0), new ViewChain(order, null));
    int way = (key.reverse() ? 2 : 0) + (key.exclusive() ? 1 : 0);
    plan.add(
        new Kernel.Scan(
            KernelNames.of(
                "scan", parts.tape(), scan.dtype().scalar(), key.op().operation().word(), way),
            order.dims(),
            key.op(),
            key.reverse(),
            key.exclusive(),
            parts.tape(),
            parts.inputs(),
            assignment.memory(to, order.apply(to.map()))),
        plan.label(to) + " = " + scan.name());
  }

  private static void recurrence(
      Term scan, Recurrence op, AssignmentLowering assignment, StorageView to) {
    PlanBuilder plan = assignment.plan();
    if (!to.map().isContiguous()) {
      StorageView temp = assignment.temporary(scan.dtype(), scan.shape());
      plan.materialized(temp, "holds " + scan.name(), Reason.TARGET_LAYOUT);
      recurrence(scan, op, assignment, temp);
      assignment.assign(to, Term.of(temp));
      return;
    }
    int states = op.states();
    long steps = scan.shape().at(states == 1 ? 0 : 1);
    long lanes = steps == 0 ? 0 : scan.shape().size() / steps / states;
    List<Operand> initial = new ArrayList<>();
    List<Operand> inputs = new ArrayList<>();
    List<Operand.Memory> targets = new ArrayList<>();
    for (int k = 0; k < scan.operands().size(); k++) {
      Term e = scan.operand(k);
      // A number that is no launch scalar has one element for all lanes.
      long lane = e.shape().size() == 1 ? 0 : 1;
      Operand operand =
          plan.isLaunchScalar(e)
              ? plan.launchScalar(e)
              : recurrent(plan, assignment.contiguous(e), 0, k < states ? 0 : lanes, lane);
      (k < states ? initial : inputs).add(operand);
    }
    for (int s = 0; s < states; s++) {
      targets.add(recurrent(plan, to, s * steps * lanes, lanes, 1));
    }
    var tape = new TapeBuilder();
    List<ScalarType> captured = op.captured();
    int given = scan.operands().size();
    int[] rows = new int[given + captured.size()];
    for (int k = 0; k < given; k++) {
      rows[k] = tape.input(k, scan.operand(k).dtype().compute());
    }
    for (int k = 0; k < captured.size(); k++) {
      rows[given + k] =
          plan.scalar(
              scan,
              k,
              (type, argument) -> {
                inputs.add(new Operand.Value(type, argument));
                return tape.input(states + inputs.size() - 1, type);
              },
              tape);
    }
    Tape code = tape.build(tape.inline(op.tape(), rows));
    plan.add(
        new Kernel.Recurrence(
            KernelNames.of("scan", code, scan.dtype().scalar(), "lambda", states),
            steps,
            lanes,
            op.reverse(),
            code,
            inputs,
            initial,
            targets),
        plan.label(to) + " = " + scan.name());
  }

  /** Contiguous memory from an element on, with strides along steps and lanes. */
  private static Operand.Memory recurrent(
      PlanBuilder plan, StorageView t, long from, long step, long lane) {
    return new Operand.Memory(
        t.dtype().scalar(),
        plan.number(t.storage()),
        new Affine(t.map().affine().offset() + from, Longs.of(step, lane)));
  }

  private static void sort(Term sort, Sort key, AssignmentLowering assignment, StorageView to) {
    StorageView from = assignment.memory(sort.operand(0));
    ViewOp order = axisLast(from.shape(), key.axis());
    ViewOp toOrder = axisLast(sort.shape(), key.axis());
    Operand.Memory out = assignment.memory(to, toOrder.apply(to.map()));
    Operand.Memory in = assignment.memory(from, order.apply(from.map()));
    PlanBuilder plan = assignment.plan();
    plan.add(
        new Kernel.Sort(
            "sort_" + from.dtype() + (key.descending() ? "_descending" : "_ascending"),
            order.dims(),
            key.descending(),
            key.from(),
            sort.shape().at(key.axis()),
            in,
            key.positions() ? Optional.empty() : Optional.of(out),
            key.positions() ? Optional.of(out) : Optional.empty()),
        plan.label(to) + " = " + sort.name());
  }

  private static void scatter(
      Term scatter, Scatter op, AssignmentLowering assignment, StorageView to) {
    PlanBuilder plan = assignment.plan();
    Runnable initialize =
        scatter.operands().size() < 3
            ? new AssignmentLowering(plan, to, identity(to, op))::run
            : assignment.isTarget(scatter.operand(2), to)
                ? () -> {}
                : new AssignmentLowering(plan, to, scatter.operand(2))::run;
    Term values = scatter.operand(1);
    if (values.shape().size() == 0) {
      initialize.run();
      return;
    }
    StorageView index = assignment.memory(scatter.operand(0));
    Lowering.Parts parts = Lowering.of(plan, values, null);
    // The target is initialized only after all operands are planned: an index error must leave the
    // target unchanged.
    initialize.run();
    int axis = op.axis();
    long[] dims = values.shape().toArray();
    int indexRank = index.shape().rank();
    long[] strides = new long[dims.length];
    long[] indexStrides = new long[dims.length];
    IndexMap into = to.map();
    IndexMap by = index.map();
    for (int d = 0; d < dims.length; d++) {
      if (op.along()) {
        strides[d] = d == axis ? 0 : into.strides[d];
        indexStrides[d] = by.strides[d];
      } else if (d >= axis && d < axis + indexRank) {
        indexStrides[d] = by.strides[d - axis];
      } else {
        strides[d] = into.strides[d < axis ? d : d - indexRank + 1];
      }
    }
    var gather =
        new Operand.Gather(
            index.dtype().scalar(),
            plan.number(index.storage()),
            by.with(dims, indexStrides).affine(),
            into.strides[axis],
            into.dims[axis]);
    plan.add(
        new Kernel.Scatter(
            KernelNames.of(
                "scatter",
                parts.tape(),
                scatter.dtype().scalar(),
                op.op().name().toLowerCase(Locale.ROOT),
                0),
            values.shape().longs(),
            op.op(),
            parts.tape(),
            parts.inputs(),
            new Operand.Memory(
                to.dtype().scalar(),
                plan.number(to.storage()),
                into.with(dims, strides).affine(),
                Optional.of(gather),
                List.of())),
        plan.label(to) + (scatter.operands().size() < 3 ? " += " : " = ") + scatter.name());
  }

  private static Term identity(StorageView to, Scatter op) {
    double value =
        switch (op.op()) {
          case ADD, LAST -> 0;
          case MAX -> to.dtype().isFloat() ? Double.NEGATIVE_INFINITY : to.dtype().least();
          case MIN -> to.dtype().isFloat() ? Double.POSITIVE_INFINITY : to.dtype().most();
        };
    return Constant.literal(to.dtype(), value);
  }

  private static void concat(Term concat, int axis, AssignmentLowering assignment, StorageView to) {
    Slice[] slices = new Slice[axis + 1];
    Arrays.fill(slices, Slice.all());
    long start = 0;
    for (Term part : concat.operands()) {
      long end = start + part.shape().at(axis);
      slices[axis] = Slice.range(start, end);
      new AssignmentLowering(assignment.plan(), to.slice(slices), part).run();
      start = end;
    }
  }

  // Convolutions

  /** Returns true if a library of the device computes a convolution. */
  public static boolean isTaken(Term c, Convolve.Key key, Device device) {
    var none = new Operand.Memory(c.dtype().scalar(), 0, new Affine(0, Longs.of()));
    return c.shape().size() > 0
        && c.operands().stream().allMatch(e -> e.shape().size() > 0)
        && device.convolves(kernel(c, key, none, none, none));
  }

  private static void convolve(Term c, Convolve op, AssignmentLowering assignment, StorageView to) {
    PlanBuilder plan = assignment.plan();
    Convolve.Key key = op.key();
    if (!isTaken(c, key, plan.context().device())) {
      assignment.assign(to, op.product().apply(c));
      return;
    }
    if (!to.map().isContiguous()) {
      StorageView temp = assignment.temporary(c.dtype(), c.shape());
      plan.materialized(temp, "holds convolution", Reason.TARGET_LAYOUT);
      convolve(c, op, assignment, temp);
      assignment.assign(to, Term.of(temp));
      return;
    }
    StorageView first = assignment.contiguous(c.operand(0));
    StorageView second = assignment.contiguous(c.operand(1));
    Kernel.Convolution kernel =
        switch (key.made()) {
          case RESULTS ->
              kernel(
                  c,
                  key,
                  memory(plan, first, key.images()),
                  memory(plan, second, key.filters()),
                  memory(plan, to, key.results()));
          case IMAGES ->
              kernel(
                  c,
                  key,
                  memory(plan, to, key.images()),
                  memory(plan, first, key.filters()),
                  memory(plan, second, key.results()));
          case FILTERS ->
              kernel(
                  c,
                  key,
                  memory(plan, first, key.images()),
                  memory(plan, to, key.filters()),
                  memory(plan, second, key.results()));
        };
    plan.add(kernel, plan.label(to) + " = " + c.name());
  }

  private static Operand.Memory memory(PlanBuilder plan, StorageView t, Longs dims) {
    IndexMap map = new ViewOp.Reshape(dims).apply(t.map());
    return new Operand.Memory(
        t.dtype().scalar(), plan.number(t.storage()), map.affine(), Optional.empty(), List.of());
  }

  private static Kernel.Convolution kernel(
      Term c,
      Convolve.Key key,
      Operand.Memory image,
      Operand.Memory filter,
      Operand.Memory result) {
    String what =
        switch (key.made()) {
          case RESULTS -> "";
          case IMAGES -> "_images";
          case FILTERS -> "_filters";
        };
    return new Kernel.Convolution(
        "conv"
            + what
            + "_"
            + c.dtype()
            + "_"
            + Long.toHexString(key.toString().hashCode() & 0xffffffffL),
        c.dtype().scalar(),
        key.made(),
        key.windows(),
        key.images(),
        key.filters(),
        key.results(),
        image,
        filter,
        result);
  }
}
