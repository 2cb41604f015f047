package ristretto.kernels.ir;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.kernels.scalar.ScalarType.BOOL;
import static ristretto.kernels.scalar.ScalarType.F32;
import static ristretto.kernels.scalar.ScalarType.F64;
import static ristretto.kernels.scalar.ScalarType.I64;

import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;
import ristretto.kernels.scalar.TapeBuilder;

class VerifyKernelTest {
  private static final Longs SPACE = Longs.of(2, 3);
  private static final Operand.Memory X = memory(F32, 3, 1);

  @Test
  void messageNamesRuleAndPass() {
    assertThatThrownBy(() -> map(List.of(X), memory(F32, 1)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith(
            "[verify] an index map has a stride for every dimension; after fusion; this is a bug of"
                + " Ristretto, please report it\n"
                + "Map[name=k, extents=[2, 3], tape=%0 f32 = input 0\n");
  }

  @Test
  void rulesOfMaps() {
    refused("slot 0 has an operand", () -> map(List.of(), X));
    refused("slot 0 is F32, its operand F64", () -> map(List.of(memory(F64, 3, 1)), X));
    refused("a store of F32 goes to memory of I64", () -> map(List.of(X), memory(I64, 3, 1)));
    refused("every output has a store", () -> map(List.of(X), X, X));
    refused("indices are i32 or i64", () -> map(List.of(new Operand.Index(F32, X.map())), X));
    var bound =
        new Operand.Memory(F32, 0, X.map(), Optional.empty(), List.of(new Operand.Bound(2, 0, 1)));
    refused("bounds name a dimension", () -> map(List.of(bound), X));
    var inside =
        new Operand.Memory(F32, 0, X.map(), Optional.empty(), List.of(new Operand.Bound(0, 0, 1)));
    refused("stores have no gather and no bounds", () -> map(List.of(X), inside));
    refused(
        "names have at most 64 characters",
        () ->
            VerifyKernel.check(
                new Kernel.Map("n".repeat(65), SPACE, copy(), List.of(X), List.of(X)), "fusion"));
  }

  @Test
  void rulesOfRows() {
    refused(
        "kept dimensions exist", () -> row(3, new Reduction(Reduction.Kind.SUM, F32, 0), X, false));
    refused(
        "a reduction's output exists",
        () -> row(1, new Reduction(Reduction.Kind.SUM, F32, 1), X, false));
    refused(
        "a reduction has its output's type",
        () -> row(1, new Reduction(Reduction.Kind.SUM, F64, 0), X, false));
    refused("ANY of F32", () -> row(1, new Reduction(Reduction.Kind.ANY, F32, 0), X, false));
    refused(
        "a lambda has a tape, others have none",
        () -> row(1, new Reduction(Reduction.Kind.LAMBDA, F32, 0), X, false));
    refused(
        "a store per row has row length 1",
        () -> row(1, new Reduction(Reduction.Kind.SUM, F32, 0), X, true));
  }

  @Test
  void rulesOfProducts() {
    refused("operands have the product's type", () -> gemm(memory(F64, 3, 1), memory(F32, 4, 1)));
    refused("strides count the batch and two", () -> gemm(memory(F32, 1), memory(F32, 4, 1)));
    refused(
        "one of an operand's last two strides is 1",
        () -> gemm(memory(F32, 6, 2), memory(F32, 4, 1)));
    refused("the result's rows are contiguous", () -> gemm(memory(F32, 3, 1), memory(F32, 1, 2)));
  }

  @Test
  void rulesOfScattersAndSorts() {
    refused(
        "a scatter's target has an index",
        () -> check(new Kernel.Scatter("k", SPACE, copy(), List.of(X), X)));
    refused(
        "a sort keeps at most the length of a row",
        () -> check(new Kernel.Sort("k", SPACE, false, 4, X, Optional.of(X), Optional.empty())));
    refused(
        "a store of I64 goes to memory of F32",
        () -> check(new Kernel.Sort("k", SPACE, false, 3, X, Optional.empty(), Optional.of(X))));
    refused(
        "a store of BOOL goes to memory of F32",
        () -> check(new Kernel.Map("k", SPACE, compare(), List.of(X), List.of(X))));
  }

  private static Tape compare() {
    var t = new TapeBuilder();
    int less = t.apply(Op.LT, t.input(0, F32), t.constant(F32, 1));
    return t.type(less) == BOOL ? t.build(less) : t.build();
  }

  private static void map(List<Operand> inputs, Operand.Memory... stores) {
    check(new Kernel.Map("k", SPACE, copy(), inputs, List.of(stores)));
  }

  private static void row(int kept, Reduction reduction, Operand.Memory target, boolean perRow) {
    var store = new Kernel.Store(0, target, perRow);
    check(new Kernel.Row("k", SPACE, kept, copy(), List.of(X), List.of(reduction), List.of(store)));
  }

  private static void gemm(Operand.Memory a, Operand.Memory c) {
    check(new Kernel.Gemm("k", F32, Longs.EMPTY, 2, 4, 3, a, memory(F32, 4, 1), c, 1, 0));
  }

  private static void check(Kernel kernel) {
    VerifyKernel.check(kernel, "fusion");
  }

  private static Tape copy() {
    var t = new TapeBuilder();
    return t.build(t.input(0, F32));
  }

  private static Operand.Memory memory(ScalarType type, long... strides) {
    return new Operand.Memory(type, 0, new Affine(0, Longs.of(strides)));
  }

  private static void refused(String rule, ThrowingCallable kernel) {
    assertThatThrownBy(kernel).hasMessageStartingWith("[verify] " + rule + "; after fusion; ");
  }
}
