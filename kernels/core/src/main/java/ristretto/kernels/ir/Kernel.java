package ristretto.kernels.ir;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import ristretto.kernels.block.BlockFormat;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * One fused kernel with its sizes. A device derives its own cache key from the tape, the types and
 * the layout classes, so kernels that differ only in sizes share code. Outputs must not overlap
 * inputs, except at the same element (in-place update); the caller guarantees this.
 */
public sealed interface Kernel {
  /** Label for logs, profiles and file names; see {@link KernelNames}. */
  String name();

  /** Kind of the kernel, one word for profiles. */
  default String kind() {
    return switch (this) {
      case Map _ -> "map";
      case Row _ -> "row";
      case Scan _ -> "scan";
      case Recurrence _ -> "recurrence";
      case Scatter _ -> "scatter";
      case Product _, FusedGemm _ -> "gemm";
      case Sort _ -> "sort";
      case Convolution _ -> "convolution";
      case Fourier _ -> "fourier";
    };
  }

  /**
   * Extents of the iteration space: for a product the batch dimensions, m, n and k, for a
   * convolution the extents of the results.
   */
  default Longs space() {
    return switch (this) {
      case Map k -> k.extents;
      case Row k -> k.extents;
      case Scan k -> k.extents;
      case Recurrence k -> k.extents();
      case Scatter k -> k.extents;
      case Sort k -> k.extents;
      case Fourier k -> k.extents;
      case Convolution k -> k.results();
      case FusedGemm k -> k.gemm.space();
      case Product k -> {
        long[] all = Arrays.copyOf(k.batch().toArray(), k.batch().size() + 3);
        all[all.length - 3] = k.m();
        all[all.length - 2] = k.n();
        all[all.length - 1] = k.k();
        yield Longs.of(all);
      }
    };
  }

  /**
   * Element-wise kernel: evaluates the tape at every point of the space and stores its outputs.
   *
   * @param extents the iteration space; extents may be 0; rank 0 is one point
   * @param inputs by slot of the tape
   * @param stores store k takes output k of the tape; no gather, no bounds; distinct elements,
   *     except that a zero stride may write one element several times with the same value
   */
  record Map(
      String name, Longs extents, Tape tape, List<Operand> inputs, List<Operand.Memory> stores)
      implements Kernel {
    public Map {
      inputs = List.copyOf(inputs);
      stores = List.copyOf(stores);
    }
  }

  /**
   * Reductions and element-wise values over the same rows: softmax, layer norm, or a plain
   * reduction. The first {@code kept} dimensions enumerate the rows, the others the elements of a
   * row. The result of reduction k is input slot {@code inputs.size() + k} of the tape; a reduction
   * may use results of earlier ones. A store runs for every element, or once per row if {@code
   * perRow}; then the strides of its map are zero in the reduced dimensions and its value depends
   * on elements only through reductions.
   */
  record Row(
      String name,
      Longs extents,
      int kept,
      Tape tape,
      List<Operand> inputs,
      List<Reduction> reductions,
      List<Store> stores)
      implements Kernel {
    public Row {
      inputs = List.copyOf(inputs);
      reductions = List.copyOf(reductions);
      stores = List.copyOf(stores);
    }
  }

  /** Store of tape output {@code output} to {@code target}, once per row if {@code perRow}. */
  record Store(int output, Operand.Memory target, boolean perRow) {}

  /**
   * Cumulative ADD, MUL, MAX or MIN of the tape's single output along the last dimension. Each row
   * is accumulated in order; F32 sums and products accumulate in F64.
   *
   * @param reverse true to scan from the end to the front
   * @param exclusive true if element i is the result of the elements before i
   */
  record Scan(
      String name,
      Longs extents,
      Operator op,
      boolean reverse,
      boolean exclusive,
      Tape tape,
      List<Operand> inputs,
      Operand.Memory target)
      implements Kernel {
    public Scan {
      inputs = List.copyOf(inputs);
    }

    /** Operators of cumulative kernels. */
    public enum Operator {
      ADD(Op.ADD, Reduction.Kind.SUM),
      MUL(Op.MUL, Reduction.Kind.PROD),
      MAX(Op.MAX, Reduction.Kind.MAX),
      MIN(Op.MIN, Reduction.Kind.MIN);

      private final Op operation;
      private final Reduction.Kind reduction;

      Operator(Op operation, Reduction.Kind reduction) {
        this.operation = operation;
        this.reduction = reduction;
      }

      /** Operation that combines two elements. */
      public Op operation() {
        return operation;
      }

      /** Reduction whose result is the last element of an inclusive scan. */
      public Reduction.Kind reduction() {
        return reduction;
      }
    }
  }

  /**
   * Recurrence: the tape computes the states of a step from those of the step before, one step
   * after the other, independently in each lane. Operands are maps over (steps, lanes), without
   * gather and bounds, and have the types of the tape.
   *
   * @param reverse true if the last step is the first to be computed
   * @param tape its first input slots are the states, the others are {@code inputs}; its outputs
   *     are the new states
   * @param initial states before the first step, by state: memory with stride 0 along the steps, or
   *     numbers
   * @param targets new states, by state
   */
  record Recurrence(
      String name,
      long steps,
      long lanes,
      boolean reverse,
      Tape tape,
      List<Operand> inputs,
      List<Operand> initial,
      List<Operand.Memory> targets)
      implements Kernel {
    public Recurrence {
      inputs = List.copyOf(inputs);
      initial = List.copyOf(initial);
      targets = List.copyOf(targets);
    }

    /** Extents of the iteration space. */
    public Longs extents() {
      return Longs.of(steps, lanes);
    }

    /** Operands that are read, by input slot of the tape. */
    public List<Operand> reads() {
      return Stream.concat(initial.stream(), inputs.stream()).toList();
    }
  }

  /**
   * Scatter: {@code target[map + stride * index] = target[...] op value} for every point of the
   * space, in row-major order and deterministic; F32 sums accumulate as {@link Reduction.Kind#SUM}
   * does. The caller initializes the target.
   *
   * @param target its gather reads the index; the strides of its map are zero in summed dimensions
   */
  record Scatter(
      String name,
      Longs extents,
      Operator op,
      Tape tape,
      List<Operand> inputs,
      Operand.Memory target)
      implements Kernel {
    public Scatter {
      inputs = List.copyOf(inputs);
    }

    /** Creates a scatter that adds. */
    public Scatter(
        String name, Longs extents, Tape tape, List<Operand> inputs, Operand.Memory target) {
      this(name, extents, Operator.ADD, tape, inputs, target);
    }

    /** Operators of scatters; {@code LAST} keeps the last value of each target element. */
    public enum Operator {
      ADD(Op.ADD),
      MAX(Op.MAX),
      MIN(Op.MIN),
      LAST(null);

      private final Op operation;

      Operator(Op operation) {
        this.operation = operation;
      }

      /** Operation that combines the element with a value; absent if the value replaces it. */
      public Optional<Op> operation() {
        return Optional.ofNullable(operation);
      }
    }
  }

  /** Matrix product, whose right operand is in one of several forms. */
  sealed interface Product extends Kernel permits Gemm, BlockGemm {
    /** Type of the result. */
    ScalarType type();

    /** Extents of the batch dimensions, possibly none. */
    Longs batch();

    /** Number of rows of the result. */
    long m();

    /** Number of columns of the result. */
    long n();

    /** Number of terms of a sum. */
    long k();

    /** Left operand, over (batch..., m, k). */
    Operand.Memory a();

    /** Memory of the right operand. */
    Operand.Memory right();

    /** Index space of {@link #right}. */
    Longs rightSpace();

    /** Result, over (batch..., m, n). */
    Operand.Memory c();

    /** Factor of the previous values of {@link #c}. */
    double beta();

    /** Index space of matrices. */
    default Longs space(long rows, long columns) {
      long[] all = Arrays.copyOf(batch().toArray(), batch().size() + 2);
      all[batch().size()] = rows;
      all[batch().size() + 1] = columns;
      return Longs.of(all);
    }
  }

  /**
   * Batched matrix product {@code C = alpha * scale * A B + beta * C}.
   *
   * @param batch extents of the batch dimensions, possibly none
   * @param a map over (batch..., m, k); one of its last two strides is 1 (or its extent is 1)
   * @param b map over (batch..., k, n); one of its last two strides is 1 (or its extent is 1)
   * @param c map over (batch..., m, n); the last stride is 1 (or n is 1)
   * @param type F32 or F64; also I32 or I64, modulo 2^bits and not scaled, on devices where {@link
   *     ristretto.kernels.device.Device#multiplies} returns true
   * @param scale launch scalar of that type
   */
  record Gemm(
      String name,
      ScalarType type,
      Longs batch,
      long m,
      long n,
      long k,
      Operand.Memory a,
      Operand.Memory b,
      Operand.Memory c,
      double alpha,
      Optional<Operand.Value> scale,
      double beta)
      implements Product {
    public Gemm(
        String name,
        ScalarType type,
        Longs batch,
        long m,
        long n,
        long k,
        Operand.Memory a,
        Operand.Memory b,
        Operand.Memory c,
        double alpha,
        double beta) {
      this(name, type, batch, m, n, k, a, b, c, alpha, Optional.empty(), beta);
    }

    @Override
    public Operand.Memory right() {
      return b;
    }

    @Override
    public Longs rightSpace() {
      return space(k, n);
    }
  }

  /**
   * Matrix product fused with element-wise prologues and an epilogue; no intermediate result is
   * stored. Only for devices where {@link ristretto.kernels.device.Device#fuses} returns true.
   *
   * @param left prologue over (batch..., m, k); its only store is operand {@code a} of the product,
   *     whose buffer is not accessed; absent if {@code a} is in memory
   * @param right prologue over (batch..., k, n) for operand {@code b}; absent if {@code b} is in
   *     memory, or in blocks
   * @param after epilogue over (batch..., m, n); inputs equal to {@code c} of the product are its
   *     results; {@code c} is read from memory if beta is not 0, and written only by a store; the
   *     buffers of the stores hold no operand of the product
   */
  record FusedGemm(
      String name, Product gemm, Optional<Map> left, Optional<Map> right, Optional<Map> after)
      implements Kernel {
    /** Product without anything around it. */
    public FusedGemm(Product gemm) {
      this(gemm.name(), gemm, Optional.empty(), Optional.empty(), Optional.empty());
    }
  }

  /**
   * Product with a block-quantized matrix, {@code C = A B'}, in F32.
   *
   * @param k a multiple of the block's length
   * @param a F32 map over (m, k); the last stride is 1 (or k is 1)
   * @param blocks U8 map over (n, bytes of a row); the last stride is 1
   * @param c F32 map over (m, n); the last stride is 1 (or n is 1)
   */
  record BlockGemm(
      String name,
      BlockFormat format,
      long m,
      long n,
      long k,
      Operand.Memory a,
      Operand.Memory blocks,
      Operand.Memory c)
      implements Product {
    @Override
    public ScalarType type() {
      return ScalarType.F32;
    }

    @Override
    public Longs batch() {
      return Longs.EMPTY;
    }

    @Override
    public Operand.Memory right() {
      return blocks;
    }

    @Override
    public Longs rightSpace() {
      return Longs.of(n, format.rowBytes(k));
    }

    @Override
    public double beta() {
      return 0;
    }
  }

  /**
   * Stable sort of each row (last dimension) of {@code input}; NaN last.
   *
   * @param from number of entries of the sorted row that are skipped
   * @param values the next {@code keep} entries of the sorted row
   * @param indices I64 positions of those entries in the row
   */
  record Sort(
      String name,
      Longs extents,
      boolean descending,
      long from,
      long keep,
      Operand.Memory input,
      Optional<Operand.Memory> values,
      Optional<Operand.Memory> indices)
      implements Kernel {
    /** Creates a sort that keeps the first entries. */
    public Sort(
        String name,
        Longs extents,
        boolean descending,
        long keep,
        Operand.Memory input,
        Optional<Operand.Memory> values,
        Optional<Operand.Memory> indices) {
      this(name, extents, descending, 0, keep, input, values, indices);
    }
  }

  /**
   * Discrete Fourier transforms of complex numbers along the last dimension: {@code y[k] = scale *
   * sum over j of x[j] exp(-2 pi i j k / n)}, or with the conjugate factor for the inverse. Only
   * for devices whose {@link ristretto.kernels.device.Device#transforms} returns a layout. With
   * {@link Layout#PAIRS}, results replace the elements, the scale is 1 and {@code periodic} is
   * false.
   *
   * @param type F32 or F64
   * @param extents iteration space; the last extent is at least 2 and has small prime factors only
   * @param periodic true if element 0 follows the last element of the results again
   * @param re real parts of the elements
   * @param im imaginary parts, with the strides of {@code re}; absent if they are zeros
   * @param toRe real parts of the results
   * @param toIm imaginary parts of the results, with the strides of {@code toRe}
   */
  record Fourier(
      String name,
      ScalarType type,
      Longs extents,
      boolean inverse,
      boolean periodic,
      double scale,
      Operand.Memory re,
      Optional<Operand.Memory> im,
      Operand.Memory toRe,
      Operand.Memory toIm)
      implements Kernel {
    /** Layout of complex numbers in memory. */
    public enum Layout {
      /** Real and imaginary parts apart, with any strides. */
      PLANES,
      /** Row-major; each imaginary part follows its real part. */
      PAIRS
    }

    /** Extents of the results. */
    public Longs results() {
      long[] all = extents.toArray();
      all[all.length - 1] += periodic ? 1 : 0;
      return Longs.of(all);
    }
  }

  /**
   * Convolution of neural networks (cross-correlation), or one of its two transposes. The operands
   * are images {@code [n, c, ...]}, filters {@code [f, c / groups, ...]} and results {@code [n, f,
   * ...]}; two of them determine the third. Only for devices where {@link
   * ristretto.kernels.device.Device#convolves} returns true.
   *
   * @param type F32 or F64
   * @param made the operand that is written
   * @param image operands are in row-major order, starting at their map's offset
   */
  record Convolution(
      String name,
      ScalarType type,
      Made made,
      Windows windows,
      Longs images,
      Longs filters,
      Longs results,
      Operand.Memory image,
      Operand.Memory filter,
      Operand.Memory result)
      implements Kernel {
    /** Operand that a convolution computes. */
    public enum Made {
      RESULTS,
      IMAGES,
      FILTERS
    }

    /** Window geometry by spatial axis; {@code padding} zeros are added on both sides. */
    public record Windows(Longs strides, Longs dilations, Longs padding, long groups) {}

    /** Returns the operand that is written. */
    public Operand.Memory target() {
      return switch (made) {
        case RESULTS -> result;
        case IMAGES -> image;
        case FILTERS -> filter;
      };
    }

    /** Returns all three operands, including the one that is written. */
    public List<Operand.Memory> operands() {
      return List.of(image, filter, result);
    }
  }
}
