package ristretto.expr;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import ristretto.expr.file.Excerpt;
import ristretto.expr.file.HostTensor;
import ristretto.expr.file.StoredTensor;
import ristretto.expr.file.TensorFile;
import ristretto.expr.file.TensorFiles;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.ShapeException;

/** Loads tensors from files and saves tensors to files. */
final class TensorStore {
  private TensorStore() {}

  static Map<String, Tensor<?>> loadAll(TensorFactories context, Path file) {
    try (TensorFile open = TensorFile.open(file)) {
      var all = new LinkedHashMap<String, Tensor<?>>();
      // Allocate all memory first, to fail before reading if the tensors do not fit.
      open.tensors().forEach((name, stored) -> all.put(name, room(context, stored)));
      open.tensors().forEach((name, stored) -> fill(all.get(name), stored));
      return all;
    }
  }

  @SuppressWarnings("unchecked")
  static <T> Tensor<T> load(TensorFactories context, DType<T> dtype, Path file) {
    try (TensorFile open = TensorFile.open(file)) {
      Map<String, StoredTensor> all = open.tensors();
      if (all.size() != 1) {
        throw new FileFormatException(
            "[load] the file must hold one tensor; got %s in %s: %s; use loadAll."
                .formatted(all.size(), file, Excerpt.of(all.keySet().toString())));
      }
      StoredTensor only = all.values().iterator().next();
      if (only.type() != dtype.scalar()) {
        throw new FileFormatException(
            "[load] the file must hold %s; got %s%s in %s; load it as that and cast it."
                .formatted(dtype, only.type().label(), Shape.of(only.shape()), file));
      }
      Tensor<?> t = room(context, only);
      fill(t, only);
      return (Tensor<T>) t;
    }
  }

  private static Tensor<?> room(TensorFactories context, StoredTensor stored) {
    return context.room(DType.of(stored.type()), Shape.of(stored.shape()));
  }

  private static void fill(Tensor<?> t, StoredTensor stored) {
    stored.elements().forEach((at, bytes) -> t.context().session().writeBytes(t, at, bytes));
  }

  static void save(
      Path file, Map<String, ? extends Tensor<?>> tensors, Map<String, String> metadata) {
    try (Arena arena = Arena.ofConfined()) {
      var all = new LinkedHashMap<String, HostTensor>();
      tensors.forEach((name, t) -> {
        if (t == null) {
          throw new ShapeException(
              "[save] tensors must not be null; got null for \"" + name + "\".");
        }
        MemorySegment data = arena.allocate(Math.max(1, t.shape().size() * t.dtype().bytes()));
        data = data.asSlice(0, t.shape().size() * t.dtype().bytes());
        HostTransfer.read(t, data);
        all.put(name, new HostTensor(t.dtype().scalar(), t.shape().longs(), data));
      });
      TensorFiles.write(file, all, metadata);
    }
  }
}
