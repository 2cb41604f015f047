package ristretto.symbolic.onnx.export;

import java.util.List;
import ristretto.expr.Ops;
import ristretto.expr.type.DType;

/** Translation of element-wise operations to ONNX operators. */
final class Elementwise {
  private final ModelBuilder model;

  Elementwise(ModelBuilder model) {
    this.model = model;
  }

  /**
   * Adds an operation.
   *
   * @param word name in {@code Form.Row.Operation}
   * @param of dtype of the operands
   * @param to dtype of the result
   */
  String apply(String word, DType<?> of, DType<?> to, List<String> in) {
    String a = in.get(0);
    String b = in.size() > 1 ? in.get(1) : "";
    boolean truth = of == (Object) Ops.BOOL;
    return switch (word) {
      case "neg",
          "abs",
          "sign",
          "not",
          "sqrt",
          "exp",
          "log",
          "sin",
          "cos",
          "tan",
          "asin",
          "acos",
          "atan",
          "sinh",
          "cosh",
          "tanh",
          "asinh",
          "acosh",
          "atanh",
          "erf",
          "floor",
          "ceil",
          "min",
          "max",
          "pow" ->
          model.node(capital(word), in);
      // ONNX Runtime fuses x Sigmoid(x) into an operator that it implements for F32 only.
      case "sigmoid" ->
          of == (Object) Ops.F64
              ? node("Reciprocal", node("Add", node("Exp", node("Neg", a)), number(of, 1)))
              : node("Sigmoid", a);
      case "bitnot" -> model.node("BitwiseNot", in);
      case "rint" -> model.node("Round", in);
      case "cbrt" -> times(sign(a), node("Pow", abs(a), number(of, 1.0 / 3)));
      case "exp2" -> node("Pow", number(of, 2), a);
      case "expm1" -> node("Sub", node("Exp", a), number(of, 1));
      case "log2" -> times(node("Log", a), number(of, 1 / Math.log(2)));
      case "log10" -> times(node("Log", a), number(of, 1 / Math.log(10)));
      case "log1p" -> node("Log", node("Add", a, number(of, 1)));
      case "erfc" -> node("Sub", number(of, 1), node("Erf", a));
      case "trunc" -> times(sign(a), node("Floor", abs(a)));
      case "add" -> model.node("Add", in);
      case "sub" -> model.node("Sub", in);
      case "mul" -> model.node("Mul", in);
      case "div" -> model.node("Div", in);
      case "rem" -> model.node("Mod", in, new Attribute.Int("fmod", 1));
      case "hypot" -> node("Sqrt", node("Add", times(a, a), times(b, b)));
      case "copysign" -> node("Where", node("Less", b, number(of, 0)), node("Neg", abs(a)), abs(a));
      case "and" -> model.node(truth ? "And" : "BitwiseAnd", in);
      case "or" -> model.node(truth ? "Or" : "BitwiseOr", in);
      case "xor" -> model.node(truth ? "Xor" : "BitwiseXor", in);
      case "lt" -> model.node("Less", in);
      case "le" -> model.node("LessOrEqual", in);
      case "gt" -> model.node("Greater", in);
      case "ge" -> model.node("GreaterOrEqual", in);
      case "eq" -> model.node("Equal", in);
      case "ne" -> node("Not", model.node("Equal", in));
      case "fma" -> node("Add", times(a, b), in.get(2));
      case "select" -> model.node("Where", in);
      case "convert" -> cast(a, to);
      default -> throw new UnsupportedExpression(word + " of " + of);
    };
  }

  String cast(String a, DType<?> to) {
    return model.node("Cast", List.of(a), new Attribute.Int("to", ModelBuilder.number(to)));
  }

  private String number(DType<?> dtype, double value) {
    return model.number(dtype, value, (long) value);
  }

  private String node(String type, String... in) {
    return model.node(type, List.of(in));
  }

  private String times(String a, String b) {
    return node("Mul", a, b);
  }

  private String abs(String a) {
    return node("Abs", a);
  }

  private String sign(String a) {
    return node("Sign", a);
  }

  private static String capital(String word) {
    return Character.toUpperCase(word.charAt(0)) + word.substring(1);
  }
}
