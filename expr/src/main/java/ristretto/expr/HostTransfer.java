package ristretto.expr;

import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import ristretto.expr.file.Excerpt;
import ristretto.expr.file.HostTensor;
import ristretto.expr.file.StoredTensor;
import ristretto.expr.file.TensorFile;
import ristretto.expr.file.TensorFiles;
import ristretto.expr.option.PrintOptions;
import ristretto.expr.option.TensorFormat;
import ristretto.expr.print.ElementReader;
import ristretto.expr.print.TensorPrinter;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I16;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.expr.type.Slice;
import ristretto.expr.type.U64;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.ShapeException;
import ristretto.kernels.debug.Debug;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Device;

/** Copies elements between tensors and Java arrays or files. */
final class HostTransfer {
  private static final long MOST_PRINTED_WHOLE = 1 << 20;

  private HostTransfer() {}

  static float[] toFloats(Tensor<?> t) {
    float[] out = new float[length(t, F32.INSTANCE, "toFloatArray")];
    read(t, MemorySegment.ofArray(out));
    return out;
  }

  static double[] toDoubles(Tensor<?> t) {
    double[] out = new double[length(t, F64.INSTANCE, "toDoubleArray")];
    read(t, MemorySegment.ofArray(out));
    return out;
  }

  static short[] toShorts(Tensor<?> t) {
    Tensor<?> wide = widened(t, I16.INSTANCE);
    short[] out = new short[length(wide, I16.INSTANCE, "toShortArray")];
    read(wide, MemorySegment.ofArray(out));
    return out;
  }

  static int[] toInts(Tensor<?> t) {
    Tensor<?> wide = widened(t, I32.INSTANCE);
    int[] out = new int[length(wide, I32.INSTANCE, "toIntArray")];
    read(wide, MemorySegment.ofArray(out));
    return out;
  }

  static long[] toLongs(Tensor<?> t) {
    Tensor<?> wide = widened(t, I64.INSTANCE);
    long[] out = new long[length(wide, I64.INSTANCE, "toLongArray")];
    read(wide, MemorySegment.ofArray(out));
    return out;
  }

  /** Converts integers to a wider dtype if it holds all of their values. */
  private static Tensor<?> widened(Tensor<?> t, DType<?> wide) {
    boolean widens =
        t.dtype() != (Object) wide
            && t.dtype().isInteger()
            && DType.promote(t.dtype(), wide) == (Object) wide;
    return widens ? t.context().evalNow(t.cast(wide)) : t;
  }

  static boolean[] toBooleans(Tensor<?> t) {
    length(t, BOOL.INSTANCE, "toBooleanArray");
    byte[] bytes = toBytes(t);
    boolean[] out = new boolean[bytes.length];
    for (int k = 0; k < out.length; k++) {
      out[k] = bytes[k] != 0;
    }
    return out;
  }

  static byte[] toBytes(Tensor<?> t) {
    byte[] out = new byte[arrayLength(t, t.shape().size() * t.dtype().bytes())];
    read(t, MemorySegment.ofArray(out));
    return out;
  }

  private static int length(Tensor<?> t, DType<?> wanted, String method) {
    if (t.dtype() != (Object) wanted) {
      throw new ShapeException(
          "[%s] the dtype must be %s; got %s; cast it first: ctx.eval(x.cast(%s))."
              .formatted(method, wanted, t.label(), wanted.scalar().name()));
    }
    return arrayLength(t, t.shape().size());
  }

  private static int arrayLength(Tensor<?> t, long n) {
    if (n > Integer.MAX_VALUE - 8) {
      throw new ShapeException(
          "[toArray] a Java array holds at most 2147483639 elements; got "
              + t.label()
              + "; slice it first.");
    }
    return (int) n;
  }

  /** Copies a tensor's elements to memory of as many bytes. */
  static void copy(Tensor<?> t, MemorySegment target) {
    long bytes = t.shape().size() * t.dtype().bytes();
    if (target.byteSize() != bytes) {
      throw new ShapeException(
          "[copy] the memory must hold the tensor; got %s bytes for %s (%s bytes)."
              .formatted(target.byteSize(), t.label(), bytes));
    }
    read(t, target);
  }

  /** Copies a tensor's elements, row-major, to {@code target}. */
  static void read(Tensor<?> t, MemorySegment target) {
    if (t.shape().size() == 0) {
      return;
    }
    Context context = t.context();
    context.session().read(context.session().contiguous(t), target);
  }

  /** Copies row-major elements, in the bytes of the tensor's dtype, to a tensor. */
  static void write(Tensor<?> t, MemorySegment values) {
    long bytes = t.shape().size() * t.dtype().bytes();
    if (values.byteSize() != bytes) {
      throw new ShapeException(
          "[write] the data must fill the target; got %s bytes for %s (%s bytes)."
              .formatted(values.byteSize(), t.label(), bytes));
    }
    t.context().session().write(t, values);
  }

  /** Devices whose memory the host cannot access, and that were logged. */
  private static final Set<String> COPYING = ConcurrentHashMap.newKeySet();

  /** Elements of a row-major tensor within its buffer, in bytes; keeps no memory reachable. */
  record Extent(long start, long bytes) {
    static Extent of(Tensor<?> t) {
      return new Extent(HostTransfer.start(t), t.shape().size() * t.dtype().bytes());
    }
  }

  /**
   * Runs code on the host with memory of a device: in place if the host can access it, or else with
   * copies.
   *
   * @param extents the target, then the inputs
   */
  static void run(
      Device device, List<Buffer> buffers, List<Extent> extents, Assignment.HostCode code) {
    var memory = new ArrayList<MemorySegment>(extents.size());
    for (int k = 0; k < extents.size(); k++) {
      Optional<MemorySegment> own = device.hostMemory(buffers.get(k));
      if (own.isEmpty()) {
        runOnCopies(device, buffers, extents, code);
        return;
      }
      memory.add(own.get().asSlice(extents.get(k).start, extents.get(k).bytes));
    }
    code.run(device::runOnHost, memory.get(0), memory.subList(1, memory.size()));
  }

  private static void runOnCopies(
      Device device, List<Buffer> buffers, List<Extent> extents, Assignment.HostCode code) {
    if (COPYING.add(device.name())) {
      Debug.log(
          Debug.DEVICES,
          () ->
              "["
                  + device.name()
                  + "] operators such as linear algebra run on the host, with copies");
    }
    // Such devices run all tasks on this thread.
    try (Arena arena = Arena.ofConfined()) {
      var memory = new ArrayList<MemorySegment>(extents.size());
      for (int k = 0; k < extents.size(); k++) {
        Extent extent = extents.get(k);
        MemorySegment copy = arena.allocate(Math.max(1, extent.bytes), 64).asSlice(0, extent.bytes);
        if (k > 0 && extent.bytes > 0) {
          device.read(buffers.get(k), extent.start, copy);
        }
        memory.add(copy);
      }
      code.run(device::runOnHost, memory.get(0), memory.subList(1, memory.size()));
      if (extents.get(0).bytes > 0) {
        device.write(buffers.get(0), extents.get(0).start, memory.get(0));
      }
    }
  }

  /** Offset of the first element in bytes. */
  static long start(Tensor<?> contiguous) {
    return contiguous.layout().offset() * contiguous.dtype().bytes();
  }

  static double item(Tensor<?> t) {
    ElementReader reader = copied(t);
    if (t.dtype().isFloat()) {
      return reader.floating(0);
    }
    long whole = reader.integer(0);
    // Rounds once: half of a large number, with the lost bit kept.
    return t.dtype() == (Object) U64.INSTANCE && whole < 0
        ? 2.0 * (whole >>> 1 | whole & 1)
        : whole;
  }

  /** Copies a tensor's elements for random access. */
  static ElementReader copied(Tensor<?> t) {
    return ElementReader.of(t.dtype().scalar(), MemorySegment.ofArray(toBytes(t)));
  }

  /** Prints a tensor. Of a large tensor only the printed elements are copied. */
  static String print(Tensor<?> t, PrintOptions options) {
    ElementReader reader = t.shape().size() <= MOST_PRINTED_WHOLE ? copied(t) : new Single(t);
    return t.label()
        + "\n"
        + TensorPrinter.print(t.dtype().scalar(), t.shape().toArray(), reader, options);
  }

  static Map<String, Tensor<?>> loadAll(TensorFactories context, Path file) {
    try (TensorFile open = TensorFile.open(file)) {
      return loadAll(context, open);
    }
  }

  static Map<String, Tensor<?>> loadAll(TensorFactories context, InputStream in) {
    try (TensorFile open = TensorFile.read(in)) {
      return loadAll(context, open);
    }
  }

  private static Map<String, Tensor<?>> loadAll(TensorFactories context, TensorFile open) {
    var all = new LinkedHashMap<String, Tensor<?>>();
    // Allocate all memory first, to fail before reading if the tensors do not fit.
    open.tensors().forEach((name, stored) -> all.put(name, room(context, stored)));
    open.tensors().forEach((name, stored) -> fill(all.get(name), stored));
    return all;
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
    save(tensors, all -> TensorFiles.write(file, all, metadata));
  }

  static void save(
      OutputStream out,
      TensorFormat format,
      Map<String, ? extends Tensor<?>> tensors,
      Map<String, String> metadata) {
    save(tensors, all -> TensorFiles.write(out, format, all, metadata));
  }

  private static void save(
      Map<String, ? extends Tensor<?>> tensors, Consumer<Map<String, HostTensor>> write) {
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
      write.accept(all);
    }
  }

  /** Reader that fetches one element at a time. */
  private record Single(Tensor<?> t) implements ElementReader {
    private ElementReader fetch(long element) {
      long[] dims = t.shape().toArray();
      Slice[] at = new Slice[dims.length];
      for (int d = dims.length - 1; d >= 0; d--) {
        at[d] = Slice.at(element % dims[d]);
        element /= dims[d];
      }
      return copied(t.slice(at));
    }

    @Override
    public double floating(long element) {
      return fetch(element).floating(0);
    }

    @Override
    public long integer(long element) {
      return fetch(element).integer(0);
    }
  }
}
