package ristretto.expr.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import ristretto.expr.graph.Barrier.Fourier;
import ristretto.expr.graph.Constant;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.graph.View;
import ristretto.expr.graph.Views;
import ristretto.expr.index.IndexMap;
import ristretto.expr.recording.Update;
import ristretto.expr.type.Shape;
import ristretto.expr.type.Slice;
import ristretto.kernels.fourier.Butterfly;
import ristretto.kernels.fourier.Butterfly.Factor;
import ristretto.kernels.fourier.Factors;
import ristretto.kernels.fourier.Roots;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Kernel.Fourier.Layout;
import ristretto.kernels.ir.KernelNames;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Lowers Fourier transforms: to one kernel of the device, or to a kernel that computes the roots of
 * unity and an element-wise kernel per radix (the Stockham algorithm).
 */
final class LowerFourier {
  private final Fourier op;
  private final AssignmentLowering assignment;
  private final PlanBuilder plan;
  private final Term term;
  private final ScalarType type;
  private final int axis;
  private final long n;

  /** Extents with the transformed axis last. */
  private final long[] extents;

  LowerFourier(Term term, AssignmentLowering assignment) {
    this.term = term;
    this.op = (Fourier) term.operation();
    this.assignment = assignment;
    this.plan = assignment.plan();
    this.type = term.dtype().scalar();
    Shape shape = term.operand(0).shape();
    this.axis = op.axis();
    this.extents = LowerBarrier.axisLast(shape, axis).dims().toArray();
    this.n = shape.at(axis);
  }

  /** Returns the transform whose real and imaginary parts two expressions are, in this order. */
  static Optional<Term> ofParts(Term re, Term im) {
    Term f = re;
    while (f.operation() instanceof View) {
      f = f.operand(0);
    }
    if (!(f.operation() instanceof Fourier op)) {
      return Optional.empty();
    }
    StorageView all = StorageView.contiguous(f.dtype(), null, f.shape());
    boolean both = isPart(re, f, part(all, op, 0)) && isPart(im, f, part(all, op, 1));
    return both ? Optional.of(f) : Optional.empty();
  }

  private static boolean isPart(Term e, Term whole, StorageView part) {
    IndexMap map = map(e, whole);
    return map != null && map.sameElements(part.map());
  }

  /** Map of a view of the elements of an expression; null for other expressions. */
  private static IndexMap map(Term e, Term whole) {
    if (e == whole) {
      return IndexMap.contiguous(whole.shape().toArray());
    }
    IndexMap below = e.operation() instanceof View ? map(e.operand(0), whole) : null;
    IndexMap map = below == null ? null : ((View) e.operation()).op().apply(below);
    return map == null || map.bounded() ? null : map;
  }

  /** Plans the kernels that fill a target with both parts. */
  void run(StorageView to) {
    fill(part(to, op, 0), part(to, op, 1), plan.label(to));
  }

  /** Plans the kernels that fill two targets of equal strides. */
  void run(StorageView re, StorageView im) {
    fill(re, im, plan.label(re) + ", " + plan.label(im));
  }

  private void fill(StorageView toRe, StorageView toIm, String target) {
    Optional<Layout> layout = plan.context().device().transforms();
    if (layout.isPresent() && layout.get() == Layout.PAIRS) {
      pairs(toRe, toIm, target);
      return;
    }
    List<StorageView> planes = operands();
    Operand.Memory re = memory(planes.get(0));
    Optional<Operand.Memory> im = planes.stream().skip(1).findFirst().map(this::memory);
    Operand.Memory[] to = {memory(toRe), memory(toIm)};
    if (layout.isPresent()) {
      transform(target, op.periodic(), op.scale(), re, im, to);
      return;
    }
    // The inverse exchanges the planes, before and after.
    Operand.Memory[] from =
        op.inverse()
            ? new Operand.Memory[] {im.orElse(null), re}
            : new Operand.Memory[] {re, im.orElse(null)};
    stages(from, op.inverse() ? new Operand.Memory[] {to[1], to[0]} : to);
    repeat(toRe, toIm);
  }

  private void transform(
      String target,
      boolean periodic,
      double scale,
      Operand.Memory re,
      Optional<Operand.Memory> im,
      Operand.Memory... to) {
    String name = "fourier_" + term.dtype() + (op.inverse() ? "_inverse" : "") + "_" + n;
    plan.add(
        new Kernel.Fourier(
            name, type, Longs.of(extents), op.inverse(), periodic, scale, re, im, to[0], to[1]),
        target + " = " + term.name());
  }

  /** Copies the first element behind the last one. */
  private void repeat(StorageView re, StorageView im) {
    if (op.periodic()) {
      var parts =
          List.of(
              new Update(element(re, n), Term.of(element(re, 0))),
              new Update(element(im, n), Term.of(element(im, 0))));
      new AssignmentLowering(plan, parts).run();
    }
  }

  /**
   * Plans a transform of pairs between two element-wise kernels: one computes the operands, the
   * other one writes the two planes of the result.
   */
  private void pairs(StorageView toRe, StorageView toIm, String target) {
    StorageView all = assignment.temporary(term.dtype(), pairShape());
    plan.materialized(all, "holds real and imaginary parts", Reason.OPERAND);
    Term re = term.operand(0);
    Term im =
        term.operands().size() > 1 ? term.operand(1) : Constant.filled(term.dtype(), re.shape(), 0);
    var parts = List.of(new Update(ofPairs(all, 0), re), new Update(ofPairs(all, 1), im));
    new AssignmentLowering(plan, parts).run();
    long[] strides = strides(2);
    Operand.Memory[] from = {plane(all, 0, strides), plane(all, 1, strides)};
    transform(plan.label(all), false, 1, from[0], Optional.of(from[1]), from);
    var tape = new TapeBuilder();
    int[] rows = new int[2];
    for (int k = 0; k < 2; k++) {
      int x = tape.input(k, type);
      rows[k] = op.scale() == 1 ? x : tape.apply(Op.MUL, x, tape.constant(type, op.scale()));
    }
    Tape copy = tape.build(rows);
    plan.add(
        new Kernel.Map(
            KernelNames.of("map", copy, type, "strided", 2),
            Longs.of(extents),
            copy,
            List.of(from),
            List.of(memory(toRe), memory(toIm))),
        target + " = parts of " + term.name());
    repeat(toRe, toIm);
  }

  private Shape pairShape() {
    long[] dims = Arrays.copyOf(extents, extents.length + 1);
    dims[extents.length] = 2;
    return Shape.of(dims);
  }

  /** Real or imaginary parts of pairs, in the shape of the operands. */
  private StorageView ofPairs(StorageView all, long which) {
    long[] last = strides(2);
    long[] strides = new long[last.length];
    for (int d = 0; d < strides.length; d++) {
      strides[d] = last[d == axis ? last.length - 1 : d < axis ? d : d - 1];
    }
    return all.with(IndexMap.of(term.operand(0).shape().toArray(), strides, which));
  }

  /** Real or imaginary parts of a result. */
  private static StorageView part(StorageView result, Fourier op, long which) {
    Slice[] slices = new Slice[op.pair() + 1];
    Arrays.fill(slices, Slice.all());
    slices[op.pair()] = Slice.at(which);
    return result.slice(slices);
  }

  /** Element k of the transformed axis. */
  private StorageView element(StorageView part, long k) {
    Slice[] slices = new Slice[axis + 1];
    Arrays.fill(slices, Slice.all());
    slices[axis] = Slice.at(k);
    return part.slice(slices);
  }

  /** Memory of the real and imaginary parts, of equal strides. */
  private List<StorageView> operands() {
    Term re = term.operand(0);
    StorageView a = stored(re);
    if (term.operands().size() == 1) {
      return List.of(a == null ? assignment.memory(re) : a);
    }
    Term im = term.operand(1);
    StorageView b = stored(im);
    if (a == null && b == null) {
      // One kernel stores both parts.
      StorageView both = pair();
      plan.materialized(both, "holds real and imaginary parts", Reason.OPERAND);
      var parts =
          List.of(new Update(both.slice(Slice.at(0)), re), new Update(both.slice(Slice.at(1)), im));
      new AssignmentLowering(plan, parts).run();
      return List.of(both.slice(Slice.at(0)), both.slice(Slice.at(1)));
    }
    a = a == null ? assignment.memory(re) : a;
    b = b == null ? assignment.memory(im) : b;
    boolean same = Arrays.equals(a.map().strides, b.map().strides);
    return same ? List.of(a, b) : List.of(rowMajor(a), rowMajor(b));
  }

  /** Memory of views of a barrier or of memory; null for other expressions. */
  private StorageView stored(Term e) {
    StorageView known = plan.asMemory(e);
    if (known != null) {
      return known;
    }
    if (e.isBarrier()) {
      return assignment.memory(e);
    }
    StorageView below = e.operation() instanceof View ? stored(e.operand(0)) : null;
    IndexMap map = below == null ? null : ((View) e.operation()).op().apply(below.map());
    return map == null || map.bounded() ? null : below.with(map);
  }

  private StorageView rowMajor(StorageView t) {
    return t.map().isContiguous() ? t : assignment.contiguous(Term.of(t));
  }

  /** Planes of a temporary for both parts of the operands or of intermediate results. */
  private StorageView pair() {
    Shape one = Views.unsqueeze(term.operand(0).shape(), 0);
    long[] dims = one.toArray();
    dims[0] = 2;
    return assignment.temporary(term.dtype(), Shape.of(dims));
  }

  private Operand.Memory memory(StorageView t) {
    IndexMap map = LowerBarrier.axisLast(t.shape(), axis).apply(t.map());
    return assignment.memory(t, map);
  }

  // Element-wise kernels

  private void stages(Operand.Memory[] from, Operand.Memory[] to) {
    StorageView roots = assignment.temporary(term.dtype(), Shape.of(2, n));
    Tape rootsTape = Roots.tape(type, n);
    plan.add(
        new Kernel.Map(
            KernelNames.of("map", rootsTape, type, "flat", 2),
            Longs.of(n),
            rootsTape,
            List.of(
                new Operand.Index(ScalarType.I64, new Affine(0, Longs.of(1))),
                new Operand.Index(ScalarType.I64, new Affine(n, Longs.of(0)))),
            List.of(plane(roots, 0, 1), plane(roots, n, 1))),
        plan.label(roots) + " = roots of unity of " + term.name());
    List<Integer> radices = Factors.radices(n);
    Operand.Memory[] at = from;
    long left = n;
    long done = 1;
    StorageView[] temps = new StorageView[2];
    for (int k = 0; k < radices.size(); k++) {
      left /= radices.get(k);
      Operand.Memory[] next = to;
      if (k < radices.size() - 1) {
        if (temps[k % 2] == null) {
          temps[k % 2] = pair();
        }
        next = dense(temps[k % 2]);
      }
      stage(at, next, radices.get(k), left, done, roots);
      done *= radices.get(k);
      at = next;
    }
  }

  private Operand.Memory plane(StorageView t, long offset, long... strides) {
    return new Operand.Memory(
        type, plan.number(t.storage()), new Affine(offset, Longs.of(strides)));
  }

  /** Planes of a temporary, which has the transformed axis last. */
  private Operand.Memory[] dense(StorageView t) {
    long[] strides = strides(1);
    return new Operand.Memory[] {
      plane(t, 0, strides), plane(t, Longs.of(extents).product(), strides)
    };
  }

  /** Row-major strides with the transformed axis last, for a stride of that axis. */
  private long[] strides(long least) {
    long[] strides = new long[extents.length];
    long size = least;
    for (int d = strides.length - 1; d >= 0; d--) {
      strides[d] = size;
      size *= extents[d];
    }
    return strides;
  }

  /**
   * Adds the kernel of one radix. Its space is the batch, then {@code left} groups with factors of
   * their own, then {@code done} elements.
   */
  private void stage(
      Operand.Memory[] from,
      Operand.Memory[] to,
      int radix,
      long left,
      long done,
      StorageView roots) {
    Factor factor = left > 1 ? Factor.TWIDDLES : Factor.NONE;
    Tape tape =
        Butterfly.of(
            type, radix, factor, left > 1 ? 1 : op.scale(), from[0] != null, from[1] != null);
    int rank = extents.length + 1;
    long[] space = Arrays.copyOf(extents, rank);
    space[rank - 2] = left;
    space[rank - 1] = done;
    var inputs = new ArrayList<Operand>();
    for (Operand.Memory m : from) {
      for (int k = 0; m != null && k < radix; k++) {
        inputs.add(at(m, k * left * done, done));
      }
    }
    if (factor == Factor.TWIDDLES) {
      for (int k = 1; k < radix; k++) {
        long[] strides = new long[rank];
        strides[rank - 2] = k * done;
        inputs.add(plane(roots, 0, strides));
        inputs.add(plane(roots, n, strides));
      }
    }
    var stores = new ArrayList<Operand.Memory>();
    for (Operand.Memory m : to) {
      for (int k = 0; k < radix; k++) {
        stores.add(at(m, k * done, radix * done));
      }
    }
    plan.add(
        new Kernel.Map(
            KernelNames.of("fourier" + radix, tape, type, "strided", stores.size()),
            Longs.of(space),
            tape,
            inputs,
            stores),
        "radix " + radix + " of " + term.name());
  }

  /** Elements of the transformed axis by group and element of a stage. */
  private Operand.Memory at(Operand.Memory m, long start, long group) {
    long[] strides = Arrays.copyOf(m.map().strides().toArray(), extents.length + 1);
    long step = strides[extents.length - 1];
    strides[extents.length - 1] = group * step;
    strides[extents.length] = step;
    return new Operand.Memory(
        type, m.buffer(), new Affine(m.map().offset() + start * step, Longs.of(strides)));
  }
}
