package ristretto.symbolic;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.onnx.Extent;
import ristretto.symbolic.onnx.Extents;
import ristretto.symbolic.onnx.Model;
import ristretto.symbolic.onnx.Unsayable;
import ristretto.symbolic.onnx.Value;

/**
 * Export of a model as an ONNX file, in evaluation mode: no dropout, batch norm with running
 * statistics. Unknown dimensions of the inputs remain symbolic; those that the model requires to be
 * equal get one name. Dimensions of the outputs are fixed where {@link Shapes} has found them
 * independent of the inputs' sizes.
 */
final class OnnxExport {
  /**
   * Stand-ins for unknown dimensions, for the first two sets of {@link Extents}; all numbers and
   * all pairwise differences are distinct.
   */
  private static final long[][] STAND_INS = {
    {7919, 6841},
    {5443, 4001},
    {3571, 2557},
    {9973, 8513},
    {1999, 1301},
    {11003, 9013},
    {12227, 10501},
    {4729, 3301}
  };

  /** Factors to try for the large stand-ins, for formulas that divide them. */
  private static final long[] FACTORS = {1, 64, 5040};

  /**
   * Small dimensions to try for the third set of {@link Extents}, for inputs smaller than slices
   * and windows; the smallest one that fits is used.
   */
  private static final long[] SMALL = {
    1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 28, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768
  };

  /**
   * Marks that there are no small dimensions: the third set of {@link Extents} equals the second.
   */
  private static final long NONE = 0;

  /** Largest number of axis pairs to make equal for one operator. */
  private static final int MOST_JOINS = 3;

  /** Axis of an input whose dimension is unknown. */
  private record Axis(Variable<?> input, int number) {
    String label() {
      return input.name() + "." + number;
    }
  }

  /**
   * Partially built graph.
   *
   * @param factor factor of the large stand-ins
   * @param done number of operators that fit
   * @param failure exception of the next operator, or null if all fit
   */
  private record Attempt(
      OnnxGraph graph,
      Map<Extent, String> labels,
      int[] groups,
      long factor,
      int done,
      ShapeException failure) {}

  private final Context ctx;
  private final Function<Variable<?>, Tensor<?>> parameters;
  private final List<Variable<?>> outputs;
  private final Graph graph;
  private final List<Axis> axes = new ArrayList<>();

  /**
   * Creates an export.
   *
   * @param parameters returns the values of parameters and states
   */
  OnnxExport(Context ctx, Function<Variable<?>, Tensor<?>> parameters, List<Variable<?>> outputs) {
    this.ctx = ctx;
    this.parameters = parameters;
    this.outputs = outputs;
    this.graph = new Graph(outputs);
    for (Variable<?> input : graph.of(Variable.Kind.INPUT)) {
      for (int d = 0; d < input.dims().rank(); d++) {
        if (input.dims().at(d) == Dims.UNKNOWN) {
          axes.add(new Axis(input, d));
        }
      }
    }
  }

  void write(Path file) {
    Attempt attempt = small(large());
    for (Variable<?> v : outputs) {
      Value value = attempt.graph.value(v);
      Model model = attempt.graph.model;
      model.output(
          model.fresh(v.name()), value, d -> v.dims().at(d) != Dims.UNKNOWN, attempt.labels::get);
    }
    attempt.graph.model.write(file, outputs.get(0).name());
  }

  /** Builds the graph for large dimensions, with as few axes required equal as possible. */
  private Attempt large() {
    ShapeException failure = null;
    for (long factor : FACTORS) {
      try {
        Attempt attempt = attempt(IntStream.range(0, axes.size()).toArray(), factor, NONE);
        while (attempt.failure != null) {
          attempt = better(attempt);
        }
        return attempt;
      } catch (ShapeException e) {
        failure = failure == null ? e : failure;
      }
    }
    throw failure;
  }

  /**
   * Builds the graph for large and small dimensions; returns the one for large dimensions if no
   * small ones fit.
   */
  private Attempt small(Attempt large) {
    for (long small : axes.isEmpty() ? new long[0] : SMALL) {
      try {
        Attempt attempt = attempt(large.groups, large.factor, small);
        if (attempt.failure == null) {
          return attempt;
        }
      } catch (OnnxException e) {
        if (small > 1) {
          throw e;
        }
        // Formulas may drop axes of size 1.
      }
    }
    return large;
  }

  /** Makes as few further axes equal as possible so that the next operator fits. */
  private Attempt better(Attempt than) {
    for (int joins = 1; joins <= MOST_JOINS; joins++) {
      Attempt next = better(than, than.groups, joins, 0);
      if (next != null) {
        return next;
      }
    }
    throw than.failure;
  }

  private Attempt better(Attempt than, int[] groups, int joins, int from) {
    int n = axes.size();
    for (int pair = from; pair < n * n; pair++) {
      int a = pair / n;
      int b = pair % n;
      if (a < b && groups[a] != groups[b]) {
        int[] fewer = joined(groups, a, b);
        Attempt next =
            joins == 1
                ? attempt(fewer, than.factor, NONE)
                : better(than, fewer, joins - 1, pair + 1);
        if (next != null && next.done > than.done) {
          return next;
        }
      }
    }
    return null;
  }

  private static int[] joined(int[] groups, int a, int b) {
    return IntStream.of(groups).map(g -> g == groups[b] ? groups[a] : g).toArray();
  }

  private Attempt attempt(int[] groups, long factor, long small) {
    var built = new OnnxGraph(ctx, parameters);
    Map<Extent, String> labels = inputs(built, groups, factor, small);
    int done = 0;
    for (Operator op : graph.operators) {
      try {
        op.onnx(built);
      } catch (ShapeException e) {
        return new Attempt(built, labels, groups, factor, done, e);
      } catch (Unsayable e) {
        throw new OnnxException(
            ("[onnx] ONNX must have operators for what a model computes; got %s, which needs %s;"
                    + " export the variables before it.")
                .formatted(op.name(), e.getMessage()));
      }
      done++;
    }
    return new Attempt(built, labels, groups, factor, done, null);
  }

  private Map<Extent, String> inputs(OnnxGraph built, int[] groups, long factor, long small) {
    var labels = new LinkedHashMap<Extent, String>();
    for (Variable<?> input : graph.of(Variable.Kind.INPUT)) {
      var dims = new ArrayList<Extent>();
      for (int d = 0; d < input.dims().rank(); d++) {
        int axis = axes.indexOf(new Axis(input, d));
        dims.add(
            axis < 0 ? Extent.known(input.dims().at(d)) : standIn(groups[axis], factor, small));
        if (axis >= 0) {
          labels.putIfAbsent(dims.get(d), axes.get(axis).label());
        }
      }
      var value = new Value(built.model.fresh(input.name()), input.dtype(), Extents.of(dims));
      built.put(input, value);
      built.model.input(value, labels::get);
    }
    return labels;
  }

  private Extent standIn(int group, long factor, long small) {
    if (group >= STAND_INS.length) {
      throw new OnnxException(
          String.format(
              Locale.ROOT,
              "[onnx] at most %d extents of the inputs may be unknown; got %s; give the others.",
              STAND_INS.length,
              axes.stream().map(Axis::label).toList()));
    }
    long second = STAND_INS[group][1] * factor;
    return new Extent(STAND_INS[group][0] * factor, second, small == NONE ? second : small);
  }
}
