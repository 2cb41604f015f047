package ristretto.symbolic;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.file.Excerpt;
import ristretto.expr.file.StoredTensor;
import ristretto.expr.file.WeightFiles;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.kernels.FileFormatException;
import ristretto.symbolic.graph.Variable;

/**
 * Loads parameters and states from a weight file, perhaps a sharded one. The names, shapes and
 * dtypes of all variables are checked first; then all elements are read to memory of their own; at
 * last the variables are assigned. So an error leaves every variable as it was.
 */
final class WeightLoader {
  /** Endings of names in PyTorch and here; the loader tries both ways. */
  private static final Map<String, String> ALIASES =
      Map.of(".running_mean", ".mean", ".running_var", ".variance");

  private final Context ctx;
  private final Path path;
  private final Rules rules;

  /** Variables by name. */
  private final Map<String, Variable<?>> variables = new LinkedHashMap<>();

  private final Set<String> rightFactors;

  /** Names in the file by names in the model. */
  private final Map<String, String> sources = new LinkedHashMap<>();

  private final List<String> extra = new ArrayList<>();
  private final Map<String, String> transposed = new LinkedHashMap<>();
  private final Map<String, String> cast = new LinkedHashMap<>();
  private final List<String> missing = new ArrayList<>();
  private final Map<String, String> misfits = new LinkedHashMap<>();
  private final Set<String> loaded = new LinkedHashSet<>();

  /**
   * Creates a loader.
   *
   * @param variables parameters and states of the model
   * @param rightFactors names of weights that multiply their input from the right
   */
  WeightLoader(
      Context ctx, Path path, Rules rules, List<Variable<?>> variables, Set<String> rightFactors) {
    this.ctx = ctx;
    this.path = path;
    this.rules = rules;
    this.rightFactors = rightFactors;
    variables.forEach(v -> this.variables.put(v.name(), v));
  }

  /**
   * Loads the file.
   *
   * @param memory tensor of a variable
   */
  LoadReport load(Function<Variable<?>, Tensor<?>> memory) {
    rules.requireUsed(List.copyOf(variables.keySet()));
    var values = new LinkedHashMap<String, Expr<?>>();
    try (WeightFiles file = WeightFiles.open(path)) {
      match(file.tensors());
      decide(file);
      requireLoaded(List.copyOf(file.tensors().keySet()));
      var read = new LinkedHashMap<String, Tensor<?>>();
      loaded.forEach(name -> {
        StoredTensor stored = file.tensors().get(sources.get(name));
        read.put(name, ctx.empty(DType.of(stored.type()), Shape.of(stored.shape()).size()));
      });
      read.forEach((name, flat) -> {
        StoredTensor stored = file.tensors().get(sources.get(name));
        fill(flat, stored);
        requireRange(variables.get(name), flat);
        values.put(name, value(name, flat, Shape.of(stored.shape()).toArray()));
      });
    }
    values.forEach((name, value) -> assign(memory.apply(variables.get(name)), value));
    return report();
  }

  /** Refuses rules that leave every variable as it is, such as a prefix that names do not have. */
  private void requireLoaded(List<String> names) {
    if (loaded.isEmpty()) {
      throw new FileFormatException(
          ("[load] the file must have a tensor for at least one variable; got none in %s, which has"
                  + " %s, for a model that has %s; rename them by Rules.rename.")
              .formatted(
                  Excerpt.whole(shown()),
                  LoadReport.some(names),
                  LoadReport.some(List.copyOf(variables.keySet()))));
    }
  }

  private LoadReport report() {
    var renamed = new LinkedHashMap<String, String>();
    loaded.forEach(name -> {
      if (!sources.get(name).equals(name)) {
        renamed.put(name, sources.get(name));
      }
    });
    return new LoadReport(
        List.copyOf(loaded),
        renamed,
        Map.copyOf(transposed),
        Map.copyOf(cast),
        List.copyOf(missing),
        Map.copyOf(misfits),
        List.copyOf(extra));
  }

  // Names

  private void match(Map<String, StoredTensor> tensors) {
    for (String source : tensors.keySet()) {
      String name = known(rules.renamed(source));
      if (name == null) {
        extra.add(source);
        continue;
      }
      String other = sources.putIfAbsent(name, source);
      if (other != null) {
        throw new FileFormatException(
            ("[load] each variable must have one tensor in the file; got %s and %s for %s in %s;"
                    + " correct the renaming.")
                .formatted(
                    Excerpt.whole(other), Excerpt.whole(source), name, Excerpt.whole(shown())));
      }
    }
  }

  /** Returns the name of a variable, perhaps under an alias, or null. */
  private String known(String name) {
    if (variables.containsKey(name)) {
      return name;
    }
    for (Map.Entry<String, String> alias : ALIASES.entrySet()) {
      String ours = swapped(name, alias.getKey(), alias.getValue());
      if (variables.containsKey(ours)) {
        return ours;
      }
      String theirs = swapped(name, alias.getValue(), alias.getKey());
      if (variables.containsKey(theirs)) {
        return theirs;
      }
    }
    return null;
  }

  private static String swapped(String name, String from, String to) {
    return name.endsWith(from) ? name.substring(0, name.length() - from.length()) + to : name;
  }

  private String shown() {
    return path.toString();
  }

  // Shapes

  private void decide(WeightFiles file) {
    var square = new ArrayList<String>();
    var problems = new ArrayList<String>();
    var asStored = new ArrayList<String>();
    var turned = new ArrayList<String>();
    for (Variable<?> v : variables.values()) {
      String name = v.name();
      if (!sources.containsKey(name)) {
        if (rules.isOptional(name)) {
          missing.add(name);
        } else {
          problems.add(v + " missing");
        }
        continue;
      }
      StoredTensor stored = file.tensors().get(sources.get(name));
      DType<?> dtype = DType.of(stored.type());
      Shape from = Shape.of(stored.shape());
      Shape to = v.dims().shape();
      Shape target = rules.isTransposed(name) && to.rank() == 2 ? turned(to) : to;
      boolean fits = from.equals(target);
      boolean fitsTurned = from.rank() == 2 && from.equals(turned(to)) && !rules.isAsStored(name);
      if (!(fits || fitsTurned) || !castable(dtype, v.dtype())) {
        String pair = v + " is " + dtype + from + " in the file";
        if (rules.isOptional(name)) {
          misfits.put(name, dtype + "" + from + " for " + v.dtype() + to);
        } else {
          problems.add(pair);
        }
        continue;
      }
      loaded.add(name);
      if (dtype != (Object) v.dtype()) {
        cast.put(name, dtype + " to " + v.dtype());
      }
      if (rules.isTransposed(name)) {
        transposed.put(name, "by rule");
      } else if (!fits) {
        transposed.put(name, "by shape, " + from + " to " + to);
        turned.add(name);
      } else if (from.rank() == 2 && from.at(0) == from.at(1) && from.at(0) > 1) {
        square.add(name);
      } else if (from.rank() == 2 && rightFactors.contains(name) && !fitsTurned) {
        asStored.add(name);
      }
    }
    refuse(problems);
    turned.retainAll(rightFactors);
    square.removeIf(rules::isAsStored);
    layouts(file, square, turned, asStored);
  }

  private static Shape turned(Shape shape) {
    return shape.rank() == 2 ? Shape.of(shape.at(1), shape.at(0)) : shape;
  }

  private static boolean castable(DType<?> from, DType<?> to) {
    return from == (Object) to || from.isFloat() && to.isFloat();
  }

  private void refuse(List<String> problems) {
    if (!problems.isEmpty()) {
      throw new FileFormatException(
          ("[load] the file must have a tensor for each parameter and state; got %s with %s;"
                  + " other tensors of the file: %s; rename them by Rules.rename, or let variables"
                  + " keep their values by optional.")
              .formatted(
                  Excerpt.whole(shown()), LoadReport.some(problems), LoadReport.some(extra)));
    }
  }

  /**
   * Decides the layout of square matrices. A weight of a dense layer has the layout of the file's
   * other weights of dense layers, which their shapes show, and that of the program that wrote the
   * file; if they differ, or if there is neither, a rule has to decide.
   */
  private void layouts(
      WeightFiles file, List<String> square, List<String> turned, List<String> asStored) {
    boolean own = file.metadata().keySet().stream().anyMatch(key -> key.startsWith("executor/"));
    boolean torch = file.isPyTorch();
    if (own && turned.isEmpty()) {
      return;
    }
    boolean forTurned = torch || !turned.isEmpty();
    boolean forAsStored = own || !asStored.isEmpty();
    for (String name : square) {
      if (!rightFactors.contains(name) || forTurned == forAsStored) {
        throw new FileFormatException(
            ("[load] the layout of a square matrix must be known; got %s in %s; say"
                    + " transpose(\"%s\") if the file has it as [out, in], as PyTorch's Linear, or"
                    + " asStored(\"%s\") if as [in, out].")
                .formatted(variables.get(name), Excerpt.whole(shown()), name, name));
      }
      if (forTurned) {
        transposed.put(
            name, torch ? "square, by PyTorch's layout" : "square, as the other dense layers");
      }
    }
  }

  // Elements

  private <T> void fill(Tensor<T> flat, StoredTensor stored) {
    int size = flat.dtype().bytes();
    stored
        .elements()
        .forEach((at, bytes) ->
            ctx.copy(bytes, flat.slice(Ops.range(at / size, (at + bytes.byteSize()) / size))));
  }

  /** Refuses finite values that the dtype of a variable would round to infinity. */
  private <T> void requireRange(Variable<?> v, Tensor<T> flat) {
    if (!cast.containsKey(v.name()) || flat.shape().size() == 0) {
      return;
    }
    Expr<BOOL> lost = Ops.isInf(flat.cast(v.dtype())).and(Ops.isFinite(flat));
    Expr<T> largest = Ops.max(Ops.where(lost, Ops.abs(flat), 0));
    double value = ctx.eval(largest.cast(Ops.F64)).item();
    if (value != 0) {
      throw new FileFormatException(
          ("[load] finite values must stay finite in the dtype of their variable; got a magnitude"
                  + " of %s for %s, which is %s in %s; declare the variable as %s, or scale"
                  + " the values.")
              .formatted(value, v, flat.dtype(), Excerpt.whole(shown()), flat.dtype()));
    }
  }

  private <T> Expr<T> value(String name, Tensor<T> flat, long... shape) {
    Expr<T> value = flat.reshape(shape);
    return transposed.containsKey(name) ? value.t() : value;
  }

  private <T> void assign(Tensor<T> target, Expr<?> value) {
    ctx.assign(target, value.cast(target.dtype()));
  }
}
