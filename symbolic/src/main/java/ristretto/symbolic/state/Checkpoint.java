package ristretto.symbolic.state;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.ObjIntConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.file.Excerpt;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Variable;

/**
 * Tensors of an executor in a file. Tensor names are the names of the variables; {@code
 * optimizer/adam/j/name} is state {@code j} of the optimizer {@code adam} for a variable, {@code
 * optimizer/adam/updates} its update count, {@code optimizer/adam/accumulated} its number of
 * accumulated gradients if it accumulates, and {@code optimizer/adam/rate} the factor of its
 * learning rate if that is not 1. The metadata {@code executor/updated/adam} names the parameters
 * that the optimizer has updated, if these are not all. All restored data is in one safetensors
 * file, with strings in its metadata, so a crash cannot leave two files that do not match; the JSON
 * file beside it is for people.
 *
 * <p>Older files number optimizers by their first use and lack update counts: each of their
 * optimizers has made as many updates as the executor has made steps.
 */
public final class Checkpoint {
  private static final String ENDING = ".safetensors";
  private static final String OPTIMIZER = "optimizer/";
  private static final String UPDATES = "/updates";
  private static final String ACCUMULATED = "/accumulated";
  private static final String RATE = "/rate";
  private static final String STEPS = "executor/step";
  private static final String SEED = "executor/seed";

  /** Prefix of the names of the parameters that an optimizer has updated, one per line. */
  private static final String UPDATED = "executor/updated/";

  private static final String FORMAT_KEY = "executor/format";

  /** Format that stores optimizers by name; files without a format number them. */
  private static final String FORMAT = "2";

  private static final Pattern NUMBER = Pattern.compile("\\d{1,4}");
  private static final Pattern KEPT = Pattern.compile(OPTIMIZER + "([^/]+)/(\\d{1,2})/.+");

  /** Tensor to be saved, with its label in messages. */
  public record Named(String name, String label, Tensor<?> tensor) {}

  /** Result of a restore, except tensors, which have been assigned already. */
  public record Restored(long seed, Map<String, String> notes, List<OptimizerState> unused) {}

  private final Context ctx;
  private final Path file;
  private final Map<String, Named> variables = new LinkedHashMap<>();
  private final List<OptimizerState> optimizers;
  private final Map<DType<?>, ParameterBuffer<?>> parameters;

  public Checkpoint(
      Context ctx,
      Path file,
      List<Named> tensors,
      List<OptimizerState> optimizers,
      Map<DType<?>, ParameterBuffer<?>> parameters) {
    this.ctx = ctx;
    this.file = file;
    this.optimizers = optimizers;
    this.parameters = parameters;
    if (!file.toString().endsWith(ENDING)) {
      throw new ShapeException(
          "[checkpoint] the file must be named .safetensors; got " + file + "; rename it.");
    }
    for (Named named : tensors) {
      Named other = variables.putIfAbsent(named.name, named);
      if (other != null) {
        throw new ShapeException(
            "[checkpoint] parameters and states must have unique names; got "
                + other.label
                + " and "
                + named.label
                + "; name their layers differently.");
      }
    }
  }

  /** Returns the tensors of an executor except optimizer states. */
  public static List<Named> named(
      Iterable<Variable<?>> variables,
      Function<Variable<?>, Tensor<?>> tensor,
      Tensor<I64> step,
      Precision precision) {
    var all = new ArrayList<Named>();
    for (Variable<?> v : variables) {
      if (v.initializer() != null) {
        all.add(new Named(v.name(), v.toString(), tensor.apply(v)));
      }
    }
    all.add(new Named(STEPS, "the number of steps", step));
    all.addAll(precision.tensors());
    return all;
  }

  /** Returns all tensors by their names in the file. */
  public Map<String, Tensor<?>> all() {
    var all = new LinkedHashMap<String, Tensor<?>>();
    variables.forEach((name, named) -> all.put(name, named.tensor));
    for (OptimizerState state : optimizers) {
      parts(state.name, state).forEach((name, named) -> all.put(name, named.tensor));
      if (state.accumulates) {
        all.put(OPTIMIZER + state.name + ACCUMULATED, state.accumulated);
      }
      all.put(OPTIMIZER + state.name + RATE, state.rateFactor);
    }
    return all;
  }

  public void save(long seed, Map<String, String> notes) {
    Map<String, Tensor<?>> all = all();
    for (OptimizerState state : optimizers) {
      if (state.rateFactor.item() == 1) {
        all.remove(OPTIMIZER + state.name + RATE);
      }
    }
    var metadata = new LinkedHashMap<String, String>();
    metadata.put(FORMAT_KEY, FORMAT);
    metadata.put(SEED, Long.toString(seed));
    for (OptimizerState state : optimizers) {
      // Without an entry, an optimizer has updated all parameters.
      if (!state.updatedNames.equals(parameterNames())) {
        metadata.put(UPDATED + state.name, String.join("\n", new TreeSet<>(state.updatedNames)));
      }
    }
    metadata.putAll(notes);
    ctx.saveAll(file, all, metadata);
    new Json().strings("notes", metadata).tensors("tensors", all).write(beside(file));
  }

  /** Returns the path of the JSON file. */
  private static Path beside(Path file) {
    String name = file.getFileName().toString();
    return file.resolveSibling(name.substring(0, name.length() - ENDING.length()) + ".json");
  }

  /** Access to the memory of state {@code j} that an optimizer keeps for a variable. */
  @FunctionalInterface
  private interface Memory {
    Tensor<?> of(ParameterBuffer<?> flat, Variable<?> v, int j);
  }

  /**
   * Returns the tensors of an optimizer's state by their names in the file.
   *
   * @param optimizer name in the file
   * @param count number of state tensors for each parameter
   */
  private Map<String, Named> parts(
      String optimizer, int count, Tensor<I64> updates, Memory memory) {
    var all = new LinkedHashMap<String, Named>();
    if (!isNumber(optimizer)) {
      String name = OPTIMIZER + optimizer + UPDATES;
      all.put(name, new Named(name, "the number of updates", updates));
    }
    for (ParameterBuffer<?> flat : parameters.values()) {
      for (int j = 0; j < count; j++) {
        for (Variable<?> v : flat.variables()) {
          String name = OPTIMIZER + optimizer + "/" + j + "/" + v.name();
          all.put(name, new Named(name, v.toString(), memory.of(flat, v, j)));
        }
      }
    }
    return all;
  }

  private Map<String, Named> parts(String optimizer, OptimizerState state) {
    return parts(
        optimizer,
        state.count(),
        state.updates,
        (flat, v, j) -> flat.part(v, state.kept.get(flat.dtype).get(j)));
  }

  public Restored restore() {
    Map<String, Tensor<?>> found = ctx.loadAll(file);
    Map<String, String> notes = new LinkedHashMap<>(ctx.loadMetadata(file));
    long seed = seed(notes.remove(SEED));
    Map<String, Integer> saved = isNamed(notes.remove(FORMAT_KEY)) ? named(found) : numbered(found);
    Map<String, OptimizerState> used = used(saved);
    var updated = new HashMap<String, Set<String>>();
    saved.keySet().forEach(name -> updated.put(name, updated(notes.remove(UPDATED + name))));
    used.forEach((name, state) -> {
      saved.put(name, state.count());
      requireKind(state, found.containsKey(OPTIMIZER + name + ACCUMULATED));
      requireScope(state, updated.getOrDefault(name, Set.of()));
    });
    // Checks the file before allocating optimizer states.
    var wanted = new LinkedHashMap<>(variables);
    saved.forEach((name, count) ->
        wanted.putAll(parts(name, count, updatesLike(), (flat, v, _) -> flat.part(v))));
    for (String name : saved.keySet()) {
      wanted.putAll(present(found, name, updatesLike(), ctx.ones(Ops.F32)));
    }
    check(wanted, found);
    var unused = new ArrayList<OptimizerState>();
    saved.forEach((name, count) -> {
      OptimizerState state = used.get(name);
      if (state == null) {
        boolean accumulates = found.containsKey(OPTIMIZER + name + ACCUMULATED);
        state = OptimizerState.zeros(ctx, name, count, accumulates, parameters);
        unused.add(state);
      }
      state.updatedNames.addAll(updated.getOrDefault(name, Set.of()));
      wanted.putAll(parts(name, state));
      ctx.assign(state.accumulated, Ops.fill(Ops.I64, 0));
      ctx.assign(state.rateFactor, Ops.fill(Ops.F32, 1));
      wanted.putAll(present(found, name, state.accumulated, state.rateFactor));
      if (isNumber(name)) {
        assign(state.updates, found.get(STEPS));
      }
    });
    wanted.forEach((name, named) -> assign(named.tensor, found.get(name)));
    return new Restored(seed, notes, unused);
  }

  private Set<String> parameterNames() {
    var all = new HashSet<String>();
    parameters.values().forEach(flat -> flat.variables().forEach(v -> all.add(v.name())));
    return all;
  }

  /**
   * Returns the names of the parameters that an optimizer has updated.
   *
   * @param lines entry of the file, or null
   */
  private Set<String> updated(String lines) {
    return lines == null
        ? parameterNames()
        : lines.lines().collect(Collectors.toCollection(HashSet::new));
  }

  /** Checks that an optimizer in use has parameters in common with that of its name in the file. */
  private void requireScope(OptimizerState state, Set<String> updated) {
    boolean any =
        state.rules().parameters().stream().anyMatch(v -> updated.contains(v.name()))
            || updated.isEmpty();
    if (!any) {
      throw new FileFormatException(
          ("[restore] an optimizer must update parameters that the one of its name in the file has"
                  + " updated; got %s of %s, and %s, where it has updated %s; name the optimizers"
                  + " with named(...) when the checkpoint is made, or restore before their first"
                  + " steps.")
              .formatted(
                  state.name,
                  state.rules().parameters().iterator().next(),
                  file,
                  Excerpt.of(new TreeSet<>(updated).first())));
    }
  }

  private void requireKind(OptimizerState state, boolean accumulates) {
    if (state.accumulates != accumulates) {
      throw new FileFormatException(
          ("[restore] an optimizer must accumulate gradients if that of the file does; got %s,"
                  + " which %s, and %s; make the optimizer that was saved.")
              .formatted(
                  state.name, state.accumulates ? "accumulates" : "does not accumulate", file));
    }
  }

  /** Returns those optional tensors of an optimizer that a file has. */
  private static Map<String, Named> present(
      Map<String, Tensor<?>> found, String optimizer, Tensor<I64> accumulated, Tensor<F32> rate) {
    var all = new LinkedHashMap<String, Named>();
    String first = OPTIMIZER + optimizer + ACCUMULATED;
    all.put(first, new Named(first, "the number of accumulated gradients", accumulated));
    String second = OPTIMIZER + optimizer + RATE;
    all.put(second, new Named(second, "the factor of the learning rate", rate));
    all.keySet().retainAll(found.keySet());
    return all;
  }

  /** Returns a tensor with the dtype and shape of update counts. */
  @SuppressWarnings("unchecked")
  private Tensor<I64> updatesLike() {
    return (Tensor<I64>) variables.get(STEPS).tensor;
  }

  /** Returns the states of optimizers that have been used, by their names in the file. */
  private Map<String, OptimizerState> used(Map<String, Integer> saved) {
    boolean numbered = !saved.isEmpty() && saved.keySet().stream().allMatch(Checkpoint::isNumber);
    var all = new LinkedHashMap<String, OptimizerState>();
    optimizers.stream()
        .filter(OptimizerState::isUsed)
        .forEach(state -> all.put(numbered ? Integer.toString(all.size()) : state.name, state));
    return all;
  }

  private boolean isNamed(String format) {
    if (format != null && !format.equals(FORMAT)) {
      throw new FileFormatException(
          ("[restore] the file must be of format %s, or older; got %s of format \"%s\"; read it"
                  + " with the version that wrote it.")
              .formatted(FORMAT, file, Excerpt.of(format)));
    }
    return format != null;
  }

  /** Returns true for an optimizer name in an older file, which is a number. */
  static boolean isNumber(String name) {
    return NUMBER.matcher(name).matches();
  }

  /** Returns the number of state values per parameter of each optimizer, by optimizer name. */
  private static Map<String, Integer> named(Map<String, Tensor<?>> found) {
    var all = new TreeMap<String, Integer>();
    for (String name : found.keySet()) {
      if (name.startsWith(OPTIMIZER) && name.endsWith(UPDATES)) {
        String optimizer =
            name.substring(
                OPTIMIZER.length(), Math.max(OPTIMIZER.length(), name.length() - UPDATES.length()));
        if (!optimizer.contains("/") && !isNumber(optimizer)) {
          all.put(optimizer, 0);
        }
      }
    }
    count(
        found, (optimizer, count) -> all.computeIfPresent(optimizer, (_, n) -> Math.max(n, count)));
    return all;
  }

  /**
   * Returns the number of state values per parameter of each optimizer in an older file, which
   * omits optimizers without state.
   */
  private static Map<String, Integer> numbered(Map<String, Tensor<?>> found) {
    var numbers = new TreeMap<Integer, Integer>(Map.of(0, 0));
    count(
        found,
        (optimizer, count) -> {
          if (isNumber(optimizer)) {
            numbers.merge(Integer.valueOf(optimizer), count, Math::max);
          }
        });
    var all = new LinkedHashMap<String, Integer>();
    for (int k = 0; k <= numbers.lastKey(); k++) {
      all.put(Integer.toString(k), numbers.getOrDefault(k, 0));
    }
    return all;
  }

  private static void count(Map<String, Tensor<?>> found, ObjIntConsumer<String> counted) {
    for (String name : found.keySet()) {
      Matcher kept = KEPT.matcher(name);
      if (kept.matches()) {
        counted.accept(kept.group(1), Integer.parseInt(kept.group(2)) + 1);
      }
    }
  }

  private long seed(String text) {
    if (text == null) {
      throw new FileFormatException(
          "[restore] the file must have been written by Executor.save; got "
              + file
              + ", which has no seed; load it with ctx.loadAll and assign to tensor(variable).");
    }
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new FileFormatException(
          "[restore] a seed must be a whole number of 64 bits; got \""
              + Excerpt.of(text)
              + "\" in "
              + file
              + "; the file is damaged, save it again.",
          e);
    }
  }

  private void check(Map<String, Named> wanted, Map<String, Tensor<?>> found) {
    for (Named named : wanted.values()) {
      Tensor<?> t = found.get(named.name);
      if (t == null) {
        throw new FileFormatException(
            ("[restore] the file must have all tensors of the model; got %s without %s (for"
                    + " %s); build the model that was saved.")
                .formatted(file, named.name, named.label));
      }
      Shape shape = named.tensor.shape();
      if (t.dtype() != (Object) named.tensor.dtype() || !t.shape().equals(shape)) {
        throw new FileFormatException(
            ("[restore] tensors must have the model's dtype and shape; got %s %s%s in %s for"
                    + " %s; build the model that was saved.")
                .formatted(named.name, t.dtype(), t.shape(), file, named.label));
      }
    }
    for (Map.Entry<String, Tensor<?>> t : found.entrySet()) {
      if (!wanted.containsKey(t.getKey())) {
        throw new FileFormatException(
            ("[restore] the model must have all tensors of the file; got %s %s%s in %s, which"
                    + " it has no variable for; build the model that was saved.")
                .formatted(
                    Excerpt.of(t.getKey()), t.getValue().dtype(), t.getValue().shape(), file));
      }
    }
  }

  @SuppressWarnings("unchecked")
  private <T> void assign(Tensor<T> target, Tensor<?> value) {
    ctx.assign(target, (Tensor<T>) value);
  }
}
