package ristretto.symbolic.inspect;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import ristretto.expr.Context;
import ristretto.expr.type.Shape;
import ristretto.symbolic.graph.Dims;
import ristretto.symbolic.graph.Operator;
import ristretto.symbolic.graph.Variable;

/** Computation of a {@link ModelSummary}. */
public final class SummarizeModel {
  private final OperatorWork work;
  private final Set<Variable<?>> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private final List<ModelSummary.Row> rows = new ArrayList<>();

  private SummarizeModel(Context ctx) {
    work = new OperatorWork(ctx);
  }

  /**
   * Returns the summary of a graph.
   *
   * @param operators operators in topological order
   * @param variables all variables
   * @param shapes shapes of inputs; unknown dimensions of other inputs count as 1
   */
  public static ModelSummary of(
      Context ctx,
      List<Operator> operators,
      Collection<Variable<?>> variables,
      Map<Variable<?>, Shape> shapes) {
    var summary = new SummarizeModel(ctx);
    var sizes = new ArrayList<String>();
    ctx.dryRun(() -> {
      for (Variable<?> v : variables) {
        if (v.kind() == Variable.Kind.INPUT) {
          Shape shape = shapes.getOrDefault(v, ones(v.dims()));
          summary.work.shape(v, shape);
          sizes.add(v.name() + shape);
          summary.add(v.name(), List.of(v), List.of(), OptionalLong.of(0));
        } else if (v.initializer() != null) {
          summary.work.shape(v, v.dims().shape());
        }
      }
      for (Operator op : operators) {
        OptionalLong operations = summary.work.of(op);
        summary.add(op.name(), op.outputs(), op.inputs(), operations);
      }
      variables.stream()
          .filter(v -> v.initializer() != null && !summary.seen.contains(v))
          .forEach(v -> summary.add(v.name(), List.of(), List.of(v), OptionalLong.of(0)));
    });
    return new ModelSummary(summary.rows, String.join(", ", sizes));
  }

  private static Shape ones(Dims dims) {
    return Shape.of(
        LongStream.range(0, dims.rank())
            .map(d -> dims.at((int) d) == Dims.UNKNOWN ? 1 : dims.at((int) d))
            .toArray());
  }

  private void add(
      String name,
      List<? extends Variable<?>> outputs,
      List<? extends Variable<?>> inputs,
      OptionalLong operations) {
    List<Variable<?>> kept =
        inputs.stream().filter(v -> v.initializer() != null).collect(Collectors.toList());
    List<Variable<?>> own = kept.stream().distinct().filter(seen::add).toList();
    boolean shares = own.size() < kept.stream().distinct().count();
    long parameters =
        own.stream()
            .filter(v -> v.kind() == Variable.Kind.PARAMETER)
            .mapToLong(v -> work.shape(v).size())
            .sum();
    var all = new ArrayList<Variable<?>>(own);
    all.addAll(outputs);
    Variable<?> first = outputs.isEmpty() ? inputs.get(0) : outputs.get(0);
    rows.add(
        new ModelSummary.Row(
            name,
            (outputs.isEmpty() ? inputs : outputs).stream().map(Variable::dims).toList(),
            first.dtype().toString(),
            parameters,
            shares,
            operations,
            bytes(all)));
  }

  private OptionalLong bytes(List<Variable<?>> all) {
    long sum = 0;
    for (Variable<?> v : all) {
      Shape shape = work.shape(v);
      if (shape == null) {
        return OptionalLong.empty();
      }
      sum += shape.size() * v.dtype().bytes();
    }
    return OptionalLong.of(sum);
  }
}
