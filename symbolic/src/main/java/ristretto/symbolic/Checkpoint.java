package ristretto.symbolic;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import ristretto.expr.Context;
import ristretto.expr.DType;
import ristretto.expr.Shape;
import ristretto.expr.Tensor;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.ShapeException;

/**
 * An executor's tensors in a file. Variables go by their names, what optimizer {@code k} keeps as
 * its {@code j}-th number for one as {@code optimizer/k/j/name}. Everything that is read back is in
 * the one safetensors file, strings in its metadata, so that no crash can leave two files that do
 * not belong together; the JSON beside it is for people.
 */
final class Checkpoint {
  private static final String ENDING = ".safetensors";
  private static final String OPTIMIZER = "optimizer/";
  private static final String SEED = "executor/seed";

  /** Something to be saved, and how messages call it. */
  record Named(String name, String label, Tensor<?> tensor) {}

  /** What was read, but for tensors that have been assigned. */
  record Restored(
      long seed, Map<String, String> notes, List<Map<DType<?>, List<Tensor<?>>>> unclaimed) {}

  private final Context ctx;
  private final Path file;
  private final Map<String, Named> variables = new LinkedHashMap<>();
  private final List<Map<DType<?>, List<Tensor<?>>>> optimizers;
  private final Map<DType<?>, Flat<?>> parameters;

  Checkpoint(
      Context ctx,
      Path file,
      List<Named> tensors,
      List<Map<DType<?>, List<Tensor<?>>>> optimizers,
      Map<DType<?>, Flat<?>> parameters) {
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
            "[checkpoint] parameters and states must have names of their own; got "
                + other.label
                + " and "
                + named.label
                + "; name their layers differently.");
      }
    }
  }

  void save(long seed, Map<String, String> notes) {
    var all = new LinkedHashMap<String, Tensor<?>>();
    variables.forEach((name, named) -> all.put(name, named.tensor));
    for (int k = 0; k < optimizers.size(); k++) {
      parts(k, optimizers.get(k)).forEach((name, named) -> all.put(name, named.tensor));
    }
    var metadata = new LinkedHashMap<String, String>();
    metadata.put(SEED, Long.toString(seed));
    metadata.putAll(notes);
    ctx.saveAll(file, all, metadata);
    new Json().strings("notes", metadata).tensors("tensors", all).write(beside(file));
  }

  /** The JSON's name. */
  private static Path beside(Path file) {
    String name = file.getFileName().toString();
    return file.resolveSibling(name.substring(0, name.length() - ENDING.length()) + ".json");
  }

  private Map<String, Named> parts(int k, Map<DType<?>, List<Tensor<?>>> memory) {
    var all = new LinkedHashMap<String, Named>();
    memory.forEach((dtype, tensors) -> {
      Flat<?> flat = parameters.get(dtype);
      for (int j = 0; j < tensors.size(); j++) {
        for (Variable<?> v : flat.variables()) {
          String name = OPTIMIZER + k + "/" + j + "/" + v.name();
          all.put(name, new Named(name, v.toString(), flat.part(v, tensors.get(j))));
        }
      }
    });
    return all;
  }

  Restored restore() {
    Map<String, Tensor<?>> found = ctx.loadAll(file);
    Map<String, String> notes = new LinkedHashMap<>(ctx.loadMetadata(file));
    long seed = seed(notes.remove(SEED));
    var wanted = new LinkedHashMap<>(variables);
    var unclaimed = new ArrayList<Map<DType<?>, List<Tensor<?>>>>();
    TreeMap<Integer, Integer> saved = saved(found);
    int count = saved.isEmpty() ? 0 : saved.lastKey() + 1;
    for (int k = 0; k < Math.max(optimizers.size(), count); k++) {
      Map<DType<?>, List<Tensor<?>>> memory;
      if (k < optimizers.size()) {
        memory = optimizers.get(k);
      } else {
        memory = zeros(saved.getOrDefault(k, 0));
        unclaimed.add(memory);
      }
      wanted.putAll(parts(k, memory));
    }
    check(wanted, found);
    wanted.forEach((name, named) -> assign(named.tensor, found.get(name)));
    return new Restored(seed, notes, unclaimed);
  }

  /** How many numbers each optimizer keeps for each parameter, by the names in the file. */
  private static TreeMap<Integer, Integer> saved(Map<String, Tensor<?>> found) {
    var all = new TreeMap<Integer, Integer>();
    for (String name : found.keySet()) {
      String[] words = name.split("/", 4);
      if (name.startsWith(OPTIMIZER)
          && words.length == 4
          && words[1].matches("\\d{1,4}")
          && words[2].matches("\\d{1,2}")) {
        all.merge(Integer.valueOf(words[1]), Integer.parseInt(words[2]) + 1, Math::max);
      }
    }
    return all;
  }

  private Map<DType<?>, List<Tensor<?>>> zeros(int count) {
    var all = new HashMap<DType<?>, List<Tensor<?>>>();
    parameters.forEach((dtype, flat) -> all.put(dtype, flat.zeros(ctx, count)));
    return all;
  }

  private long seed(String text) {
    if (text == null || !text.matches("-?\\d{1,19}")) {
      throw new FileFormatException(
          "[restore] the file must have been written by an executor's save; got "
              + file
              + ", which has no seed; load it with ctx.loadAll and assign to tensor(variable).");
    }
    return Long.parseLong(text);
  }

  private void check(Map<String, Named> wanted, Map<String, Tensor<?>> found) {
    for (Named named : wanted.values()) {
      Tensor<?> t = found.get(named.name);
      if (t == null) {
        throw new FileFormatException(
            "[restore] the file must have all tensors of the model; got "
                + file
                + " without "
                + named.name
                + " (for "
                + named.label
                + "); build the model that was saved.");
      }
      Shape shape = named.tensor.shape();
      if (t.dtype() != (Object) named.tensor.dtype() || !t.shape().equals(shape)) {
        throw new FileFormatException(
            "[restore] tensors must have the dtype and shape that the model's have; got "
                + named.name
                + " "
                + t.dtype()
                + t.shape()
                + " in "
                + file
                + " for "
                + named.label
                + "; build the model that was saved.");
      }
    }
    for (Map.Entry<String, Tensor<?>> t : found.entrySet()) {
      if (!wanted.containsKey(t.getKey())) {
        throw new FileFormatException(
            "[restore] the model must have all tensors of the file; got "
                + t.getKey()
                + " "
                + t.getValue().dtype()
                + t.getValue().shape()
                + " in "
                + file
                + ", which it has no variable for; build the model that was saved.");
      }
    }
  }

  @SuppressWarnings("unchecked")
  private <T> void assign(Tensor<T> target, Tensor<?> value) {
    ctx.assign(target, (Tensor<T>) value);
  }

  /** What was read for the next optimizer that is used for the first time. */
  static Map<DType<?>, List<Tensor<?>>> claim(
      Queue<Map<DType<?>, List<Tensor<?>>>> restored, int states) {
    for (List<Tensor<?>> kept : restored.element().values()) {
      if (kept.size() != states) {
        throw new ShapeException(
            "[step] training must go on with the optimizer it began with; got one that keeps "
                + states
                + (states == 1 ? " number" : " numbers")
                + " for each parameter, and the restored file has "
                + kept.size()
                + "; make the optimizer that was saved.");
      }
    }
    return restored.remove();
  }
}
