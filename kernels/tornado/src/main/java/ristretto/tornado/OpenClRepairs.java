package ristretto.tornado;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import jdk.graal.compiler.nodes.ConstantNode;
import jdk.graal.compiler.nodes.GraphState;
import jdk.graal.compiler.nodes.IfNode;
import jdk.graal.compiler.nodes.LogicNode;
import jdk.graal.compiler.nodes.LoopBeginNode;
import jdk.graal.compiler.nodes.LoopEndNode;
import jdk.graal.compiler.nodes.NodeView;
import jdk.graal.compiler.nodes.ShortCircuitOrNode;
import jdk.graal.compiler.nodes.StructuredGraph;
import jdk.graal.compiler.nodes.ValueNode;
import jdk.graal.compiler.nodes.ValuePhiNode;
import jdk.graal.compiler.nodes.calc.AndNode;
import jdk.graal.compiler.nodes.calc.ConditionalNode;
import jdk.graal.compiler.nodes.calc.FloatEqualsNode;
import jdk.graal.compiler.nodes.calc.FloatLessThanNode;
import jdk.graal.compiler.nodes.calc.IntegerEqualsNode;
import jdk.graal.compiler.nodes.calc.LeftShiftNode;
import jdk.graal.compiler.nodes.calc.NarrowNode;
import jdk.graal.compiler.nodes.calc.OrNode;
import jdk.graal.compiler.nodes.calc.RightShiftNode;
import jdk.graal.compiler.nodes.calc.SignExtendNode;
import jdk.graal.compiler.nodes.calc.SubNode;
import jdk.graal.compiler.nodes.calc.UnsignedRightShiftNode;
import jdk.graal.compiler.nodes.calc.ZeroExtendNode;
import jdk.graal.compiler.phases.Phase;
import jdk.vm.ci.meta.JavaKind;

/**
 * Rewrites graphs that TornadoVM 5.2.0 translates wrongly to OpenCL C. Runs last, after all passes
 * that could undo the rewrite. The translation
 *
 * <ul>
 *   <li>loses parentheses and negations of nested conditions;
 *   <li>negates comparisons of floats without regard to NaN, and treats comparisons that are true
 *       of NaN as if they were false;
 *   <li>shifts unsigned numbers as signed ones;
 *   <li>reads unsigned bytes and shorts into unsigned integers, which then compare, shift and
 *       convert as unsigned;
 *   <li>assigns the variables of a loop sequentially, so that a variable that takes the old value
 *       of another may get the new one.
 * </ul>
 */
final class OpenClRepairs extends Phase {
  @Override
  public Optional<NotApplicable> notApplicableTo(GraphState state) {
    return ALWAYS_APPLICABLE;
  }

  @Override
  protected void run(StructuredGraph graph) {
    for (var node : graph.getNodes().filter(UnsignedRightShiftNode.class).snapshot()) {
      shift(graph, node);
    }
    for (var node : graph.getNodes().filter(ZeroExtendNode.class).snapshot()) {
      widen(graph, node);
    }
    for (var node : graph.getNodes().filter(FloatLessThanNode.class).snapshot()) {
      unordered(graph, node);
    }
    for (var node : graph.getNodes().filter(ShortCircuitOrNode.class).snapshot()) {
      either(graph, node);
    }
    for (var node : graph.getNodes().filter(IfNode.class).snapshot()) {
      branch(graph, node);
    }
    for (var node : graph.getNodes().filter(LoopBeginNode.class).snapshot()) {
      loop(graph, node);
    }
  }

  private static void shift(StructuredGraph graph, UnsignedRightShiftNode node) {
    ValueNode x = node.getX();
    ValueNode count = node.getY();
    ValueNode result;
    if (x.getStackKind() == JavaKind.Int) {
      ValueNode wide = graph.addOrUnique(new SignExtendNode(x, 64));
      ValueNode zeros = graph.addOrUnique(new AndNode(wide, constant(graph, 0xffffffffL)));
      ValueNode few = graph.addOrUnique(new AndNode(count, constant(graph, 31)));
      ValueNode shifted = graph.addOrUnique(new RightShiftNode(zeros, few));
      result = graph.addOrUnique(new NarrowNode(shifted, 64, 32));
    } else {
      ValueNode few = graph.addOrUnique(new AndNode(count, constant(graph, 63)));
      ValueNode signed = graph.addOrUnique(new RightShiftNode(x, few));
      ValueNode rest = graph.addOrUnique(new SubNode(constant(graph, 63), few));
      ValueNode high = graph.addOrUnique(new LeftShiftNode(constant(graph, -2L), rest));
      ValueNode mask = graph.addOrUnique(new SubNode(constant(graph, -1L), high));
      result = graph.addOrUnique(new AndNode(signed, mask));
    }
    node.replaceAtUsages(result);
    node.safeDelete();
  }

  private static void widen(StructuredGraph graph, ZeroExtendNode node) {
    int bits = node.getResultBits();
    long mask = (1L << node.getInputBits()) - 1;
    ConstantNode low = bits == 64 ? constant(graph, mask) : constant(graph, (int) mask);
    ValueNode wide = graph.addOrUnique(new SignExtendNode(node.getValue(), bits));
    node.replaceAtUsages(graph.addOrUnique(new AndNode(wide, low)));
    node.safeDelete();
  }

  private static ConstantNode constant(StructuredGraph graph, int value) {
    return ConstantNode.forInt(value, graph);
  }

  private static ConstantNode constant(StructuredGraph graph, long value) {
    return ConstantNode.forLong(value, graph);
  }

  /**
   * Returns a node that is 1 if the condition holds, or if it does not hold and {@code negated}.
   */
  private static ValueNode number(StructuredGraph graph, LogicNode condition, boolean negated) {
    return graph.addOrUnique(
        new ConditionalNode(
            condition, constant(graph, negated ? 0 : 1), constant(graph, negated ? 1 : 0)));
  }

  private static LogicNode isOne(StructuredGraph graph, ValueNode number) {
    return graph.addOrUnique(new IntegerEqualsNode(number, constant(graph, 1)));
  }

  /** Adds the NaN case to a comparison that is true of NaN: an operand that differs from itself. */
  private static void unordered(StructuredGraph graph, FloatLessThanNode node) {
    if (!node.unorderedIsTrue()) {
      return;
    }
    ValueNode x = node.getX();
    ValueNode y = node.getY();
    LogicNode less = graph.addOrUnique(new FloatLessThanNode(x, y, false));
    LogicNode sameX = graph.addOrUnique(new FloatEqualsNode(x, x));
    LogicNode sameY = graph.addOrUnique(new FloatEqualsNode(y, y));
    ValueNode nan =
        graph.addOrUnique(new OrNode(number(graph, sameX, true), number(graph, sameY, true)));
    ValueNode either = graph.addOrUnique(new OrNode(number(graph, less, false), nan));
    node.replaceAtUsages(isOne(graph, either));
    node.safeDelete();
  }

  private static void either(StructuredGraph graph, ShortCircuitOrNode node) {
    ValueNode x = number(graph, node.getX(), node.isXNegated());
    ValueNode y = number(graph, node.getY(), node.isYNegated());
    node.replaceAtUsages(isOne(graph, graph.addOrUnique(new OrNode(x, y))));
    node.safeDelete();
  }

  private static void branch(StructuredGraph graph, IfNode node) {
    LogicNode condition = node.condition();
    if (condition instanceof FloatLessThanNode || condition instanceof FloatEqualsNode) {
      node.setCondition(isOne(graph, number(graph, condition, false)));
    }
  }

  private static void loop(StructuredGraph graph, LoopBeginNode loop) {
    List<ValuePhiNode> phis = loop.valuePhis().snapshot();
    Set<ValueNode> changing = new HashSet<>(phis);
    for (LoopEndNode end : loop.loopEnds().snapshot()) {
      int index = loop.phiPredecessorIndex(end);
      for (ValuePhiNode phi : phis) {
        ValueNode next = phi.valueAt(index);
        if (next != phi && changing.contains(next)) {
          JavaKind kind = next.stamp(NodeView.DEFAULT).getStackKind();
          phi.setValueAt(index, graph.addWithoutUnique(new CallNode("", kind, next)));
        }
      }
    }
  }
}
