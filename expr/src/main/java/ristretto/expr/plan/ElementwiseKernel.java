package ristretto.expr.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import ristretto.expr.graph.StorageView;
import ristretto.expr.index.IndexMap;
import ristretto.expr.recording.Update;
import ristretto.expr.type.Shape;

/** Map kernel of element-wise assignments of one shape, executed in order. */
final class ElementwiseKernel {
  /** Maximal number of stores of one kernel. */
  private static final int MOST_STORES = 16;

  private final PlanBuilder plan;
  private final Shape shape;
  private final Lowering lowering;
  private final List<Step.Assign> members = new ArrayList<>();
  private final List<StorageView> targets = new ArrayList<>();
  private final List<Integer> rows = new ArrayList<>();
  private boolean isWhole = true;

  ElementwiseKernel(PlanBuilder plan, Shape shape) {
    this.plan = plan;
    this.shape = shape;
    this.lowering = new Lowering(plan, null);
  }

  static Draft.Root root(Update p) {
    return Draft.Root.of(p.expr(), p.target().shape(), null);
  }

  Shape shape() {
    return shape;
  }

  List<Step.Assign> members() {
    return members;
  }

  Step.Assign first() {
    return members.get(0);
  }

  /**
   * Returns true if the kernel stores the results of its members and they are whole assignments.
   */
  boolean isWhole() {
    return isWhole;
  }

  /** Adds an assignment; returns false if it does not fit, after which nothing may be added. */
  boolean join(Step.Assign a) {
    Update p = a.pairs().get(0);
    StorageView to = p.target();
    if (!to.shape().equals(shape) || targets.size() >= MOST_STORES) {
      return false;
    }
    int row = lowering.read(root(p));
    IndexMap map = to.map();
    if (lowering.conflict(plan.number(to.storage()), map, false) != null
        || !members.isEmpty() && lowering.exceedsOperands()) {
      return false;
    }
    int replaced = -1;
    for (int k = 0; k < targets.size(); k++) {
      StorageView other = targets.get(k);
      IndexMap otherMap = other.map();
      if (lowering.conflict(plan.number(other.storage()), otherMap, false) != null) {
        return false;
      }
      if (other.mayOverlap(to)) {
        if (!otherMap.sameElements(map)) {
          return false;
        }
        replaced = k;
      }
    }
    if (replaced >= 0) {
      isWhole = false;
      targets.remove(replaced);
      rows.remove(replaced);
    }
    isWhole &= !a.isPart();
    targets.add(to);
    rows.add(row);
    members.add(a);
    lowering.remember(to, map, row);
    return true;
  }

  /** Adds the kernel to the plan. */
  void emit() {
    AssignmentLowering.emitMap(
        plan,
        lowering.finish(rows.stream().mapToInt(Integer::intValue).toArray()),
        targets,
        what());
  }

  /** Targets, for people. */
  String what() {
    return targets.stream().map(plan::label).collect(Collectors.joining(", "));
  }
}
