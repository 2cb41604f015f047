package ristretto.onnx.operator;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import ristretto.expr.Expr;
import ristretto.onnx.call.NodeCall;
import ristretto.onnx.call.Value;

/** Rules of all operators, by name. */
public final class Rules {
  private static final Map<String, Rule> ALL = all();

  private final Map<String, Rule> rules = new TreeMap<>();

  private Rules() {}

  private static Map<String, Rule> all() {
    var rules = new Rules();
    ElementwiseRules.addTo(rules);
    IntegerRules.addTo(rules);
    ActivationRules.addTo(rules);
    ReductionRules.addTo(rules);
    ViewRules.addTo(rules);
    ShapeRules.addTo(rules);
    IndexRules.addTo(rules);
    ProductRules.addTo(rules);
    ConvolutionRules.addTo(rules);
    PoolRules.addTo(rules);
    NormalizationRules.addTo(rules);
    AttentionRules.addTo(rules);
    LossRules.addTo(rules);
    RecurrentRules.addTo(rules);
    ControlRules.addTo(rules);
    ResizeRules.addTo(rules);
    SamplingRules.addTo(rules);
    SignalRules.addTo(rules);
    return Map.copyOf(rules.rules);
  }

  /** Returns the rule of an operator of the standard domain, or null. */
  public static Rule of(String operator) {
    return ALL.get(operator);
  }

  /** Returns the names of all operators. */
  public static Iterable<String> names() {
    return ALL.keySet().stream().sorted().toList();
  }

  /** Adds an operator. */
  void add(String operator, Rule rule) {
    if (rules.put(operator, rule) != null) {
      throw new AssertionError(operator);
    }
  }

  /** Adds an operator with one output, of the element type of its dtype. */
  void one(String operator, Function<NodeCall, Expr<?>> rule) {
    add(operator, n -> List.of(Value.of(rule.apply(n))));
  }

  /** Adds an operator with one output, whose elements are some of the first input's. */
  void moves(String operator, Function<NodeCall, Expr<?>> rule) {
    add(operator, n -> List.of(Value.of(rule.apply(n), n.value(0).type())));
  }

  /** Adds an operator with one output of the first input's type; integers wrap. */
  void computes(String operator, Function<NodeCall, Expr<?>> rule) {
    add(operator, n -> List.of(Value.wrapped(rule.apply(n), n.value(0).type())));
  }
}
