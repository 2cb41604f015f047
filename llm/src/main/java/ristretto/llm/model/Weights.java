package ristretto.llm.model;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.QuantizedTensor;
import ristretto.expr.Tensor;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.expr.type.Shape;
import ristretto.expr.type.U8;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.block.BlockFormat;
import ristretto.llm.gguf.Gguf;
import ristretto.llm.gguf.GgufTensor;

/**
 * Weights of a file on a device, in the types that they have in the file.
 *
 * <p>They are copied into one buffer: Linux gives large pages to large buffers, and small ones to
 * mapped files, from which weights are read at two thirds of the speed. With the property {@code
 * ristretto.llm.map} they stay in the file, which takes less time to load and no other memory.
 * Other devices than cpu copy each tensor to their memory.
 */
public final class Weights {
  private static final long ALIGNMENT = 64;

  private final Context ctx;
  private final Gguf file;

  /** Blocks of all tensors; null if tensors are copied or mapped one by one. */
  private final Tensor<U8> bytes;

  /** Place of each tensor in {@link #bytes}. */
  private final Map<String, Long> places = new LinkedHashMap<>();

  /** Creates the weights of a file, which is open while they are loaded. */
  public Weights(Context ctx, Gguf file) {
    this.ctx = ctx;
    this.file = file;
    boolean maps = Boolean.getBoolean("ristretto.llm.map") || !ctx.device().equals("cpu");
    this.bytes = maps ? null : copied();
  }

  private Tensor<U8> copied() {
    long size = 0;
    for (GgufTensor tensor : file.tensors().values()) {
      if (tensor.type().blocks().isPresent()) {
        places.put(tensor.name(), size);
        size += (tensor.data().byteSize() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
      }
    }
    Tensor<U8> all = ctx.empty(Ops.U8, size);
    for (String name : places.keySet()) {
      ctx.copy(file.tensor(name).data(), part(all, name));
    }
    return all;
  }

  private Tensor<U8> part(Tensor<U8> all, String name) {
    long from = places.get(name);
    return all.slice(Ops.range(from, from + file.tensor(name).data().byteSize()));
  }

  /** Returns true if the file has a tensor of this name. */
  public boolean has(String name) {
    return file.tensors().containsKey(name);
  }

  /**
   * Loads a tensor.
   *
   * @throws FileFormatException if it is missing, of another shape, or of a type that cannot be
   *     read
   */
  public Expr<F32> get(String name, long... dims) {
    GgufTensor tensor = file.tensor(name);
    if (!tensor.shape().equals(Shape.of(dims))) {
      throw new FileFormatException(
          "[load] %s must have the shape %s; got %s in %s; the file is damaged or of another model."
              .formatted(name, Shape.of(dims), tensor.label(), file.file()));
    }
    return get(tensor);
  }

  /** Loads a matrix with any number of rows. */
  Expr<F32> rows(String name, long width) {
    GgufTensor tensor = file.tensor(name);
    return get(name, tensor.shape().rank() == 2 ? tensor.shape().at(0) : -1, width);
  }

  /** Loads a vector into memory; empty if the file has none of this name. */
  Optional<Expr<F32>> vector(String name) {
    return has(name)
        ? Optional.of(ctx.eval(get(name, file.tensor(name).shape().size())))
        : Optional.empty();
  }

  /** Loads a matrix, and a bias if the file has one. */
  Linear linear(String name, long out, long in) {
    String bias = name + ".bias";
    return new Linear(
        get(name + ".weight", out, in).t(),
        has(bias) ? Optional.of(get(bias, out)) : Optional.empty());
  }

  /** Loads a tensor of any shape. */
  public Expr<F32> get(GgufTensor tensor) {
    BlockFormat format = tensor.type().blocks().orElse(null);
    if (format != null && tensor.shape().rank() == 2) {
      long k = tensor.shape().at(1);
      Shape rows = Shape.of(tensor.shape().at(0), format.rowBytes(k));
      Tensor<U8> blocks =
          bytes == null
              ? stored(Ops.U8, tensor, rows)
              : part(bytes, tensor.name()).reshape(rows.toArray());
      return QuantizedTensor.of(format, blocks, k);
    }
    DType<?> dtype =
        tensor
            .type()
            .dtype()
            .filter(DType::isFloat)
            .orElseThrow(() ->
                new FileFormatException(
                    ("[load] tensors must be F32, F16, BF16, or matrices of Q8_0, Q4_0, Q4_K or"
                            + " Q6_K; got %s %s in %s; quantize the model to one of these.")
                        .formatted(tensor.name(), tensor.label(), file.file())));
    Tensor<?> stored = stored(dtype, tensor, tensor.shape());
    // Products would convert a matrix each time they run.
    return dtype == (Object) F32.INSTANCE ? stored.as(Ops.F32) : ctx.eval(stored.cast(Ops.F32));
  }

  /** Elements of a tensor as they are stored. */
  private <T> Tensor<T> stored(DType<T> dtype, GgufTensor tensor, Shape shape) {
    if (tensor.offset() >= 0 && bytes == null) {
      return ctx.memoryMap(dtype, file.file(), tensor.offset(), shape.toArray());
    }
    Tensor<T> copy = ctx.empty(dtype, shape.toArray());
    ctx.copy(tensor.data(), copy);
    return copy;
  }
}
