package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.*;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.ExprRegistry;
import ristretto.expr.Pair;
import ristretto.expr.Program;
import ristretto.expr.Seed;
import ristretto.expr.Tensor;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.expr.type.U8;
import ristretto.kernels.DeviceException;
import ristretto.kernels.LambdaException;
import ristretto.kernels.ShapeException;

/** The full text of every message about expressions, views, assignments and contexts. */
class MessagesTest {
  private static final Context ctx = TestDevice.open();
  private static final Tensor<F32> x = ctx.ones(F32, 2, 3);
  private static final Tensor<F32> v = ctx.ones(F32, 3);
  private static final Tensor<F32> w = ctx.ones(F32, 4);
  private static final Tensor<I32> i = ctx.ones(I32, 3);
  private static final Tensor<BOOL> b = ctx.tensor(new boolean[] {true, false, true});
  private static final Tensor<F64> d = ctx.ones(F64, 3);

  private interface Body {
    void run();
  }

  private static DynamicTest message(Class<?> type, String text, Body body) {
    return DynamicTest.dynamicTest(
        text, () -> assertThatThrownBy(body::run).isInstanceOf(type).hasMessage(text));
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static void assign(Context c, Tensor t, Expr e) {
    c.assign(t, e);
  }

  @TestFactory
  @SuppressWarnings({"unchecked", "rawtypes"})
  Stream<DynamicTest> messages() {
    return Stream.of(
        message(
            ShapeException.class,
            "[add] shapes must broadcast; got a f32[2,3], b f32[4]; last axis: 3 vs 4. "
                + "Reshape one of them.",
            () -> x.plus(w)),
        message(
            ShapeException.class,
            "[add] shapes must broadcast; got a f32[2,1,4], b f32[3,3]; last axis: 4 "
                + "vs 3. Reshape one of them.",
            () -> ctx.ones(F32, 2, 1, 4).plus(ctx.ones(F32, 3, 3))),
        message(
            ShapeException.class,
            "[add] dtypes must be equal; got a f32[3], b f64[3]; cast one of them.",
            () -> ((Expr) v).plus((Expr) d)),
        message(
            ShapeException.class,
            "[exp] operands must be floating point; got i32[3]; cast first, as in "
                + "x.cast(F32).",
            () -> exp(i)),
        message(
            ShapeException.class,
            "[and] dtypes must be equal; got a i32[3], b f32[3]; cast one of them.",
            () -> i.and(1).and((Expr) v)),
        message(
            ShapeException.class,
            "[and] operands must be integers or bool; got f32[3]; cast first, as in "
                + "x.cast(I32).",
            () -> v.and(v)),
        message(
            ShapeException.class,
            "[where] shapes must broadcast; got a f32[2,3], b f32[4]; last axis: 3 vs "
                + "4. Reshape one of them.",
            () -> where(b, x, w)),
        message(
            ShapeException.class,
            "[where] dtypes must be equal; got a f32[3], b f64[3]; cast one of them.",
            () -> where(b, v, (Expr) d)),
        message(
            ShapeException.class,
            "[fma] shapes must broadcast; got a f32[2,3], b f32[4]; last axis: 3 vs 4. "
                + "Reshape one of them.",
            () -> fma(x, w, x)),
        message(
            ShapeException.class,
            "[reshape] the number of elements must not change; got [2,3] (6 elements) to "
                + "[4,2] (8)",
            () -> x.reshape(4, 2)),
        message(
            ShapeException.class,
            "[reshape] the elements must divide evenly; got [2,3] (6 elements) to [4, " + "-1]",
            () -> x.reshape(4, -1)),
        message(
            ShapeException.class,
            "[reshape] extents must be at least 0, and one of them may be -1; got [-1, " + "-1]",
            () -> x.reshape(-1, -1)),
        message(
            ShapeException.class,
            "[permute] axes must name each axis once; got [0, 0] for shape [2,3]",
            () -> x.permute(0, 0)),
        message(
            ShapeException.class,
            "[permute] axes must name each axis once; got [0] for shape [2,3]",
            () -> x.permute(0)),
        message(
            ShapeException.class,
            "[expand] only extents of 1 may grow; got [2,3] to [2, 4]",
            () -> x.expand(2, 4)),
        message(
            ShapeException.class,
            "[squeeze] a squeezed axis must have extent 1; got axis 0 of shape [2,3]",
            () -> x.squeeze(0)),
        message(
            ShapeException.class,
            "[unsqueeze] axis must lie in [-3, 3); got axis 5 for shape [2,3]",
            () -> x.unsqueeze(5)),
        message(
            ShapeException.class,
            "[slice] there must be at most one slice per axis; got 3 for shape [2,3]",
            () -> x.slice(all(), all(), all())),
        message(
            ShapeException.class,
            "[slice] position must lie in [-2, 2); got at(2) for axis 0 of shape [2,3]",
            () -> x.slice(at(2))),
        message(
            ShapeException.class,
            "[slice] a step must not be 0; got 0 for axis 0 of shape [2,3]",
            () -> x.slice(range(0, 2, 0))),
        message(
            ShapeException.class,
            "[flip] axis must lie in [-2, 2); got axis 2 for shape [2,3]",
            () -> x.flip(2)),
        message(
            ShapeException.class,
            "[sum] axis must lie in [-2, 2); got axis 2 for shape [2,3]",
            () -> sum(x, 2)),
        message(
            ShapeException.class,
            "[sum] axis must lie in [-2, 2); got axis -3 for shape [2,3]",
            () -> sum(x, -3)),
        message(
            ShapeException.class,
            "[sum] operands must be numbers; got bool[3]; cast first, as in "
                + "x.cast(I32), or use any, all or countNonZero.",
            () -> sum(b, new int[] {0})),
        message(
            ShapeException.class,
            "[max] the reduced axes must not be empty; got f32[0]; max of no "
                + "elements is undefined.",
            () -> max(ctx.zeros(F32, 0))),
        message(
            ShapeException.class,
            "[argMax] the reduced axes must not be empty; got f32[0,3]; argMax "
                + "of no elements is undefined.",
            () -> argMax(ctx.zeros(F32, 0, 3), 0)),
        message(
            ShapeException.class,
            "[mean] operands must be floating point; got i32[3]; cast first, as in "
                + "x.cast(F64).",
            () -> mean(i, new int[] {0})),
        message(
            ShapeException.class,
            "[softmax] operands must be floating point; got i32[3]; cast first, as in "
                + "x.cast(F64).",
            () -> softmax(i, 0)),
        message(
            ShapeException.class,
            "[cumSum] operands must be numbers; got bool[3]; cast first.",
            () -> cumSum(b, 0)),
        message(
            ShapeException.class,
            "[concat] parts must have equal extents except along axis 0; got f32[2,3] and f32[3].",
            () -> concat(0, x, v)),
        message(
            ShapeException.class,
            "[concat] parts must have equal extents except along axis 0; got f32[2,3] and"
                + " f32[2,4].",
            () -> concat(0, x, ctx.ones(F32, 2, 4))),
        message(
            ShapeException.class,
            "[concat] there must be at least one part; got none.",
            () -> concat(0, List.<Expr<F32>>of())),
        message(
            ShapeException.class,
            "[stack] parts must have the same shape; got f32[3] and f32[4].",
            () -> stack(0, v, w)),
        message(
            ShapeException.class,
            "[split] the axis must divide into equal parts; got 2 parts of axis 1 of "
                + "f32[2,3]; use slice for unequal ones.",
            () -> split(x, 2, 1)),
        message(
            ShapeException.class,
            "[pad] there must be two amounts per axis; got 1 for f32[2,3].",
            () -> pad(x, 1)),
        message(
            ShapeException.class,
            "[pad] amounts must not be negative; got -1; slice to remove elements.",
            () -> pad(x, -1, 0)),
        message(
            ShapeException.class,
            "[pad] extents must fit in 63 bits; got amounts 9223372036854775804 and 1 for axis 1 of"
                + " f32[2,3]; pad less.",
            () -> pad(x, 0, 0, Long.MAX_VALUE - 3, 1)),
        message(
            ShapeException.class,
            "[layerNorm] epsilon must be finite and at least 0; got NaN; 1e-5 is usual.",
            () -> layerNorm(x, 1, Double.NaN)),
        message(
            ShapeException.class,
            "[layerNorm] epsilon must be finite and at least 0; got -1.0; 1e-5 is usual.",
            () -> layerNorm(x, 1, -1)),
        message(
            ShapeException.class,
            "[isClose] rtol must be finite and at least 0; got NaN; 1e-5 is usual.",
            () -> isClose(x, x, Double.NaN, 0)),
        message(
            ShapeException.class,
            "[isClose] atol must be finite and at least 0; got -Infinity; 1e-5 is usual.",
            () -> isClose(x, x, 0, Double.NEGATIVE_INFINITY)),
        message(
            ShapeException.class,
            "[number] numbers with an expression of i32 must be from -2147483648 to 2147483647; got"
                + " 2900000000; cast the expression first, as in x.cast(I64).",
            () -> ctx.arange(I32, 0, 3e9, 1e8)),
        message(
            ShapeException.class,
            "[number] numbers with an expression of u8 must be from 0 to 255; got 300; cast the"
                + " expression first, as in x.cast(I64).",
            () -> ctx.linspace(U8, 0, 300, 3)),
        message(
            ShapeException.class, "[tile] counts must not be negative; got -1.", () -> tile(x, -1)),
        message(
            ShapeException.class,
            "[repeat] the count must not be negative; got -1.",
            () -> repeat(x, -1, 0)),
        message(
            ShapeException.class,
            "[tril] the operand must have two axes or more; got f32[3].",
            () -> tril(v)),
        message(
            ShapeException.class,
            "[diagonal] the operand must have two axes or more; got f32[3].",
            () -> diagonal(v)),
        message(
            ShapeException.class,
            "[take] indices must be i32 or i64; got f32[3]; cast them: i.cast(I64).",
            () -> take(x, v, 0)),
        message(
            ShapeException.class,
            "[take] indices must lie in [-2, 2); got 5 at position 1; check the indices or the "
                + "axis they select from",
            () -> ctx.eval(take(x, ctx.tensor(new int[] {0, 5}), 0))),
        message(
            ShapeException.class,
            "[scatterAdd] indices must lie in [-2, 2); got 7 at position 0; check the indices or "
                + "the axis they select of the shape",
            () -> ctx.eval(scatterAdd(Shape.of(2, 3), 0, ctx.tensor(new int[] {7, 1}), x))),
        message(
            ShapeException.class,
            "[number] numbers with an expression of i32 must be whole; got 0.5; cast the "
                + "expression first, as in x.cast(F32).",
            () -> fill(I32, 0.5, 3)),
        message(
            ShapeException.class,
            "[toRadians] operands must be floating point; got i32[3]; cast first, as in "
                + "x.cast(F64).",
            () -> toRadians(i)),
        message(
            ShapeException.class,
            "[isClose] operands must be floating point; got i32[3]; cast first, as in x.cast(F64).",
            () -> isClose(i, i, 1e-5, 1e-8)),
        message(
            ShapeException.class,
            "[sum] axes must be distinct; got [0, -2] for shape [2,3]",
            () -> sum(x, 0, -2)),
        message(
            ShapeException.class,
            "[takeAlongAxis] shapes must broadcast except along axis 1; got a f32[2,3], indices "
                + "i32[3,3].",
            () -> takeAlongAxis(x, ctx.ones(I32, 3, 3), 1)),
        message(
            ShapeException.class,
            "[scatterAdd] values must broadcast to [3], the shape with axis 0 replaced "
                + "by the indices' axes; got values f32[2,3], indices i32[3], shape [4].",
            () -> scatterAdd(Shape.of(4), 0, i, x)),
        message(
            ShapeException.class,
            "[scatterAdd] values must be numbers; got bool[3]; cast first.",
            () -> scatterAdd(Shape.of(4), 0, i, b)),
        message(
            ShapeException.class,
            "[topK] k must lie between 0 and the extent of the axis; got 4 for axis 0 "
                + "of f32[3].",
            () -> topK(v, 4, 0)),
        message(
            ShapeException.class,
            "[normal] the dtype must be floating point; got i32; use F32 or F64.",
            () -> normal(I32, 1, 3)),
        message(
            ShapeException.class,
            "[randomIntegers] high must be above low; got low 5, high 5.",
            () -> randomIntegers(I32, 1, 5, 5, 3)),
        message(
            ShapeException.class,
            "[randomIntegers] the numbers must fit the dtype, and their count 63 bits; got low 0,"
                + " high 257 for u8; use uniform for all values of a dtype.",
            () -> randomIntegers(U8, 1, 0, 257, 3)),
        message(
            ShapeException.class,
            "[randomIntegers] the numbers must fit the dtype, and their count 63 bits; got low"
                + " -9223372036854775808, high 1 for i64; use uniform for all values of a dtype.",
            () -> randomIntegers(I64, 1, Long.MIN_VALUE, 1, 3)),
        message(
            ShapeException.class,
            "[uniform] the seed must be one i64 element; got i64[3].",
            () -> uniform(F32, i.cast(I64), 3)),
        message(
            ShapeException.class,
            "[dot] inner extents must be equal; got a f32[2,3], b f32[2,3]; 3 vs 2. "
                + "Transpose one of them?",
            () -> dot(x, x)),
        message(
            ShapeException.class,
            "[dot] operands must have an axis; got a f32[2,3], b f32[]; use times for "
                + "scalars.",
            () -> dot(x, scalar(F32, 1))),
        message(
            ShapeException.class,
            "[dot] operands must be numbers; got bool[3]; cast first.",
            () -> dot(b, b)),
        message(
            ShapeException.class,
            "[dot] leading axes must broadcast; got a f32[2,3,4], b f32[3,4,5]. "
                + "Reshape one of them.",
            () -> dot(ctx.ones(F32, 2, 3, 4), ctx.ones(F32, 3, 4, 5))),
        message(
            ShapeException.class,
            "[einsum] the equation must name the axes of each operand by letters, as "
                + "in \"ij,jk->ik\"; got \"ij,jk->ik\" for 1 operand.",
            () -> einsum("ij,jk->ik", x)),
        message(
            ShapeException.class,
            "[einsum] the equation must name the axes of each operand by letters, as "
                + "in \"ij,jk->ik\"; got \"i1,jk->ik\" for 2 operands.",
            () -> einsum("i1,jk->ik", x, x)),
        message(
            ShapeException.class,
            "[einsum] each letter of the result must occur there once, and in an operand; got 'z'"
                + " in \"ij,jk->iz\".",
            () -> einsum("ij,jk->iz", x, x.t())),
        message(
            ShapeException.class,
            "[einsum] an operand must have one letter per axis; got \"ijk\" for f32[2,3] "
                + "in \"ijk->i\".",
            () -> einsum("ijk->i", x)),
        message(
            ShapeException.class,
            "[einsum] an operand must have one axis per letter besides the ellipsis; got "
                + "\"...ijk\" for f32[2,3] in \"...ijk->i\".",
            () -> einsum("...ijk->i", x)),
        message(
            ShapeException.class,
            "[einsum] axes covered by an ellipsis must broadcast; got 2 and 3 in "
                + "\"...i,...i->...\" with f32[2,3].",
            () -> einsum("...i,...i->...", x, ctx.ones(F32, 3, 3))),
        message(
            ShapeException.class,
            "[einsum] axes with the same letter must have equal extents; got 'j' with 3 and 2 in "
                + "\"ij,jk->ik\".",
            () -> einsum("ij,jk->ik", x, x)),
        message(
            ShapeException.class,
            "[call] an operator must be registered for its inputs; got \"nothing\" "
                + "[f32]; the name is not registered.",
            () -> call(F32, "nothing", v)),
        message(
            ShapeException.class,
            "[call] an operator must be registered for its inputs; got \"taken\" [f64]; "
                + "the name is not registered.",
            () -> call(F32, "taken", d)),
        message(
            ShapeException.class,
            "[call] an operator must be registered for its inputs; got \"taken\" [f32]; "
                + "the name is not registered.",
            () -> call(F64, "taken", v)),
        message(
            ShapeException.class,
            "[register] a name must be unused for its dtypes; \"taken\" [f32] is "
                + "registered already.",
            () -> {
              ExprRegistry.register("taken", List.of(F32), in -> in.get(0));
              ExprRegistry.register("taken", List.of(F32), in -> in.get(0));
            }),
        message(
            ShapeException.class,
            "[map] shapes must broadcast; got f32[3], f32[4]. Reshape one of them.",
            () -> map(v, w, (p, q) -> p + q)),
        message(
            ShapeException.class,
            "[item] the tensor must have one element; got f32[2,3]; use toFloatArray() "
                + "or slice it first.",
            () -> x.item()),
        message(
            ShapeException.class,
            "[toDoubleArray] the dtype must be f64; got f32[2,3]; cast it first: "
                + "ctx.eval(x.cast(F64)).",
            () -> x.toDoubleArray()),
        message(
            ShapeException.class,
            "[tensor] the data must fill the shape; got 3 elements for f32[2,2] (4 " + "elements).",
            () -> ctx.tensor(new float[] {1, 2, 3}, 2, 2)),
        message(
            ShapeException.class,
            "[tensor] rows must have the same length; got 2 in row 0 and 1 in row 1; pad "
                + "the shorter one.",
            () -> ctx.tensor(new float[][] {{1, 2}, {3}})),
        message(
            ShapeException.class,
            "[shape] extents must not be negative; got [-1]",
            () -> ctx.zeros(F32, -1)),
        message(
            ShapeException.class,
            "[shape] the number of elements must fit in 63 bits; got [1099511627776, "
                + "1099511627776]",
            () -> ctx.zeros(F32, 1L << 40, 1L << 40)),
        message(
            ShapeException.class,
            "[arange] the step must not be 0; got 0.0.",
            () -> ctx.arange(F32, 0, 3, 0)),
        message(
            ShapeException.class,
            "[arange] start must be finite; got -Infinity.",
            () -> ctx.arange(F32, Double.NEGATIVE_INFINITY, 3, 1)),
        message(
            ShapeException.class,
            "[arange] stop must be finite; got NaN.",
            () -> ctx.arange(F32, 0, Double.NaN, 1)),
        message(
            ShapeException.class,
            "[arange] step must be finite; got NaN.",
            () -> ctx.arange(F32, 0, 3, Double.NaN)),
        message(
            ShapeException.class,
            "[arange] the count of numbers must fit 63 bits; got start 0.0, stop 1.0E300, step 1.0;"
                + " choose a larger step.",
            () -> ctx.arange(F64, 0, 1e300, 1)),
        message(
            ShapeException.class,
            "[linspace] stop must be finite; got Infinity.",
            () -> ctx.linspace(F32, 0, Double.POSITIVE_INFINITY, 3)),
        message(
            ShapeException.class,
            "[linspace] n must not be negative; got -1.",
            () -> ctx.linspace(F32, 0, 1, -1)),
        message(
            ShapeException.class, "[eye] n must not be negative; got -2.", () -> ctx.eye(F32, -2)),
        message(
            ShapeException.class,
            "[tensor] the data must fill the shape; got 2 elements for f32[] (1 elements).",
            () -> ctx.tensor(new float[2], Shape.of())),
        message(
            ShapeException.class,
            "[number] numbers with an expression of u8 must be from 0 to 255; got 300; cast the"
                + " expression first, as in x.cast(I64).",
            () -> ctx.ones(U8, 3).plus(300)),
        message(
            ShapeException.class,
            "[number] numbers with an expression of u64 must be from 0 to 18446744073709551615; got"
                + " -1; cast the expression first, as in x.cast(F64).",
            () -> ctx.ones(U64, 3).plus(-1)),
        message(
            ShapeException.class,
            "[tensor] elements of u16 must be from 0 to 65535; got -2 at position 1; choose a wider"
                + " dtype.",
            () -> ctx.tensor(U16, new int[] {3, -2})),
        message(
            ShapeException.class,
            "[toShortArray] the dtype must be i16; got u16[3]; cast it first:"
                + " ctx.eval(x.cast(I16)).",
            () -> ctx.ones(U16, 3).toShortArray()),
        message(
            ShapeException.class,
            "[toLongArray] the dtype must be i64; got u64[3]; cast it first:"
                + " ctx.eval(x.cast(I64)).",
            () -> ctx.ones(U64, 3).toLongArray()),
        message(
            ShapeException.class,
            "[number] numbers with an expression of i32 must be from -2147483648 to 2147483647; got"
                + " 5000000000; cast the expression first, as in x.cast(I64).",
            () -> i.plus(5_000_000_000L)),
        message(
            ShapeException.class,
            "[number] numbers with an expression of i64 must be from -9223372036854775808 to"
                + " 9223372036854775807; got 9223372036854775808; cast the expression first, as in"
                + " x.cast(F64).",
            () -> ctx.ones(I64, 3).times(0x1p63)),
        message(
            ShapeException.class,
            "[number] numbers with an expression of i8 must be from -128 to 127; got Infinity; cast"
                + " the expression first, as in x.cast(I64).",
            () -> ctx.ones(I8, 3).minus(Double.POSITIVE_INFINITY)),
        message(
            ShapeException.class,
            "[number] numbers with an expression of bool must be from 0 to 1; got 2; cast the"
                + " expression first, as in x.cast(I64).",
            () -> ctx.full(BOOL, 2, 3)),
        message(
            ShapeException.class,
            "[Seed] the seed must be one i64 element; got i64[2].",
            () -> Seed.of(ctx.ones(I64, 2))),
        message(
            ShapeException.class,
            "[fold] the number must be one i64 element; got i64[2].",
            () -> Seed.of(1).fold(ctx.ones(I64, 2))),
        message(
            ShapeException.class,
            "[split] the number of seeds must not be negative; got -1.",
            () -> Seed.of(1).split(-1)),
        message(
            ShapeException.class,
            "[Seed] a seed must be made from Java numbers to have a key; got i64[]; use value().",
            () -> Seed.of(ctx.ones(I64, 1)).number()),
        message(
            ShapeException.class,
            "[assign] dtypes must be equal; got target f32[3], expression f64[3]; cast "
                + "the expression.",
            () -> {
              assign(ctx, (Tensor) v, (Expr) d);
            }),
        message(
            ShapeException.class,
            "[assign] the expression must broadcast to the target; got target f32[3], "
                + "expression f32[2,3]. Reshape one of them.",
            () -> {
              assign(ctx, v, x);
            }),
        message(
            ShapeException.class,
            "[assign] the target must be a view of memory; got a reshape of f32[6] "
                + "that is a copy; assign to the tensor it was made from.",
            () -> {
              assign(ctx, x.t().reshape(6), ctx.ones(F32, 6));
            }),
        message(
            ShapeException.class,
            "[assign] elements of the target must be distinct; got f32[2,3] which "
                + "repeats along axis 0; assign to the tensor it was expanded from.",
            () -> {
              assign(ctx, v.expand(2, 3), x);
            }),
        message(
            ShapeException.class,
            "[assign] the target must belong to this context; got a tensor of another "
                + "one; copy it over with ctx.tensor(other.toFloatArray(), ...).",
            () -> {
              assign(TestDevice.open(), v, v);
            }),
        message(
            ShapeException.class,
            "[assignAll] targets must have the same shape; got f32[3] and f32[4]; use one "
                + "assignment each.",
            () -> {
              ctx.assignAll(Pair.of(v, v), Pair.of(w, w));
            }),
        message(
            ShapeException.class,
            "[record] recordings must not be nested; end the outer one first.",
            () -> ctx.record(() -> ctx.record(() -> {}))),
        message(
            DeviceException.class,
            "[open] device indices of cpu must be below 1; got \"cpu:3\"; choose one that"
                + " ./ristretto devices lists.",
            () -> Context.open("cpu:3")),
        message(
            DeviceException.class,
            "[open] the part after the colon must be an index from 0, or a word of a device's"
                + " description; got \"cpu:x\"; use one of the descriptions that ./ristretto"
                + " devices lists, as in opencl:gpu.",
            () -> Context.open("cpu:x")),
        message(
            ShapeException.class,
            "[sub] shapes must broadcast; got a f32[3], b f32[4]; last axis: 3 vs 4. "
                + "Reshape one of them.",
            () -> ctx.explain(v.minus(w))),
        message(
            ShapeException.class,
            "[number] numbers with an expression of i32 must be whole; got 0.5; cast the expression"
                + " first, as in x.cast(F32).",
            () -> i.times(0.5)),
        message(
            ShapeException.class,
            "[assign] all tensors of an expression must belong to this context; got one of another "
                + "context; copy it over with ctx.tensor(other.toFloatArray(), ...).",
            () -> {
              try (Context other = TestDevice.open()) {
                other.eval(v.plus(1));
              }
            }));
  }

  @TestFactory
  Stream<DynamicTest> capturingReduction() {
    float k = x.shape().rank();
    return Stream.of(
        DynamicTest.dynamicTest(
            "captured value",
            () ->
                assertThatThrownBy(() -> reduce(v, 0f, (p, q) -> p + q * k))
                    .isInstanceOf(LambdaException.class)
                    .hasMessageMatching(
                        "\\[reduce\\] a reducing lambda must not capture values; got the lambda in"
                            + " ristretto\\.testkit\\.MessagesTest\\..*"
                            + " \\(MessagesTest\\.java:\\d+\\); use constants, or map before or"
                            + " after\\.")));
  }

  @TestFactory
  Stream<DynamicTest> useAfterClose() {
    Context closed = TestDevice.open();
    Tensor<F32> t = closed.ones(F32, 1);
    Program p = closed.record(() -> closed.assign(t, t.plus(1)));
    closed.close();
    return Stream.of(
        message(
            ristretto.kernels.ClosedException.class,
            "[empty] the context must be open; it was closed. Open another one.",
            () -> closed.ones(F32, 3)),
        message(
            ristretto.kernels.ClosedException.class,
            "[read] the context must be open; it was closed. Open another one.",
            t::item),
        message(
            ristretto.kernels.ClosedException.class,
            "[run] the context must be open; it was closed. Open another one.",
            p::run),
        message(
            ristretto.kernels.ClosedException.class,
            "[assign] the context must be open; it was closed. Open another one.",
            () -> closed.assign(t, t.plus(1))));
  }
}
