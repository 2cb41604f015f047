package ristretto.testkit;

import static ristretto.expr.Ops.F64;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import ristretto.expr.Context;
import ristretto.expr.type.DType;
import ristretto.testkit.OpCase.Domain;

/** Checks of the operations in the case tables, each in a few of its forms. */
final class TableChecks {
  /** Lengths: zero, around the lanes of vectors, and a prime. */
  private static final long[] LENGTHS = {0, 15, 16, 17, 1031};

  private static final List<TensorLayout> CONTIGUOUS = List.of(TensorLayout.CONTIGUOUS);

  /** Maximum number of operations per kernel. */
  private static final int TOGETHER = 12;

  private TableChecks() {}

  // ---- element by element ------------------------------------------------------------------

  static List<Check> elementwise() {
    var checks = new ArrayList<Check>();
    List<OpGroup> groups = OpGroup.of(ElementwiseCases.CASES, TOGETHER);
    for (OpGroup group : groups) {
      for (DType<?> dtype : dtypes(group, groups.indexOf(group))) {
        checks.add(
            grouped(
                group.cases(),
                " of " + dtype,
                dtype,
                (ops, ctx) ->
                    Arrays.stream(LENGTHS)
                        .mapToObj(n -> same(ops, ctx, dtype, CONTIGUOUS, n))
                        .reduce(Worst.NONE, Worst::or)));
      }
    }
    return checks;
  }

  /** Returns the group's first dtype, and another one for every third group. */
  private static List<DType<?>> dtypes(OpGroup group, int number) {
    List<DType<?>> all = group.cases().getFirst().dtypes();
    return number % 3 == 0 && all.size() > 1
        ? new Portion(number / 3).firstAnd(all, 1)
        : all.subList(0, 1);
  }

  /** Checks operands in every layout. */
  static List<Check> layouts() {
    var checks = new ArrayList<Check>();
    List<OpCase> few = ofTwo().subList(0, 4);
    DType<?> dtype = few.getFirst().dtypes().getFirst();
    for (TensorLayout layout : TensorLayout.values()) {
      checks.add(
          grouped(
              few,
              " of " + dtype + " in layout " + layout,
              dtype,
              (ops, ctx) -> {
                same(ops, ctx, dtype, List.of(layout), 6, 6);
                var mixed = List.of(layout, TensorLayout.TRANSPOSED, TensorLayout.FLIPPED);
                return same(ops, ctx, dtype, mixed, 3, 4, 5);
              }));
    }
    return checks;
  }

  /** Returns the largest group of binary operations. */
  private static List<OpCase> ofTwo() {
    return OpGroup.of(ElementwiseCases.CASES, TOGETHER).stream()
        .map(OpGroup::cases)
        .filter(ops -> ops.getFirst().arity() == 2)
        .max(Comparator.comparingInt(List::size))
        .orElseThrow();
  }

  static List<Check> broadcasts() {
    var checks = new ArrayList<Check>();
    List<OpCase> ops = ofTwo();
    DType<?> dtype = ops.getFirst().dtypes().getFirst();
    for (long[][] shapes :
        new long[][][] {
          {{3, 1, 5}, {4, 1}}, {{5}, {3, 5}}, {{}, {7}}, {{2, 3}, {1, 1}}, {{0, 3}, {1, 3}}
        }) {
      checks.add(
          grouped(
              ops,
              " of " + dtype + Arrays.deepToString(shapes),
              dtype,
              (some, ctx) ->
                  new OpGroup(some).check(ctx, dtype, CONTIGUOUS, Arrays.asList(shapes))));
    }
    return checks;
  }

  private interface Together {
    Worst check(List<OpCase> ops, Context ctx);
  }

  private static Check grouped(List<OpCase> ops, String how, DType<?> dtype, Together body) {
    List<Check> parts =
        ops.stream()
            .map(op -> Check.of(op.name() + how, dtype == F64, ctx -> body.check(List.of(op), ctx)))
            .toList();
    return new Check(new OpGroup(ops) + how, dtype == F64, ctx -> body.check(ops, ctx), parts);
  }

  /** Checks operands of one shape. */
  private static Worst same(
      List<OpCase> ops, Context ctx, DType<?> dtype, List<TensorLayout> layouts, long... shape) {
    List<long[]> shapes = Collections.nCopies(ops.getFirst().arity(), shape);
    return new OpGroup(ops).check(ctx, dtype, layouts, shapes);
  }

  // ---- rows --------------------------------------------------------------------------------

  /**
   * Shape, layout and axes of a reduction.
   *
   * @param axes axes to reduce; none means all
   */
  private record Form(TensorLayout layout, List<Integer> axes, long... shape) {
    List<OpCase> cases() {
      return ReductionCases.CASES.stream()
          .filter(op -> !axes.isEmpty() || op.takesSeveral())
          .map(op -> op.along(axes.stream().mapToInt(axis -> axis).toArray()))
          .toList();
    }
  }

  private static final List<Form> FORMS =
      List.of(
          new Form(TensorLayout.CONTIGUOUS, List.of(1), 3, 1031),
          new Form(TensorLayout.CONTIGUOUS, List.of(0), 37, 3),
          new Form(TensorLayout.FLIPPED, List.of(), 2, 3, 17));

  /** Checks reductions of the same rows together. */
  static List<Check> reductions() {
    var checks = new ArrayList<Check>();
    for (Form form : FORMS) {
      for (OpGroup group : OpGroup.of(form.cases(), TOGETHER)) {
        DType<?> dtype = group.cases().getFirst().dtypes().getFirst();
        checks.add(
            grouped(
                group.cases(),
                " of " + dtype + Arrays.toString(form.shape) + " in layout " + form.layout,
                dtype,
                (some, ctx) -> same(some, ctx, dtype, List.of(form.layout), form.shape)));
      }
    }
    return checks;
  }

  /** Checks rows long enough for a device to split. */
  static List<Check> longReductions() {
    return ReductionCases.CASES.stream()
        .filter(op -> op.domain() == Domain.SMALL && op.dtypes().getFirst() != F64)
        .limit(4)
        .map(op -> along(op, 0, 70_001))
        .toList();
  }

  /** Checks every {@code every}-th case on long rows, and on columns or short rows. */
  static List<Check> axes(List<AxesCase> cases, int every) {
    var checks = new ArrayList<Check>();
    for (int k = 0; k < cases.size(); k += every) {
      checks.add(along(cases.get(k), 0, 1031));
      checks.add(k % 2 == 0 ? along(cases.get(k), 0, 17, 5) : along(cases.get(k), -1, 5, 33));
    }
    return checks;
  }

  private static Check along(AxesCase op, int axis, long... shape) {
    DType<?> dtype = op.dtypes().getFirst();
    return Check.of(
        op + " along " + axis + " of " + dtype + Arrays.toString(shape),
        dtype == F64,
        ctx -> op.along(axis).check(ctx, dtype, shape, CONTIGUOUS));
  }

  // ---- shapes of their own -----------------------------------------------------------------

  /** Checks every {@code every}-th case with a few of its shapes. */
  static List<Check> shaped(List<ShapedCase> cases, int every) {
    return IntStream.range(0, cases.size())
        .filter(k -> k % every == 0)
        .mapToObj(k -> {
          ShapedCase op = cases.get(k);
          var portion = new Portion(k);
          DType<?> dtype = portion.of(op.op().dtypes(), 1).getFirst();
          return Check.of(
              op + " of " + dtype,
              dtype == F64,
              ctx ->
                  portion.of(op.shapes(), 2).stream()
                      .map(s -> op.op().check(ctx, dtype, CONTIGUOUS, s))
                      .reduce(Worst.NONE, Worst::or));
        })
        .toList();
  }
}
