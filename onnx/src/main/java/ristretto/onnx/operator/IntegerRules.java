package ristretto.onnx.operator;

import java.util.List;
import java.util.Locale;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.onnx.call.NodeCall;
import ristretto.onnx.call.Value;
import ristretto.onnx.file.ElementType;

/** Operators on the bits of integers, and linear quantization. */
final class IntegerRules {
  /** Number of F32 among the element types. */
  private static final long FLOAT = 1;

  private IntegerRules() {}

  static void addTo(Rules rules) {
    rules.computes("BitwiseAnd", n -> n.in(0).and(n.in(1)));
    rules.computes("BitwiseOr", n -> n.in(0).or(n.in(1)));
    rules.computes("BitwiseXor", n -> n.in(0).xor(n.in(1)));
    rules.computes("BitwiseNot", n -> n.in(0).not());
    rules.computes("BitShift", IntegerRules::shift);
    rules.add("QuantizeLinear", IntegerRules::quantize);
    rules.add("DequantizeLinear", IntegerRules::dequantize);
    rules.add("DynamicQuantizeLinear", IntegerRules::dynamic);
    rules.add("QLinearMatMul", IntegerRules::product);
  }

  private static Expr<?> shift(NodeCall n) {
    Expr<Object> a = n.in(0);
    Expr<Object> count = n.in(1);
    boolean left = n.text("direction", "").equals("LEFT");
    int bits = n.value(0).type().integerBits();
    Expr<Object> wide = a.dtype().bytes() == 1 ? NodeCall.erase(a.cast(Ops.I32)) : a;
    Expr<Object> by = count.cast(wide.dtype());
    Expr<Object> shifted;
    if (left) {
      shifted = wide.shiftLeft(by);
    } else if (n.value(0).type() == ElementType.UINT64) {
      // Sign bits that an arithmetic shift inserts are masked, for counts above 0.
      Expr<Object> one = NodeCall.number(wide, 1);
      Expr<Object> mask = one.shiftLeft(NodeCall.number(wide, bits).minus(by)).minus(one);
      shifted = Ops.where(by.eq(0L), wide, wide.shiftRight(by).and(mask));
    } else {
      shifted = wide.shiftRight(by);
    }
    Expr<Object> zero = NodeCall.number(wide, 0);
    return Ops.where(by.ge((long) bits), zero, shifted).cast(a.dtype());
  }

  /** Scale or zero point, so that it broadcasts against the values. */
  private static Expr<Object> along(NodeCall n, int i, long axis, long block) {
    Expr<Object> e = n.in(i);
    if (e.shape().size() == 1 && e.shape().rank() <= 1) {
      return e.shape().rank() == 0 ? e : e.reshape();
    }
    int rank = n.rank(0);
    int d = n.axis(axis, rank);
    if (e.shape().rank() == rank && block > 0) {
      Expr<Object> repeated = Ops.repeat(e, block, d);
      return repeated.shape().at(d) == n.shape(0).at(d)
          ? repeated
          : repeated.slice(ViewRules.part(rank, d, 0, n.shape(0).at(d)));
    }
    long[] dims = new long[rank];
    java.util.Arrays.fill(dims, 1);
    dims[d] = e.shape().size();
    return e.reshape(dims);
  }

  private static List<Value> quantize(NodeCall n) {
    long axis = n.integer("axis", 1);
    long block = n.integer("block_size", 0);
    long wanted = n.integer("output_dtype", 0);
    n.ignore("saturate");
    requireFloat(n, n.integer("precision", FLOAT));
    ElementType to =
        n.has(2) ? n.value(2).type() : wanted == 0 ? ElementType.UINT8 : ElementType.of(wanted);
    requireInteger(n, to);
    Expr<Object> scale = along(n, 1, axis, block);
    Expr<Object> x = n.in(0);
    Expr<?> level = Ops.rint(x.cast(Ops.F32).div(scale.cast(Ops.F32)));
    Expr<Object> shifted = NodeCall.erase(level);
    if (n.has(2)) {
      shifted = shifted.plus(NodeCall.erase(along(n, 2, axis, block).cast(Ops.F32)));
    }
    return List.of(saturated(shifted, to));
  }

  private static void requireFloat(NodeCall n, long precision) {
    if (precision != 0 && precision != FLOAT) {
      throw n.refuse(
          "attribute precision must be float, in which values are divided by their scale",
          ElementType.of(precision).name().toLowerCase(Locale.ROOT),
          "Export the model without it");
    }
  }

  private static void requireInteger(NodeCall n, ElementType type) {
    if (type.integerBits() == 0) {
      throw n.refuse(
          "quantized values must be integers",
          type.toString(),
          "Quantize the model to integers of 8 bits");
    }
  }

  private static Value saturated(Expr<Object> level, ElementType to) {
    int bits = to.integerBits();
    double low = to.isUnsigned() ? 0 : -Math.scalb(1.0, bits - 1);
    double high = Math.scalb(1.0, to.isUnsigned() ? bits : bits - 1) - 1;
    Expr<Object> clamped = Ops.clamp(level, low, high);
    return Value.of(NodeCall.erase(clamped.cast(Ops.I32)).cast(to.dtype()), to);
  }

  private static List<Value> dequantize(NodeCall n) {
    long axis = n.integer("axis", 1);
    long block = n.integer("block_size", 0);
    long wanted = n.integer("output_dtype", 0);
    requireInteger(n, n.value(0).type());
    Expr<Object> scale = along(n, 1, axis, block);
    Expr<?> level = n.in(0).cast(Ops.I32);
    if (n.has(2)) {
      level = n.in(0).cast(Ops.I32).minus(along(n, 2, axis, block).cast(Ops.I32));
    }
    Expr<Object> x = NodeCall.erase(level.cast(Ops.F32).times(scale.cast(Ops.F32)));
    ElementType to = wanted == 0 ? n.value(1).type() : ElementType.of(wanted);
    return List.of(Value.of(x.cast(to.dtype()), to));
  }

  /**
   * Product of quantized matrices, accumulated in I32. Scales and zero points of a are for all
   * elements or by row, those of b for all or by column.
   */
  private static List<Value> product(NodeCall n) {
    ElementType to = n.value(7).type();
    requireInteger(n, to);
    Expr<Object> a = centered(n, 0, true);
    Expr<Object> b = centered(n, 3, false);
    Expr<Object> sum = NodeCall.erase(Ops.matmul(a, b).cast(Ops.F32));
    Expr<Object> scales = byLine(n, 1, true).times(byLine(n, 4, false));
    Expr<Object> level = Ops.rint(sum.times(scales.div(NodeCall.erase(n.in(6).cast(Ops.F32)))));
    return List.of(saturated(level.plus(NodeCall.erase(n.in(7).cast(Ops.F32))), to));
  }

  /** Elements without their zero point. */
  private static Expr<Object> centered(NodeCall n, int i, boolean rows) {
    requireInteger(n, n.value(i).type());
    Expr<Object> zero = line(n.in(i + 2), rows);
    return NodeCall.erase(n.in(i).cast(Ops.I32)).minus(NodeCall.erase(zero.cast(Ops.I32)));
  }

  private static Expr<Object> byLine(NodeCall n, int i, boolean rows) {
    return NodeCall.erase(line(n.in(i), rows).cast(Ops.F32));
  }

  /** Numbers for all elements, or for each row or column of the last two axes. */
  private static Expr<Object> line(Expr<Object> e, boolean rows) {
    if (e.shape().size() == 1) {
      return e.reshape();
    }
    return e.shape().rank() == 1 && rows ? e.unsqueeze(1) : e;
  }

  private static List<Value> dynamic(NodeCall n) {
    Expr<Object> x = n.in(0);
    Expr<Object> zero = NodeCall.number(x, 0);
    Expr<Object> high = Ops.max(Ops.max(x), zero);
    Expr<Object> low = Ops.min(Ops.min(x), zero);
    Expr<Object> scale = high.minus(low).div(255.0);
    Expr<Object> point = Ops.clamp(Ops.rint(low.neg().div(scale)), 0, 255);
    Expr<Object> level = Ops.rint(x.div(scale)).plus(point);
    return List.of(
        saturated(level, ElementType.UINT8), Value.of(scale), saturated(point, ElementType.UINT8));
  }
}
