package ristretto.expr;

import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import ristretto.expr.file.MappedElements;
import ristretto.expr.file.TensorFile;
import ristretto.expr.option.CsvOptions;
import ristretto.expr.option.TensorFormat;
import ristretto.expr.option.WavFormat;
import ristretto.expr.table.CsvTable;
import ristretto.expr.table.ReadArrow;
import ristretto.expr.table.WriteArrow;
import ristretto.expr.table.WriteCsv;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I16;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.expr.type.U8;
import ristretto.kernels.ShapeException;

/** Factory methods for tensors of a {@link Context}. */
abstract sealed class TensorFactories permits ContextSelections {
  /** Allocates a tensor with undefined elements. */
  public abstract <T> Tensor<T> empty(DType<T> dtype, Shape shape);

  /** Allocates a tensor with undefined elements that is never a temporary of a recording. */
  abstract <T> Tensor<T> room(DType<T> dtype, Shape shape);

  /** Makes a tensor of memory of the host; empty if the device cannot read it in place. */
  abstract <T> Optional<Tensor<T>> wrapped(DType<T> dtype, MemorySegment data, Shape shape);

  abstract void write(Tensor<?> t, MemorySegment values);

  abstract <T> Tensor<T> made(DType<T> dtype, Shape shape, Expr<T> values);

  /**
   * Creates a tensor with a copy of the given elements, row-major. Without dims it has one
   * dimension.
   *
   * @throws ShapeException if the dims' product is not the number of elements
   */
  public Tensor<F32> tensor(float[] data, long... dims) {
    return filled(F32.INSTANCE, MemorySegment.ofArray(data), data.length, dims);
  }

  /**
   * Creates an F64 tensor with a copy of the given elements; see {@link #tensor(float[], long...)}.
   */
  public Tensor<F64> tensor(double[] data, long... dims) {
    return filled(F64.INSTANCE, MemorySegment.ofArray(data), data.length, dims);
  }

  /**
   * Creates an I32 tensor with a copy of the given elements; see {@link #tensor(float[], long...)}.
   */
  public Tensor<I32> tensor(int[] data, long... dims) {
    return filled(I32.INSTANCE, MemorySegment.ofArray(data), data.length, dims);
  }

  /**
   * Creates an I16 tensor with a copy of the given elements; see {@link #tensor(float[], long...)}.
   */
  public Tensor<I16> tensor(short[] data, long... dims) {
    return filled(I16.INSTANCE, MemorySegment.ofArray(data), data.length, dims);
  }

  /**
   * Creates a tensor of any dtype from whole numbers, row-major; floating-point dtypes round them.
   * Without dims it has one dimension. {@link #tensor(DType, MemorySegment, long...)} takes U64
   * elements from 2^63 on as the bits of a long.
   *
   * @throws ShapeException if the dtype does not hold one of the numbers, or the dims' product is
   *     not their number
   */
  public <T> Tensor<T> tensor(DType<T> dtype, int[] data, long... dims) {
    for (int k = 0; k < data.length; k++) {
      requireHeld(dtype, data[k], k);
    }
    return converted(dtype, tensor(data, dims));
  }

  /**
   * Creates a tensor of any dtype from whole numbers; see {@link #tensor(DType, int[], long...)}.
   */
  public <T> Tensor<T> tensor(DType<T> dtype, long[] data, long... dims) {
    for (int k = 0; k < data.length; k++) {
      requireHeld(dtype, data[k], k);
    }
    return converted(dtype, tensor(data, dims));
  }

  @SuppressWarnings("unchecked")
  private <T> Tensor<T> converted(DType<T> dtype, Tensor<?> from) {
    return from.dtype() == (Object) dtype
        ? (Tensor<T>) from
        : made(dtype, from.shape(), from.cast(dtype));
  }

  private static void requireHeld(DType<?> dtype, long number, int k) {
    if (!dtype.holds(number)) {
      throw new ShapeException(
          ("[tensor] elements of %s must be from %s to %s; got %s at position %s; choose a wider"
                  + " dtype.")
              .formatted(dtype, dtype.least(), Scalars.most(dtype), number, k));
    }
  }

  /**
   * Creates an I64 tensor with a copy of the given elements; see {@link #tensor(float[], long...)}.
   */
  public Tensor<I64> tensor(long[] data, long... dims) {
    return filled(I64.INSTANCE, MemorySegment.ofArray(data), data.length, dims);
  }

  /**
   * Creates a BOOL tensor with a copy of the given elements; see {@link #tensor(float[], long...)}.
   */
  public Tensor<BOOL> tensor(boolean[] data, long... dims) {
    return filled(BOOL.INSTANCE, bytes(data), data.length, dims);
  }

  /**
   * Creates an F32 tensor with a copy of the given row-major elements.
   *
   * @throws ShapeException if the shape has another number of elements
   */
  public Tensor<F32> tensor(float[] data, Shape shape) {
    return filled(F32.INSTANCE, MemorySegment.ofArray(data), data.length, shape);
  }

  /**
   * Creates an F64 tensor with a copy of the given row-major elements.
   *
   * @throws ShapeException if the shape has another number of elements
   */
  public Tensor<F64> tensor(double[] data, Shape shape) {
    return filled(F64.INSTANCE, MemorySegment.ofArray(data), data.length, shape);
  }

  /**
   * Creates an I32 tensor with a copy of the given row-major elements.
   *
   * @throws ShapeException if the shape has another number of elements
   */
  public Tensor<I32> tensor(int[] data, Shape shape) {
    return filled(I32.INSTANCE, MemorySegment.ofArray(data), data.length, shape);
  }

  /**
   * Creates an I16 tensor with a copy of the given row-major elements.
   *
   * @throws ShapeException if the shape has another number of elements
   */
  public Tensor<I16> tensor(short[] data, Shape shape) {
    return filled(I16.INSTANCE, MemorySegment.ofArray(data), data.length, shape);
  }

  /**
   * Creates an I64 tensor with a copy of the given row-major elements.
   *
   * @throws ShapeException if the shape has another number of elements
   */
  public Tensor<I64> tensor(long[] data, Shape shape) {
    return filled(I64.INSTANCE, MemorySegment.ofArray(data), data.length, shape);
  }

  /**
   * Creates a BOOL tensor with a copy of the given row-major elements.
   *
   * @throws ShapeException if the shape has another number of elements
   */
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

  /** Creates an F32 matrix from rows of equal length. */
  public Tensor<F32> tensor(float[][] rows) {
    int columns = rows.length == 0 ? 0 : rows[0].length;
    float[] flat = new float[rows.length * columns];
    for (int r = 0; r < rows.length; r++) {
      requireColumns(columns, rows[r].length, r);
      System.arraycopy(rows[r], 0, flat, r * columns, columns);
    }
    return tensor(flat, rows.length, columns);
  }

  /** Creates an F64 matrix from rows of equal length. */
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
          ("[tensor] rows must have the same length; got %s in row 0 and %s in row %s; pad the"
                  + " shorter one.")
              .formatted(columns, got, row));
    }
  }

  /**
   * Creates a tensor with a copy of row-major elements in the dtype's own bytes, for dtypes without
   * a Java array. Without dims the tensor has one dimension.
   */
  public <T> Tensor<T> tensor(DType<T> dtype, MemorySegment data, long... dims) {
    return filled(dtype, data, data.byteSize() / dtype.bytes(), dims);
  }

  /** Creates a tensor with a copy of row-major elements in the dtype's own bytes. */
  public <T> Tensor<T> tensor(DType<T> dtype, MemorySegment data, Shape shape) {
    return filled(dtype, data, data.byteSize() / dtype.bytes(), shape);
  }

  /**
   * Creates a tensor with a copy of a direct or heap buffer's content from position to limit, in
   * the dtype's own bytes. Without dims the tensor has one dimension.
   */
  public <T> Tensor<T> tensor(DType<T> dtype, java.nio.Buffer data, long... dims) {
    return tensor(dtype, MemorySegment.ofBuffer(data), dims);
  }

  private <T> Tensor<T> filled(DType<T> dtype, MemorySegment data, long elements, long... dims) {
    return filled(dtype, data, elements, dims.length == 0 ? Shape.of(elements) : Shape.of(dims));
  }

  private <T> Tensor<T> filled(DType<T> dtype, MemorySegment data, long elements, Shape shape) {
    if (shape.size() != elements || data.byteSize() != elements * dtype.bytes()) {
      throw new ShapeException(
          "[tensor] the data must fill the shape; got %s elements for %s%s (%s elements)."
              .formatted(elements, dtype, shape, shape.size()));
    }
    Tensor<T> t = room(dtype, shape);
    if (elements > 0) {
      write(t, data);
    }
    return t;
  }

  /**
   * Makes a tensor of row-major elements in a file, in the dtype's own little-endian bytes. The cpu
   * device reads them from the file as they are used, and shares the memory with other processes
   * that map the file; other devices get a copy, and so does the cpu device of a file that may not
   * be written. Assignments to the tensor change the memory and not the file. The file must not be
   * truncated while the tensor is in use.
   *
   * @param offset first byte of the elements, a multiple of the dtype's size
   * @throws ristretto.kernels.FileException if the file cannot be read
   * @throws ShapeException if the elements do not lie within the file
   */
  public <T> Tensor<T> memoryMap(DType<T> dtype, Path file, long offset, long... dims) {
    Shape shape = Shape.of(dims);
    MemorySegment elements =
        MappedElements.of(dtype + "" + shape, dtype.bytes(), shape.size(), file, offset);
    return wrapped(dtype, elements, shape).orElseGet(() -> tensor(dtype, elements, shape));
  }

  /** Allocates a tensor with undefined elements. Without dims it has one element. */
  public <T> Tensor<T> empty(DType<T> dtype, long... dims) {
    return empty(dtype, Shape.of(dims));
  }

  /** Creates a tensor of zeros (false for BOOL). */
  public <T> Tensor<T> zeros(DType<T> dtype, long... dims) {
    return full(dtype, 0, dims);
  }

  /** Creates a tensor of zeros (false for BOOL). */
  public <T> Tensor<T> zeros(DType<T> dtype, Shape shape) {
    return full(dtype, 0, shape);
  }

  /** Creates a tensor of ones (true for BOOL). */
  public <T> Tensor<T> ones(DType<T> dtype, long... dims) {
    return full(dtype, 1, dims);
  }

  /** Creates a tensor of ones (true for BOOL). */
  public <T> Tensor<T> ones(DType<T> dtype, Shape shape) {
    return full(dtype, 1, shape);
  }

  /**
   * Creates a tensor filled with one number, which must be whole unless the dtype is floating
   * point.
   */
  public <T> Tensor<T> full(DType<T> dtype, double value, long... dims) {
    return full(dtype, value, Shape.of(dims));
  }

  /**
   * Creates a tensor filled with one number, which must be whole unless the dtype is floating
   * point.
   */
  public <T> Tensor<T> full(DType<T> dtype, double value, Shape shape) {
    return made(dtype, shape, Scalars.number(dtype, value));
  }

  /** Creates the vector 0, 1, ..., n - 1. */
  public <T> Tensor<T> arange(DType<T> dtype, long n) {
    return arange(dtype, 0, n, 1);
  }

  /** Creates the vector of {@code start}, {@code start + 1}, ... below {@code stop}. */
  public <T> Tensor<T> arange(DType<T> dtype, double start, double stop) {
    return arange(dtype, start, stop, 1);
  }

  /**
   * Creates the vector of {@code start + k * step} below {@code stop} (above {@code stop} for
   * negative steps). Start and step must be whole unless the dtype is floating point, and the dtype
   * must hold all of the numbers; start, stop and step must be finite.
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
          ("[arange] the count of numbers must fit 63 bits; got start %s, stop %s, step %s; choose"
                  + " a larger step.")
              .formatted(start, stop, step));
    }
    if (!dtype.isFloat() && count > 0) {
      Scalars.number(dtype, start + (count - 1) * step);
    }
    Shape shape = Shape.of((long) count);
    Expr<T> k = ArrayManipulation.index(shape, -1).cast(dtype);
    return made(
        dtype,
        shape,
        // A step may be infinite in the dtype; 0 times that step would be NaN.
        k.times(Scalars.number(dtype, count > 1 ? step : 0)).plus(Scalars.number(dtype, start)));
  }

  /**
   * Creates a vector of {@code n} evenly spaced numbers, both ends included. Numbers are computed
   * in F64 and cast, so that integers truncate, where NumPy rounds down. The dtype must hold both
   * ends.
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
    Expr<F64> k = ArrayManipulation.index(shape, -1).cast(F64.INSTANCE);
    Expr<F64> v = k.times((stop - start) / Math.max(1, n - 1)).plus(start);
    if (n > 1) {
      v =
          Apply.select(
              ArrayManipulation.index(shape, -1).eq(n - 1), Scalars.number(F64.INSTANCE, stop), v);
    }
    return made(dtype, shape, v.cast(dtype));
  }

  /** Creates a vector of n powers of 10 with evenly spaced exponents, both ends included. */
  public <T> Tensor<T> logspace(DType<T> dtype, double start, double stop, long n) {
    return made(dtype, Shape.of(n), powers(linspace(F64.INSTANCE, start, stop, n)).cast(dtype));
  }

  private static Expr<F64> powers(Expr<F64> exponents) {
    return Apply.power(Scalars.number(F64.INSTANCE, 10), exponents);
  }

  /**
   * Creates a vector of n numbers at a constant ratio, both ends included; the ends must have equal
   * sign and not be 0.
   */
  public <T> Tensor<T> geomspace(DType<T> dtype, double start, double stop, long n) {
    requireFinite("geomspace", "start", start);
    requireFinite("geomspace", "stop", stop);
    if (!(start * stop > 0 || Math.signum(start) * Math.signum(stop) > 0)) {
      throw new ShapeException(
          "[geomspace] both ends must have equal sign and not be 0; got start %s, stop %s."
              .formatted(start, stop));
    }
    Expr<F64> inner =
        powers(linspace(F64.INSTANCE, Math.log10(Math.abs(start)), Math.log10(Math.abs(stop)), n));
    Expr<I64> k = ArrayManipulation.index(Shape.of(n), -1);
    Expr<F64> all =
        Apply.select(
            k.eq(0),
            Scalars.number(F64.INSTANCE, start),
            Apply.select(
                k.eq(n - 1), Scalars.number(F64.INSTANCE, stop), inner.times(Math.signum(start))));
    return made(dtype, Shape.of(n), all.cast(dtype));
  }

  /** Creates the identity matrix of n rows. */
  public <T> Tensor<T> eye(DType<T> dtype, long n) {
    requireCount("eye", n);
    Shape shape = Shape.of(n, n);
    return made(
        dtype,
        shape,
        ArrayManipulation.index(shape, 0).eq(ArrayManipulation.index(shape, 1)).cast(dtype));
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
    return HostTransfer.load(this, dtype, file);
  }

  /** Writes one tensor to a file; see {@link #saveAll} for formats and errors. */
  public void save(Path file, Tensor<?> tensor) {
    HostTransfer.save(file, Map.of("", tensor), Map.of());
  }

  /**
   * Reads all tensors of a {@code .npz}, {@code .npy} or {@code .safetensors} file by name, in the
   * file's order; the tensor of a {@code .npy} file is named "". {@link Tensor#as} restores the
   * static dtype.
   *
   * @throws ristretto.kernels.FileFormatException if the file is malformed or holds an unsupported
   *     dtype
   * @throws ristretto.kernels.FileException if the file cannot be read
   */
  public Map<String, Tensor<?>> loadAll(Path file) {
    return HostTransfer.loadAll(this, file);
  }

  /**
   * Writes tensors by name; the extension {@code .npz}, {@code .npy} (one tensor) or {@code
   * .safetensors} selects the format. A failed save leaves no partial file.
   *
   * @throws ristretto.kernels.FileFormatException if the extension is unknown
   * @throws ristretto.kernels.FileException if the file cannot be written
   */
  public void saveAll(Path file, Map<String, ? extends Tensor<?>> tensors) {
    HostTransfer.save(file, tensors, Map.of());
  }

  /**
   * Writes tensors by name, with strings for the {@code __metadata__} of a {@code .safetensors}
   * file; other formats have no metadata.
   */
  public void saveAll(
      Path file, Map<String, ? extends Tensor<?>> tensors, Map<String, String> metadata) {
    HostTransfer.save(file, tensors, metadata);
  }

  /**
   * Reads all tensors of a stream by name, as {@link #loadAll(Path)} does; the first bytes tell the
   * format. Reads to the end, keeps the content in memory until it returns, and does not close the
   * stream.
   *
   * @throws ristretto.kernels.FileFormatException if the content is malformed or holds an
   *     unsupported dtype
   * @throws ristretto.kernels.FileException if the stream cannot be read
   */
  public Map<String, Tensor<?>> loadAll(InputStream in) {
    return HostTransfer.loadAll(this, in);
  }

  /**
   * Writes tensors by name to a stream, which it flushes and does not close; see {@link
   * #saveAll(Path, Map)}. After a failure, a part may have been written.
   *
   * @throws ristretto.kernels.ShapeException if the format does not hold the tensors, or is {@link
   *     TensorFormat#PYTORCH}
   * @throws ristretto.kernels.FileException if the stream cannot be written
   */
  public void saveAll(
      OutputStream out, TensorFormat format, Map<String, ? extends Tensor<?>> tensors) {
    HostTransfer.save(out, format, tensors, Map.of());
  }

  /**
   * Reads the strings in the {@code __metadata__} of a {@code .safetensors} file; empty for other
   * formats.
   */
  public Map<String, String> loadMetadata(Path file) {
    try (TensorFile open = TensorFile.open(file)) {
      return open.metadata();
    }
  }

  // Tables, pictures, sound

  /**
   * Reads a CSV file with commas and a header line, whose types are found: see {@link Table}.
   *
   * @throws ristretto.kernels.FileFormatException if the file is no CSV file in UTF-8
   * @throws ristretto.kernels.FileException if the file cannot be read
   */
  public Table readCsv(Path file) {
    return readCsv(file, new CsvOptions());
  }

  /**
   * Reads a CSV file with options for separators, columns, dates and missing values.
   *
   * @throws ristretto.kernels.FileFormatException if the file is no CSV file in UTF-8, or lacks a
   *     column
   * @throws ristretto.kernels.FileException if the file cannot be read
   */
  public Table readCsv(Path file, CsvOptions options) {
    return Table.of((Context) this, CsvTable.read(file, options));
  }

  /**
   * Creates a table of vectors of one length, with their names, for printing or {@link #writeCsv}.
   *
   * @throws ShapeException unless all tensors are vectors of one length
   */
  public Table table(Map<String, ? extends Tensor<?>> columns) {
    return Table.of((Context) this, columns);
  }

  /**
   * Writes a table as a CSV file with a header: commas, line feeds, UTF-8, empty values for NaN,
   * dates in ISO format, and the shortest numbers that read back equal. A failed write leaves an
   * existing file unchanged.
   *
   * @throws ristretto.kernels.FileException if the file cannot be written
   */
  public void writeCsv(Path file, Table table) {
    WriteCsv.to(file, table.columns(), table.rows());
  }

  /**
   * Writes vectors of one length as the columns of a CSV file; see {@link #writeCsv(Path, Table)}.
   * The columns have the order of the map.
   *
   * @throws ShapeException unless all tensors are vectors of one length
   */
  public void writeCsv(Path file, Map<String, ? extends Tensor<?>> columns) {
    writeCsv(file, table(columns));
  }

  /**
   * Reads columns of an Arrow IPC file (Feather, version 2) or stream, uncompressed or with LZ4:
   * numbers, booleans, dates, times and texts, with or without dictionaries. Times are
   * milliseconds; finer parts are dropped. Missing values are NaN; missing texts are empty.
   *
   * @param columns names of columns, in the order of the table; without names, all columns
   * @throws ristretto.kernels.FileFormatException if the file is no Arrow file, lacks a column, or
   *     has a column of another type that is not left out
   * @throws ristretto.kernels.FileException if the file cannot be read
   */
  public Table readArrow(Path file, String... columns) {
    return Table.of((Context) this, ReadArrow.from(file, List.of(columns)));
  }

  /**
   * Writes a table as an Arrow IPC file without compression: Int64, Float64, Bool, Date64,
   * Timestamp in milliseconds, and LargeUtf8. Missing values are null, but NaN in a column of
   * numbers. A failed write leaves an existing file unchanged.
   *
   * @throws ristretto.kernels.FileException if the file cannot be written
   */
  public void writeArrow(Path file, Table table) {
    WriteArrow.to(file, table.columns(), table.rows());
  }

  /**
   * Writes vectors of one length as the columns of an Arrow file; see {@link #writeArrow(Path,
   * Table)}. The columns have the order of the map.
   *
   * @throws ShapeException unless all tensors are vectors of one length
   */
  public void writeArrow(Path file, Map<String, ? extends Tensor<?>> columns) {
    writeArrow(file, table(columns));
  }

  /**
   * Reads a PNG, JPEG, GIF, BMP or TIFF file: U8 {@code [height, width, channels]}, values from 0
   * to 255 in sRGB. There is 1 channel for grey, 3 for red, green and blue, and 4 with alpha.
   *
   * @throws ristretto.kernels.FileFormatException if the file is damaged, no image, or has more
   *     than 2^26 pixels
   * @throws ristretto.kernels.FileException if the file cannot be read
   */
  public Tensor<U8> readImage(Path file) {
    return MediaTransfer.readImage(this, file);
  }

  /**
   * Writes an image; the extension {@code .png}, {@code .jpg} or {@code .jpeg} selects the format.
   * Shape {@code [height, width]} or {@code [height, width, 1]} for grey, 3 channels for red, green
   * and blue, 4 with alpha (PNG only). Integers are from 0 to 255; floating-point values from 0 to
   * 1 are multiplied by 255 and rounded to the nearest integer; BOOL is black and white. A failed
   * write leaves an existing file unchanged.
   *
   * @throws ShapeException if the shape is another one, or a value is NaN or out of range
   * @throws ristretto.kernels.FileFormatException if the extension is unknown, or a JPEG file would
   *     have alpha
   * @throws ristretto.kernels.FileException if the file cannot be written
   */
  public void writeImage(Path file, Expr<?> image) {
    MediaTransfer.writeImage((Context) this, file, image);
  }

  /**
   * Reads a WAV file of PCM (8, 16, 24 or 32 bits) or floating point.
   *
   * @throws ristretto.kernels.FileFormatException if the file is damaged, or has another format
   * @throws ristretto.kernels.FileException if the file cannot be read
   */
  public Sound readWav(Path file) {
    return MediaTransfer.readWav(this, file);
  }

  /**
   * Writes a WAV file of 16-bit integers; see {@link #writeWav(Path, Expr, int, WavFormat)}.
   *
   * @param rate samples per second
   */
  public void writeWav(Path file, Expr<?> samples, int rate) {
    writeWav(file, samples, rate, WavFormat.PCM16);
  }

  /**
   * Writes a WAV file. Samples are floating point, {@code [n]} or {@code [n, channels]}, from -1 to
   * 1; integer formats round to the nearest step, and take 1 for the largest one. A failed write
   * leaves an existing file unchanged.
   *
   * @param rate samples per second
   * @throws ShapeException if the shape or the dtype is another one, the rate is not from 1 to
   *     1048576, or an integer format does not hold a sample
   * @throws ristretto.kernels.FileException if the file cannot be written
   */
  public void writeWav(Path file, Expr<?> samples, int rate, WavFormat format) {
    MediaTransfer.writeWav((Context) this, file, samples, rate, format);
  }
}
