package ristretto.onnx.operator;

import java.util.Arrays;
import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.Shape;
import ristretto.onnx.call.NodeCall;
import ristretto.onnx.call.Value;
import ristretto.onnx.file.ElementType;
import ristretto.onnx.file.Proto;

/** Constants, shapes and sequences of numbers. */
final class ShapeRules {
  private ShapeRules() {}

  static void addTo(Rules rules) {
    rules.one("Shape", ShapeRules::shape);
    rules.one("Size", n -> n.constant(new long[] {n.shape(0).size()}));
    rules.add("Constant", n -> List.of(constant(n)));
    rules.add("ConstantOfShape", n -> List.of(constantOfShape(n)));
    rules.add("Range", n -> List.of(range(n)));
    rules.add("EyeLike", n -> List.of(eye(n)));
    rules.add("Dropout", ShapeRules::dropout);
    window(rules, "HannWindow", 0.5, 0.5, 0);
    window(rules, "HammingWindow", 25.0 / 46, 21.0 / 46, 0);
    window(rules, "BlackmanWindow", 0.42, 0.5, 0.08);
  }

  private static Expr<?> shape(NodeCall n) {
    long[] dims = n.shape(0).toArray();
    int start = end(n.integer("start", 0), dims.length);
    int end = end(n.integer("end", dims.length), dims.length);
    long[] part = start < end ? Arrays.copyOfRange(dims, start, end) : new long[0];
    return n.constant(part, part.length);
  }

  private static int end(long at, int rank) {
    return Math.clamp(at < 0 ? at + rank : at, 0, rank);
  }

  private static Value constant(NodeCall n) {
    Proto.Tensor tensor = n.tensor("value");
    if (tensor != null) {
      return n.constant(tensor);
    }
    if (n.gives("value_float")) {
      return Value.of(Ops.scalar(Ops.F32, n.number("value_float", 0)));
    }
    if (n.gives("value_int")) {
      return Value.of(Ops.scalar(Ops.I64, n.integer("value_int", 0)));
    }
    if (n.gives("value_ints")) {
      long[] all = n.integers("value_ints");
      return Value.of(n.constant(all, all.length));
    }
    List<Float> floats = n.list("value_floats", Float.class);
    if (floats == null) {
      throw n.refuse(
          "constants must be tensors of numbers", "another one", "Export the model without it");
    }
    float[] all = new float[floats.size()];
    for (int k = 0; k < all.length; k++) {
      all[k] = floats.get(k);
    }
    return Value.of(n.context().tensor(all, Shape.of(all.length)));
  }

  private static Value constantOfShape(NodeCall n) {
    Proto.Tensor tensor = n.tensor("value");
    Value one = tensor == null ? Value.of(Ops.scalar(Ops.F32, 0.0)) : n.constant(tensor);
    return Value.of(one.expr().reshape().expand(n.longs(0)), one.type());
  }

  private static Value range(NodeCall n) {
    Expr<Object> start = ElementwiseRules.one(n, 0);
    Expr<Object> step = ElementwiseRules.one(n, 2);
    double first = n.doubles(0)[0];
    long count = (long) Math.max(0, Math.ceil((n.doubles(1)[0] - first) / n.doubles(2)[0]));
    Expr<Object> number = NodeCall.erase(Ops.coordinate(Shape.of(count), 0));
    return Value.of(start.plus(number.cast(start.dtype()).times(step)), n.value(0).type());
  }

  private static Value eye(NodeCall n) {
    long type = n.integer("dtype", 0);
    ElementType to = type == 0 ? n.value(0).type() : ElementType.of(type);
    Expr<Object> row = NodeCall.erase(Ops.coordinate(n.shape(0), 0));
    Expr<Object> column = NodeCall.erase(Ops.coordinate(n.shape(0), 1));
    return Value.of(column.minus(row).eq(n.integer("k", 0)).cast(to.dtype()), to);
  }

  private static List<Value> dropout(NodeCall n) {
    n.ignore("seed", "ratio");
    boolean training = n.has(2) && n.scalar(2, 0) != 0;
    if (training && !(n.has(1) && n.doubles(1)[0] == 0)) {
      throw n.refuse("dropout must be off", "training mode", "Export the model for evaluation");
    }
    return List.of(n.value(0), Value.of(Ops.fill(Ops.BOOL, 1, n.shape(0).toArray())));
  }

  private static void window(Rules rules, String operator, double a, double b, double c) {
    rules.add(
        operator,
        n -> {
          ElementType to = ElementType.of(n.integer("output_datatype", 1));
          long size = n.scalar(0, 0);
          double period = n.flag("periodic", true) ? size : Math.max(1, size - 1);
          double[] all = new double[Math.toIntExact(size)];
          for (int k = 0; k < all.length; k++) {
            double angle = 2 * Math.PI * k / period;
            all[k] = a - b * Math.cos(angle) + c * Math.cos(2 * angle);
          }
          Expr<Object> w = NodeCall.erase(n.context().tensor(all, Shape.of(size)));
          return List.of(Value.of(w.cast(to.dtype()), to));
        });
  }
}
