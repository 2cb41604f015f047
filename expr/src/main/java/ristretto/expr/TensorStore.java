package ristretto.expr;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import ristretto.expr.file.HostTensor;
import ristretto.expr.file.TensorFiles;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.ShapeException;

/** Tensors to and from files. */
final class TensorStore {
  private TensorStore() {}

  static Map<String, Tensor<?>> loadAll(Context context, Path file) {
    try (Arena arena = Arena.ofConfined()) {
      var all = new LinkedHashMap<String, Tensor<?>>();
      TensorFiles.read(file, arena).forEach((name, host) -> all.put(name, upload(context, host)));
      return all;
    }
  }

  @SuppressWarnings("unchecked")
  static <T> Tensor<T> load(Context context, DType<T> dtype, Path file) {
    try (Arena arena = Arena.ofConfined()) {
      Map<String, HostTensor> all = TensorFiles.read(file, arena);
      if (all.size() != 1) {
        throw new FileFormatException(
            "[load] the file must hold one tensor; got "
                + all.size()
                + " in "
                + file
                + ": "
                + all.keySet()
                + "; use loadAll.");
      }
      HostTensor only = all.values().iterator().next();
      if (only.type() != dtype.scalar()) {
        throw new FileFormatException(
            "[load] the file must hold "
                + dtype
                + "; got "
                + only.type().label()
                + Shape.of(only.shape())
                + " in "
                + file
                + "; load it as that and cast it.");
      }
      return (Tensor<T>) upload(context, only);
    }
  }

  private static Tensor<?> upload(Context context, HostTensor host) {
    return context.tensor(DType.of(host.type()), host.data(), Shape.of(host.shape()));
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
