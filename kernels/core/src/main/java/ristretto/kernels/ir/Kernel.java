package ristretto.kernels.ir;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * One fused kernel with its sizes. A device derives its own cache key from it (tape, types, layout
 * classes), so that kernels that differ in sizes only share their code. Outputs never overlap
 * inputs, unless element by element at the same place (in-place update); the caller sees to that.
 */
public sealed interface Kernel {
  /** A label for logs, profiles and file names; see {@link KernelNames}. */
  String name();

  /** What kind of kernel it is, in one word for profiles. */
  default String kind() {
    return switch (this) {
      case Map _ -> "map";
      case Row _ -> "row";
      case Scan _ -> "scan";
      case Scatter _ -> "scatter";
      case Gemm _ -> "gemm";
      case FusedGemm _ -> "gemm";
      case Sort _ -> "sort";
      case Convolution _ -> "convolution";
    };
  }

  /** Extents of what it goes over, for people: of a product the batch dimensions, m, n and k. */
  default Longs space() {
    return switch (this) {
      case Map k -> k.extents;
      case Row k -> k.extents;
      case Scan k -> k.extents;
      case Scatter k -> k.extents;
      case Sort k -> k.extents;
      case Convolution k -> k.results();
      case FusedGemm k -> k.gemm.space();
      case Gemm k -> {
        long[] all = Arrays.copyOf(k.batch.toArray(), k.batch.size() + 3);
        all[all.length - 3] = k.m;
        all[all.length - 2] = k.n;
        all[all.length - 1] = k.k;
        yield Longs.of(all);
      }
    };
  }

  /**
   * Element-wise: for every point of the space, evaluates the tape and stores its outputs.
   *
   * @param extents the iteration space; may hold zeros; rank 0 is one point
   * @param inputs by slot of the tape
   * @param stores store k takes the tape's output k; no gather, no bounds; distinct elements, save
   *     that the same element may be written twice with the same value where a stride is zero
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
   * Reductions and maps over the same rows: softmax, layer norm, or a plain reduction. The first
   * {@code kept} dimensions number the rows, the others the elements of a row. Result of reduction
   * k is the tape's input slot {@code inputs.size() + k}; a reduction may use results of earlier
   * ones. A store is made for every element, or once a row if {@code perRow} (its map's strides for
   * the reduced dimensions are then zero and its value depends on elements through reductions
   * only).
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

  /** Tape output {@code output} goes to {@code target}. */
  record Store(int output, Operand.Memory target, boolean perRow) {}

  /**
   * Cumulative ADD, MUL, MAX or MIN along the last dimension, of the tape's single output. Each row
   * is accumulated in order; F32 sums and products in F64.
   *
   * @param reverse from the end to the front
   * @param exclusive element i holds the result of the elements before i
   */
  record Scan(
      String name,
      Longs extents,
      Op op,
      boolean reverse,
      boolean exclusive,
      Tape tape,
      List<Operand> inputs,
      Operand.Memory target)
      implements Kernel {
    public Scan {
      inputs = List.copyOf(inputs);
    }
  }

  /**
   * For every point of the space, in row-major order: {@code target[map + stride * index] +=
   * value}, deterministic; sums of F32 accumulate as {@link Reduction.Kind#SUM} does. The target
   * holds its start value already.
   *
   * @param target its gather names the index; its map's strides are zero for dimensions that are
   *     added up
   */
  record Scatter(String name, Longs extents, Tape tape, List<Operand> inputs, Operand.Memory target)
      implements Kernel {
    public Scatter {
      inputs = List.copyOf(inputs);
    }
  }

  /**
   * {@code C = alpha * scale * A B + beta * C}, batched.
   *
   * @param batch extents of the batch dimensions, possibly none
   * @param a map over (batch..., m, k); one of its last two strides is 1 (or its extent is 1)
   * @param b map over (batch..., k, n); likewise
   * @param c map over (batch..., m, n); the last stride is 1 (or n is 1)
   * @param type F32 or F64
   * @param scale a launch scalar of that type
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
      implements Kernel {
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
  }

  /**
   * A product with element-wise kernels around it, none of whose results in between are in memory;
   * for devices that {@linkplain ristretto.kernels.device.Device#fuses say so}.
   *
   * @param left over (batch..., m, k); its only store is the product's operand {@code a}, whose
   *     buffer is not touched; absent if {@code a} is in memory
   * @param right over (batch..., k, n); likewise for {@code b}
   * @param after over (batch..., m, n); inputs that equal the product's {@code c} are its values,
   *     and {@code c} is in memory only as far as a store says so, or where beta is not 0; none of
   *     the stores' buffers holds an operand of the product
   */
  record FusedGemm(
      String name, Gemm gemm, Optional<Map> left, Optional<Map> right, Optional<Map> after)
      implements Kernel {}

  /**
   * Sorts each row (last dimension) of {@code input}: NaN last, stable.
   *
   * @param values the first entries of the sorted row, as many as its last extent in {@code keep}
   * @param indices I64 positions of those entries
   */
  record Sort(
      String name,
      Longs extents,
      boolean descending,
      long keep,
      Operand.Memory input,
      Optional<Operand.Memory> values,
      Optional<Operand.Memory> indices)
      implements Kernel {}

  /**
   * A convolution, in the sense of neural networks, or one of its two transposes. It ties images
   * {@code [n, c, ...]}, filters {@code [f, c / groups, ...]} and results {@code [n, f, ...]}; two
   * of them make the third. For devices that {@linkplain ristretto.kernels.device.Device#convolves
   * say so}.
   *
   * @param type F32 or F64
   * @param made which of the three is made
   * @param image its operands are in row-major order, from their map's offset on
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
    /** What a convolution makes. */
    public enum Made {
      RESULTS,
      IMAGES,
      FILTERS
    }

    /** Where filters lie on images, by axis; as many zeros are added before as after. */
    public record Windows(Longs strides, Longs dilations, Longs padding, long groups) {}

    /** The operand that is written. */
    public Operand.Memory target() {
      return switch (made) {
        case RESULTS -> result;
        case IMAGES -> image;
        case FILTERS -> filter;
      };
    }

    /** The operands, the one that is written among them. */
    public List<Operand.Memory> operands() {
      return List.of(image, filter, result);
    }
  }
}
