package ristretto.nnet3.step;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.sum;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.ProgramTemplate;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.Shape;
import ristretto.nnet3.Component;
import ristretto.nnet3.matrix.Matrix;

/** Gradients and statistics of one run of a program, in memory. */
public final class GradientTensors implements GradientSink {
  private final Context context;
  private final Predicate<Component> wanted;
  private final boolean wantsStatistics;
  private final Map<float[], Tensor<F32>> gradients = new IdentityHashMap<>();
  private final Map<Component, Map<String, Statistics>> statistics = new IdentityHashMap<>();
  private final List<Tensor<F32>> all = new ArrayList<>();

  /** Sum over rows, and the number of rows. */
  public record Statistics(Tensor<F32> sum, double count) {}

  /** Creates an empty sink for the components that are wanted, with or without statistics. */
  public GradientTensors(Context context, Predicate<Component> wanted, boolean wantsStatistics) {
    this.wantsStatistics = wantsStatistics;
    this.context = context;
    this.wanted = wanted;
  }

  @Override
  public boolean wants(Component component) {
    return wanted.test(component);
  }

  @Override
  public boolean wantsStatistics(Component component) {
    return wantsStatistics;
  }

  @Override
  public void gradient(Component component, float[] parameter, Expr<F32> gradient) {
    add(parameter, gradient.reshape(parameter.length));
  }

  @Override
  public void product(
      Component component, Matrix w, float[] bias, List<ForwardStep.Columns> x, Expr<F32> dy) {
    Expr<F32> rows = dy.reshape(dy.shape().dim(0) * dy.shape().dim(1), dy.shape().dim(2));
    boolean adds = gradients.containsKey(w.data());
    Tensor<F32> dw = memory(w.data()).reshape(w.rows(), w.cols());
    new ColumnProducts(context, dw).gradient(rows, x, adds);
    if (bias.length > 0) {
      add(bias, sum(rows, 0));
    }
  }

  private void add(float[] parameter, Expr<F32> gradient) {
    if (gradients.containsKey(parameter)) {
      context.assignAdd(memory(parameter), gradient);
    } else {
      context.assign(memory(parameter), gradient);
    }
  }

  private Tensor<F32> memory(float[] parameter) {
    return gradients.computeIfAbsent(parameter, p -> made(Shape.of(p.length)));
  }

  @Override
  public void statistics(Component component, String name, Expr<F32> sum, double count) {
    Map<String, Statistics> all = statistics.computeIfAbsent(component, _ -> new HashMap<>());
    Statistics before = all.get(name);
    if (before == null) {
      Tensor<F32> memory = made(sum.shape());
      context.assign(memory, sum);
      all.put(name, new Statistics(memory, count));
    } else {
      context.assignAdd(before.sum, sum);
      all.put(name, new Statistics(before.sum, before.count + count));
    }
  }

  /** Returns all tensors, in the order of creation. */
  public List<Tensor<F32>> all() {
    return List.copyOf(all);
  }

  /**
   * Allocates the tensors for a number of sequences, for a program that was recorded with an
   * {@linkplain ProgramTemplate#UNKNOWN} sequences.
   */
  public GradientTensors another(int sequences) {
    var other = new GradientTensors(context, wanted, wantsStatistics);
    var others = new IdentityHashMap<Tensor<F32>, Tensor<F32>>();
    all.forEach(t -> others.put(t, other.made(t.shape())));
    gradients.forEach((parameter, t) -> other.gradients.put(parameter, others.get(t)));
    statistics.forEach((component, byName) -> {
      var copies = new HashMap<String, Statistics>();
      byName.forEach((name, s) -> {
        long count = ProgramTemplate.size((long) s.count, sequences);
        copies.put(name, new Statistics(others.get(s.sum), count));
      });
      other.statistics.put(component, copies);
    });
    return other;
  }

  private Tensor<F32> made(Shape shape) {
    Tensor<F32> t = context.lasting(F32, shape);
    all.add(t);
    return t;
  }

  /** Returns the gradient of a parameter after a run; zeros if the program computes none. */
  public float[] gradient(float[] parameter) {
    Tensor<F32> gradient = gradients.get(parameter);
    return gradient == null ? new float[parameter.length] : gradient.toFloatArray();
  }

  /** Returns the statistics of a component, by name. */
  public Map<String, Statistics> statistics(Component component) {
    return statistics.getOrDefault(component, Map.of());
  }
}
