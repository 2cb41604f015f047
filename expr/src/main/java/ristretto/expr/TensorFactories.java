package ristretto.expr;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Map;
import ristretto.expr.file.TensorFile;
import ristretto.kernels.ShapeException;

/** The ways a {@link Context} makes tensors. */
abstract sealed class TensorFactories permits Context {
  /** A tensor whose elements are not set. */
  public abstract <T> Tensor<T> empty(DType<T> dtype, Shape shape);

  /** The same, and never a temporary of a recording. */
  abstract <T> Tensor<T> room(DType<T> dtype, Shape shape);

  abstract void write(Tensor<?> t, MemorySegment values);

  abstract <T> Tensor<T> made(DType<T> dtype, Shape shape, Expr<T> values);

  /**
   * A tensor with a copy of the given elements, row-major; no dims: one dimension.
   *
   * @throws ShapeException if the dims' product is not the number of elements
   */
  public Tensor<F32> tensor(float[] data, long... dims) {
    return filled(F32.INSTANCE, MemorySegment.ofArray(data), data.length, dims);
  }

  /** As {@link #tensor(float[], long...)}. */
  public Tensor<F64> tensor(double[] data, long... dims) {
    return filled(F64.INSTANCE, MemorySegment.ofArray(data), data.length, dims);
  }

  /** As {@link #tensor(float[], long...)}. */
  public Tensor<I32> tensor(int[] data, long... dims) {
    return filled(I32.INSTANCE, MemorySegment.ofArray(data), data.length, dims);
  }

  /** As {@link #tensor(float[], long...)}. */
  public Tensor<I64> tensor(long[] data, long... dims) {
    return filled(I64.INSTANCE, MemorySegment.ofArray(data), data.length, dims);
  }

  /** As {@link #tensor(float[], long...)}. */
  public Tensor<BOOL> tensor(boolean[] data, long... dims) {
    return filled(BOOL.INSTANCE, bytes(data), data.length, dims);
  }

  /** As {@link #tensor(float[], long...)}. */
  public Tensor<F32> tensor(float[] data, Shape shape) {
    return filled(F32.INSTANCE, MemorySegment.ofArray(data), data.length, shape);
  }

  /** As {@link #tensor(float[], long...)}. */
  public Tensor<F64> tensor(double[] data, Shape shape) {
    return filled(F64.INSTANCE, MemorySegment.ofArray(data), data.length, shape);
  }

  /** As {@link #tensor(float[], long...)}. */
  public Tensor<I32> tensor(int[] data, Shape shape) {
    return filled(I32.INSTANCE, MemorySegment.ofArray(data), data.length, shape);
  }

  /** As {@link #tensor(float[], long...)}. */
  public Tensor<I64> tensor(long[] data, Shape shape) {
    return filled(I64.INSTANCE, MemorySegment.ofArray(data), data.length, shape);
  }

  /** As {@link #tensor(float[], long...)}. */
  public Tensor<BOOL> tensor(boolean[] data, Shape shape) {
    return filled(BOOL.INSTANCE, bytes(data), data.length, shape);
  }

  private static MemorySegment bytes(boolean[] data) {
    byte[] bytes = new byte[data.length];
    for (int k = 0; k < bytes.length; k++) {
      bytes[k] = (byte) (data[k] ? 1 : 0);
    }
    return MemorySegment.ofArray(bytes);
  }

  /** A matrix; all rows must be of one length. */
  public Tensor<F32> tensor(float[][] rows) {
    int columns = rows.length == 0 ? 0 : rows[0].length;
    float[] flat = new float[rows.length * columns];
    for (int r = 0; r < rows.length; r++) {
      requireColumns(columns, rows[r].length, r);
      System.arraycopy(rows[r], 0, flat, r * columns, columns);
    }
    return tensor(flat, rows.length, columns);
  }

  /** A matrix; all rows must be of one length. */
  public Tensor<F64> tensor(double[][] rows) {
    int columns = rows.length == 0 ? 0 : rows[0].length;
    double[] flat = new double[rows.length * columns];
    for (int r = 0; r < rows.length; r++) {
      requireColumns(columns, rows[r].length, r);
      System.arraycopy(rows[r], 0, flat, r * columns, columns);
    }
    return tensor(flat, rows.length, columns);
  }

  private static void requireColumns(int columns, int got, int row) {
    if (got != columns) {
      throw new ShapeException(
          "[tensor] rows must be of one length; got "
              + columns
              + " in row 0 and "
              + got
              + " in row "
              + row
              + "; pad the shorter one.");
    }
  }

  /**
   * A tensor with elements in the dtype's own bytes, row-major: how I8, U8, F16 and BF16 come in.
   */
  public <T> Tensor<T> tensor(DType<T> dtype, MemorySegment data, long... dims) {
    return filled(dtype, data, data.byteSize() / dtype.bytes(), dims);
  }

  /** As {@link #tensor(DType, MemorySegment, long...)}. */
  public <T> Tensor<T> tensor(DType<T> dtype, MemorySegment data, Shape shape) {
    return filled(dtype, data, data.byteSize() / dtype.bytes(), shape);
  }

  /** The same from a direct or heap buffer, from its position to its limit. */
  public <T> Tensor<T> tensor(DType<T> dtype, java.nio.Buffer data, long... dims) {
    return tensor(dtype, MemorySegment.ofBuffer(data), dims);
  }

  private <T> Tensor<T> filled(DType<T> dtype, MemorySegment data, long elements, long... dims) {
    return filled(dtype, data, elements, dims.length == 0 ? Shape.of(elements) : Shape.of(dims));
  }

  private <T> Tensor<T> filled(DType<T> dtype, MemorySegment data, long elements, Shape shape) {
    if (shape.size() != elements || data.byteSize() != elements * dtype.bytes()) {
      throw new ShapeException(
          "[tensor] the data must fill the shape; got "
              + elements
              + " elements for "
              + dtype
              + shape
              + " ("
              + shape.size()
              + " elements).");
    }
    Tensor<T> t = room(dtype, shape);
    if (elements > 0) {
      write(t, data);
    }
    return t;
  }

  /** A tensor whose elements are not set: whatever the memory held. No dims: one element. */
  public <T> Tensor<T> empty(DType<T> dtype, long... dims) {
    return empty(dtype, Shape.of(dims));
  }

  /** Zeros; of BOOL, false. */
  public <T> Tensor<T> zeros(DType<T> dtype, long... dims) {
    return full(dtype, 0, dims);
  }

  /** Zeros; of BOOL, false. */
  public <T> Tensor<T> zeros(DType<T> dtype, Shape shape) {
    return full(dtype, 0, shape);
  }

  /** Ones; of BOOL, true. */
  public <T> Tensor<T> ones(DType<T> dtype, long... dims) {
    return full(dtype, 1, dims);
  }

  /** Ones; of BOOL, true. */
  public <T> Tensor<T> ones(DType<T> dtype, Shape shape) {
    return full(dtype, 1, shape);
  }

  /** One number everywhere; it must be whole unless the dtype is floating point. */
  public <T> Tensor<T> full(DType<T> dtype, double value, long... dims) {
    return full(dtype, value, Shape.of(dims));
  }

  /** As {@link #full(DType, double, long...)}. */
  public <T> Tensor<T> full(DType<T> dtype, double value, Shape shape) {
    return made(dtype, shape, Scalars.number(dtype, value));
  }

  /** 0, 1, ..., n - 1. */
  public <T> Tensor<T> arange(DType<T> dtype, long n) {
    return arange(dtype, 0, n, 1);
  }

  /**
   * {@code start + k * step} for all k that stay below {@code stop} (above it for negative steps).
   * Start and step must be whole unless the dtype is floating point, and the dtype must hold all of
   * the numbers; start, stop and step must be finite.
   */
  public <T> Tensor<T> arange(DType<T> dtype, double start, double stop, double step) {
    requireFinite("arange", "start", start);
    requireFinite("arange", "stop", stop);
    requireFinite("arange", "step", step);
    if (step == 0) {
      throw new ShapeException("[arange] the step must not be 0; got " + step + ".");
    }
    double count = Math.max(0, Math.ceil((stop - start) / step));
    if (!(count < Long.MAX_VALUE)) {
      throw new ShapeException(
          "[arange] the count of numbers must fit 63 bits; got start "
              + start
              + ", stop "
              + stop
              + ", step "
              + step
              + "; choose a larger step.");
    }
    if (!dtype.isFloat() && count > 0) {
      Scalars.number(dtype, start + (count - 1) * step);
    }
    Shape shape = Shape.of((long) count);
    Expr<T> k = new Index(shape, -1).cast(dtype);
    return made(
        dtype,
        shape,
        // Times a step that is infinite in the dtype, the first k would be NaN.
        k.times(Scalars.number(dtype, count > 1 ? step : 0)).plus(Scalars.number(dtype, start)));
  }

  /**
   * {@code n} evenly spaced numbers, both ends included; computed in F64 and cast, so that integers
   * truncate, where NumPy rounds down. The dtype must hold both ends.
   */
  public <T> Tensor<T> linspace(DType<T> dtype, double start, double stop, long n) {
    requireFinite("linspace", "start", start);
    requireFinite("linspace", "stop", stop);
    requireCount("linspace", n);
    if (!dtype.isFloat() && n > 0) {
      Scalars.number(dtype, start < 0 ? Math.ceil(start) : Math.floor(start));
      Scalars.number(dtype, stop < 0 ? Math.ceil(stop) : Math.floor(stop));
    }
    Shape shape = Shape.of(n);
    Expr<F64> k = new Index(shape, -1).cast(F64.INSTANCE);
    Expr<F64> v = k.times((stop - start) / Math.max(1, n - 1)).plus(start);
    if (n > 1) {
      v = Apply.select(new Index(shape, -1).eq(n - 1), Scalars.number(F64.INSTANCE, stop), v);
    }
    return made(dtype, shape, v.cast(dtype));
  }

  /** The identity matrix of n rows. */
  public <T> Tensor<T> eye(DType<T> dtype, long n) {
    requireCount("eye", n);
    Shape shape = Shape.of(n, n);
    return made(dtype, shape, new Index(shape, 0).eq(new Index(shape, 1)).cast(dtype));
  }

  private static void requireFinite(String op, String argument, double value) {
    if (!Double.isFinite(value)) {
      throw new ShapeException("[" + op + "] " + argument + " must be finite; got " + value + ".");
    }
  }

  private static void requireCount(String op, long n) {
    if (n < 0) {
      throw new ShapeException("[" + op + "] n must not be negative; got " + n + ".");
    }
  }

  // Files

  /**
   * Reads the one tensor of a {@code .npy} file (or of any supported file that holds one).
   *
   * @throws ristretto.kernels.FileFormatException if the file is malformed, holds more tensors or
   *     none, or another dtype
   * @throws ristretto.kernels.FileException if the file cannot be read
   */
  public <T> Tensor<T> load(DType<T> dtype, Path file) {
    return TensorStore.load(this, dtype, file);
  }

  /** Writes one tensor; as {@link #saveAll} otherwise. */
  public void save(Path file, Tensor<?> tensor) {
    TensorStore.save(file, Map.of("", tensor), Map.of());
  }

  /**
   * Reads all tensors of a {@code .npz}, {@code .npy} or {@code .safetensors} file by name, in the
   * file's order; the one of a {@code .npy} file is named "". {@link Tensor#as} gives them their
   * dtype.
   *
   * @throws ristretto.kernels.FileFormatException if the file is malformed or holds a dtype that
   *     there is none for
   * @throws ristretto.kernels.FileException if the file cannot be read
   */
  public Map<String, Tensor<?>> loadAll(Path file) {
    return TensorStore.loadAll(this, file);
  }

  /**
   * Writes tensors by name; the extension {@code .npz}, {@code .npy} (one tensor) or {@code
   * .safetensors} names the format. The file is complete or not there.
   *
   * @throws ristretto.kernels.FileFormatException if the extension is another one
   * @throws ristretto.kernels.FileException if the file cannot be written
   */
  public void saveAll(Path file, Map<String, ? extends Tensor<?>> tensors) {
    TensorStore.save(file, tensors, Map.of());
  }

  /**
   * Saves tensors with strings for the file's {@code __metadata__}, which only {@code .safetensors}
   * has.
   */
  public void saveAll(
      Path file, Map<String, ? extends Tensor<?>> tensors, Map<String, String> metadata) {
    TensorStore.save(file, tensors, metadata);
  }

  /** The strings in the {@code __metadata__} of a {@code .safetensors} file; others have none. */
  public Map<String, String> loadMetadata(Path file) {
    try (TensorFile open = TensorFile.open(file)) {
      return open.metadata();
    }
  }
}
