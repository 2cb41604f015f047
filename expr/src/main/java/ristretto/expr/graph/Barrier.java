package ristretto.expr.graph;

import java.util.Arrays;
import java.util.Optional;
import java.util.function.UnaryOperator;
import ristretto.expr.index.ViewOp;
import ristretto.expr.type.Shape;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Kernel.Convolution.Made;
import ristretto.kernels.ir.Kernel.Convolution.Windows;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/** Operation that writes its result to memory, where fusion with its readers ends. */
public sealed interface Barrier extends Operation
    permits Barrier.ConcatCopies,
        Barrier.Convolve,
        Barrier.CustomBarrier,
        Barrier.Dot,
        Barrier.FoldWindows,
        Barrier.Fourier,
        Barrier.IntegerDot,
        Barrier.Reduce,
        Barrier.Scan,
        Barrier.Scatter,
        Barrier.Sort,
        Barrier.ViewScatter,
        Recurrence {

  /**
   * Concatenation of many operands along an axis: each part is assigned to its slice of the target.
   */
  record ConcatCopies(int axis) implements Barrier {
    @Override
    public String text(Term term) {
      return "concat of " + term.operands().size();
    }
  }

  /**
   * Convolution or one of its two transposes (gradients), by a library of the device, or else as a
   * product with windows or the gradient of that product. Two of images, filters and results are
   * operands, in this order.
   *
   * @param key extents and windows
   * @param product rewrites a convolution as a product with windows
   */
  record Convolve(Key key, UnaryOperator<Term> product) implements Barrier {
    /** Extents and windows of a convolution. */
    public record Key(Made made, Windows windows, Longs images, Longs filters, Longs results) {}

    @Override
    public Object key(Term term) {
      return key;
    }

    @Override
    public String text(Term term) {
      return switch (key.made) {
        case RESULTS -> "convolution";
        case IMAGES -> "convolution's images";
        case FILTERS -> "convolution's filters";
      };
    }
  }

  /**
   * Matrix product {@code a[..., m, k], b[..., k, n] -> y[..., m, n]} by a library GEMM; F32 and
   * F64.
   */
  record Dot() implements Barrier {
    @Override
    public String text(Term term) {
      return "dot";
    }
  }

  /**
   * Matrix product of integers, modulo 2^bits, by a kernel of the device, or else as a sum of
   * products; I32, U32, I64 and U64.
   *
   * @param sum rewrites the product as a sum of products
   */
  record IntegerDot(UnaryOperator<Term> sum) implements Barrier {
    @Override
    public Object key(Term term) {
      return IntegerDot.class;
    }

    @Override
    public String text(Term term) {
      return "dot";
    }
  }

  /**
   * Discrete Fourier transform along an axis whose extent has small prime factors. The operands are
   * the real parts and the imaginary parts, which are zeros if absent; the result has both along a
   * new axis.
   *
   * @param axis axis of the operands
   * @param pair axis of the result with the real and the imaginary part
   * @param inverse true for the conjugate factor
   * @param periodic true if element 0 follows the last element of the results again
   * @param scale factor of the results
   */
  record Fourier(int axis, int pair, boolean inverse, boolean periodic, double scale)
      implements Barrier {
    @Override
    public String text(Term term) {
      long n = term.operand(0).shape().at(axis);
      return (inverse ? "inverse " : "") + "Fourier transform of " + n + " along " + axis;
    }
  }

  /** Overlap-add of sliding windows at their original positions: the gradient of windows. */
  record FoldWindows(ViewOp.Windows windows) implements Barrier {
    @Override
    public String text(Term term) {
      return "windows added up";
    }
  }

  /**
   * Reduction over axes, kept with extent 1. Fuses with its producers and readers in a row kernel.
   *
   * @param axes reduced axes, ascending
   * @param combine code of a user's reduction
   * @param identity bits of the identity of a user's reduction
   */
  record Reduce(Reduction.Kind kind, Longs axes, Optional<Tape> combine, long identity)
      implements Barrier {
    /** Returns true for each axis of a rank that is reduced. */
    private boolean[] reduced(int rank) {
      boolean[] reduced = new boolean[rank];
      for (int k = 0; k < axes.size(); k++) {
        reduced[(int) axes.get(k)] = true;
      }
      return reduced;
    }

    private long[] pick(Shape from, boolean which) {
      boolean[] reduced = reduced(from.rank());
      long[] dims = new long[reduced.length];
      int n = 0;
      for (int d = 0; d < reduced.length; d++) {
        if (reduced[d] == which) {
          dims[n++] = from.at(d);
        }
      }
      return Arrays.copyOf(dims, n);
    }

    /** Shape of the operand without the reduced axes. */
    public Shape dropped(Shape from) {
      return Shape.of(pick(from, false));
    }

    /** Extents of the reduced axes of the operand. */
    public long[] reducedDims(Shape from) {
      return pick(from, true);
    }

    /** Number of elements that are reduced to one. */
    public long reducedSize(Shape from) {
      return Longs.of(reducedDims(from)).product();
    }

    /** Returns true for a column reduction: all kept axes follow the reduced ones. */
    public boolean isOfColumns(Shape from) {
      boolean[] reduced = reduced(from.rank());
      boolean kept = false;
      for (int d = 0; d < reduced.length; d++) {
        if (from.at(d) != 1) {
          if (kept && reduced[d]) {
            return false;
          }
          kept |= !reduced[d];
        }
      }
      return kept;
    }

    /**
     * Permutation of the operand with the kept axes first, then the reduced axes, each in order.
     */
    public ViewOp.Permute keptThenReduced(Shape from) {
      boolean[] reduced = reduced(from.rank());
      long[] order = new long[reduced.length];
      long[] dims = new long[reduced.length];
      int n = 0;
      for (int pass = 0; pass < 2; pass++) {
        for (int d = 0; d < reduced.length; d++) {
          if (reduced[d] == (pass == 1)) {
            order[n] = d;
            dims[n++] = from.at(d);
          }
        }
      }
      return new ViewOp.Permute(Longs.of(order), Longs.of(dims));
    }

    /** Reduction of a kernel over values of a type. */
    public Reduction reduction(ScalarType operand, int output) {
      return new Reduction(kind, operand, output, combine, identity);
    }

    /** Name of the reduction; a sum of short rows is a sum. */
    public String word() {
      Reduction.Kind shown = kind == Reduction.Kind.ROW_SUM ? Reduction.Kind.SUM : kind;
      return shown.name().toLowerCase(java.util.Locale.ROOT);
    }

    @Override
    public String text(Term term) {
      return word() + " over " + axes;
    }
  }

  /**
   * Cumulative sum, product, maximum or minimum along an axis; its operand is fused as a prologue.
   */
  record Scan(Kernel.Scan.Operator op, int axis, boolean reverse, boolean exclusive)
      implements Barrier {
    @Override
    public String text(Term term) {
      return "cumulative " + op.operation().word() + " along " + axis;
    }
  }

  /**
   * Values combined at positions along an axis; the sum from zeros is the gradient of a gather.
   * Deterministic. The operands are the index, the values and optionally the initial elements,
   * which are the operator's identity by default.
   *
   * @param along true if the index has the values' shape; false if the index's shape replaces the
   *     axis in the values' shape
   */
  record Scatter(int axis, boolean along, Kernel.Scatter.Operator op) implements Barrier {
    /** Creates a scatter that adds. */
    public Scatter(int axis, boolean along) {
      this(axis, along, Kernel.Scatter.Operator.ADD);
    }

    @Override
    public String text(Term term) {
      String word =
          switch (op) {
            case ADD -> "scatterAdd";
            case MAX -> "scatterMax";
            case MIN -> "scatterMin";
            case LAST -> "assignment at positions";
          };
      return word + " along " + axis;
    }
  }

  /**
   * Consecutive entries of each sorted row along an axis: values, or positions (I64).
   *
   * @param from number of entries that are skipped
   */
  record Sort(int axis, boolean descending, boolean positions, long from) implements Barrier {
    /** Creates a sort that keeps the first entries. */
    public Sort(int axis, boolean descending, boolean positions) {
      this(axis, descending, positions, 0);
    }

    @Override
    public String text(Term term) {
      String word = (positions ? "argSort" : "sort") + " along " + axis;
      return from == 0 ? word : word + " from " + from;
    }
  }

  /** Zeros with values at the elements of a view: the gradient of a view that omits elements. */
  record ViewScatter(ViewOp view) implements Barrier {
    @Override
    public String text(Term term) {
      return "placed in zeros";
    }
  }

  /** Barrier of a user, who plans its work. */
  non-sealed interface CustomBarrier extends Barrier {
    /** First pass: states requirements on operands. */
    void prepare(Term term, BarrierWork work);

    /** Second pass: plans the work that fills {@code target}, which overlaps no operand. */
    void execute(Term term, BarrierWork work, StorageView target);
  }
}
