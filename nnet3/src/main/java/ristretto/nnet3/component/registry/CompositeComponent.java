package ristretto.nnet3.component.registry;

import static ristretto.nnet3.Property.BACKPROP_ADDS;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_INPUT;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_OUTPUT;
import static ristretto.nnet3.Property.INPUT_CONTIGUOUS;
import static ristretto.nnet3.Property.OUTPUT_CONTIGUOUS;
import static ristretto.nnet3.Property.PROPAGATE_ADDS;
import static ristretto.nnet3.Property.RANDOM;
import static ristretto.nnet3.Property.SIMPLE;
import static ristretto.nnet3.Property.STORES_STATS;
import static ristretto.nnet3.Property.UPDATABLE;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.Component;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.component.LinearCombination;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.ForwardStep;

/**
 * Sequence of simple components. Kaldi computes a chunk of rows at a time to save memory; here the
 * formulas of the parts are composed.
 */
public final class CompositeComponent extends UpdatableComponent {
  private int maxRows = 4096;
  private List<ComponentBase> parts;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    // The learning rates of the parts apply, so those of the composite are not read.
    maxRows = line.positive("max-rows-process", 4096);
    int count = line.positive("num-components");
    var all = new ArrayList<ComponentBase>();
    for (int i = 1; i <= count; i++) {
      all.add(part(line, "component" + i, random));
      ComponentBase part = all.get(i - 1);
      if (i > 1 && part.inputDim() != all.get(i - 2).outputDim()) {
        throw line.error(
            "component" + i,
            "a part's input dimension must be the output dimension of the part before, "
                + all.get(i - 2).outputDim());
      }
    }
    parts = all;
  }

  private static ComponentBase part(ConfigLine line, String key, RandomGenerator random) {
    ConfigLine nested = line.nested(key);
    String type = nested.string("type");
    if (!ComponentTypes.names().contains(type)) {
      throw nested.error("type", "a part's type must be known", ComponentTypes.names());
    }
    ComponentBase part = ComponentTypes.create(type, nested, random);
    nested.refuseUnused();
    if (!isAllowed(part)) {
      throw nested.error("type", "a part must be simple, not random and not composite");
    }
    return part;
  }

  private static boolean isAllowed(Component part) {
    return part.isSimple() && !part.has(RANDOM) && !(part instanceof CompositeComponent);
  }

  @Override
  public void fields(Fields f) {
    updatableFields(f);
    maxRows = f.positive("<MaxRowsProcess>", maxRows);
    int count = f.positive("<NumComponents>", parts == null ? 0 : parts.size());
    var all = new ArrayList<ComponentBase>();
    for (int i = 0; i < count; i++) {
      ComponentBase part = f.component(f.reading() ? null : parts.get(i));
      f.check(isAllowed(part), "a part must be simple and not random", part.type());
      f.check(
          i == 0 || all.get(i - 1).outputDim() == part.inputDim(),
          "a part's input dimension must be the output dimension of the part before",
          part.inputDim());
      all.add(part);
    }
    parts = all;
  }

  /** Returns true if a part draws random numbers. */
  @Override
  public boolean isRandomNow() {
    return parts.stream().anyMatch(ComponentBase::isRandomNow);
  }

  public List<ComponentBase> parts() {
    return parts;
  }

  /** Returns this component with other parts. */
  public CompositeComponent withParts(List<ComponentBase> others) {
    var with = (CompositeComponent) super.copy();
    with.parts = others;
    return with;
  }

  @Override
  public ComponentBase copy() {
    return withParts(new ArrayList<>(parts.stream().map(ComponentBase::copy).toList()));
  }

  @Override
  public void blend(LinearCombination blend, Component o) {
    var other = (CompositeComponent) o;
    for (int i = 0; i < parts.size(); i++) {
      parts.get(i).blend(blend, other.parts.get(i));
    }
  }

  @Override
  public void mapParameters(UnaryOperator<float[]> f) {
    updatableParts().forEach(part -> part.mapParameters(f));
  }

  @Override
  public List<UpdatableComponent> updatableParts() {
    return parts.stream()
        .filter(part -> part.has(UPDATABLE))
        .map(UpdatableComponent.class::cast)
        .toList();
  }

  @Override
  public void setUnderlyingLearningRate(float rate) {
    super.setUnderlyingLearningRate(rate);
    updatableParts().forEach(part -> part.setUnderlyingLearningRate(learningRate()));
  }

  @Override
  public void setActualLearningRate(float rate) {
    super.setActualLearningRate(rate);
    updatableParts().forEach(part -> part.setActualLearningRate(rate));
  }

  /** Marks the parts as gradients, but not the composite itself. */
  @Override
  public void setAsGradient() {
    updatableParts().forEach(UpdatableComponent::setAsGradient);
  }

  @Override
  public long parameterCount() {
    return updatableParts().stream().mapToLong(Component::parameterCount).sum();
  }

  @Override
  public int inputDim() {
    return parts.get(0).inputDim();
  }

  @Override
  public int outputDim() {
    return parts.get(parts.size() - 1).outputDim();
  }

  @Override
  public Set<Property> properties() {
    var all = EnumSet.of(SIMPLE, BACKPROP_NEEDS_INPUT);
    Component first = parts.get(0);
    Component last = parts.get(parts.size() - 1);
    for (Property p : EnumSet.of(PROPAGATE_ADDS, BACKPROP_NEEDS_OUTPUT, OUTPUT_CONTIGUOUS)) {
      if (last.has(p)) {
        all.add(p);
      }
    }
    for (Property p : EnumSet.of(BACKPROP_ADDS, INPUT_CONTIGUOUS)) {
      if (first.has(p)) {
        all.add(p);
      }
    }
    if (last.has(STORES_STATS)) {
      all.add(BACKPROP_NEEDS_OUTPUT);
    }
    if (!updatableParts().isEmpty()) {
      all.add(UPDATABLE);
    }
    return all;
  }

  @Override
  public InfoText infoText() {
    var info = new InfoText(type() + " ");
    for (int i = 0; i < parts.size(); i++) {
      info.raw((i > 0 ? ", " : "") + "sub-component" + (i + 1));
      info.raw(" = { " + parts.get(i).info() + " }");
    }
    return info;
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    Expr<F32> y = f.x();
    ForwardStep part = f;
    for (ComponentBase component : parts) {
      part = part.with(y);
      y = component.forward(part);
    }
    return y;
  }

  @Override
  public void backward(BackwardStep b) {
    var steps = new ArrayList<ForwardStep>();
    var values = new ArrayList<Expr<F32>>();
    Expr<F32> y = b.forward().x();
    ForwardStep part = b.forward();
    for (ComponentBase component : parts) {
      part = part.with(y);
      y = component.forward(part);
      if (component.has(STORES_STATS) && b.gathersValues(component)) {
        y = b.inMemory(y);
        component.statistics(part, y, b.statistics());
      }
      steps.add(part);
      values.add(y);
    }
    Expr<F32> dy = b.dy();
    for (int k = parts.size() - 1; k >= 0 && dy != null; k--) {
      BackwardStep inner =
          b.part(parts.get(k), steps.get(k), values.get(k), dy, k > 0 || b.wantsInput());
      parts.get(k).backward(inner);
      dy = inner.dx();
    }
    if (dy != null) {
      b.input(dy);
    }
  }
}
