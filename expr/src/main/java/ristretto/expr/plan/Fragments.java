package ristretto.expr.plan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import ristretto.expr.formula.Reads;
import ristretto.expr.formula.Scalar;
import ristretto.expr.graph.Formula;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.index.IndexMap;
import ristretto.expr.index.ViewChain;
import ristretto.expr.index.ViewOp;
import ristretto.expr.type.Shape;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * The code of one element of each expression of a plan, one fragment for each way of reading the
 * expression. {@link Formula#read} runs once for a fragment; {@link Lowering} links fragments into
 * the tapes of kernels.
 */
final class Fragments {
  /** An expression as it is read: through views, the innermost first. */
  record Use(Term expr, ViewChain chain) implements Hole {
    @Override
    public boolean equals(Object o) {
      return o instanceof Use u && expr == u.expr && Objects.equals(chain, u.chain);
    }

    @Override
    public int hashCode() {
      return 31 * expr.spread() + (chain == null ? 0 : chain.hashCode());
    }
  }

  /** Input of a fragment. */
  sealed interface Hole permits Use, Reshaped, Position, Number, Gathered {}

  /** Element below a reshape, which is stored first where the views have no index map. */
  record Reshaped(Use use) implements Hole {}

  /** Index of the element, numbered by a map from the expression's own space. */
  record Position(IndexMap numbering, ViewChain chain) implements Hole {}

  /** Launch scalar. */
  record Number(int argument) implements Hole {}

  /**
   * Element of an input at a position that another input holds.
   *
   * @param shape of the expression
   * @param axis of the source, along which positions count
   * @param along true if the indices have the shape of the expression
   */
  record Gathered(Term source, Term index, Shape shape, int axis, boolean along, ViewChain chain)
      implements Hole {
    /** Element of the source at position 0, by the expression's own index. */
    IndexMap sourceMap(StorageView from, StorageView by) {
      IndexMap map = from.map();
      int indexRank = by.shape().rank();
      long[] strides = new long[shape.rank()];
      for (int d = 0; d < strides.length; d++) {
        if (along) {
          strides[d] = d == axis || map.dims[d] == 1 ? 0 : map.strides[d];
        } else if (d < axis || d >= axis + indexRank) {
          strides[d] = map.strides[d < axis ? d : d - indexRank + 1];
        }
      }
      return map.with(shape.toArray(), strides);
    }

    /** The position's place among the indices, by the expression's own index. */
    IndexMap indexMap(StorageView by) {
      IndexMap map = by.map();
      long[] strides = new long[shape.rank()];
      for (int d = 0; d < strides.length; d++) {
        if (along) {
          strides[d] = map.strides[d];
        } else if (d >= axis && d < axis + by.shape().rank()) {
          strides[d] = map.strides[d - axis];
        }
      }
      return map.with(shape.toArray(), strides);
    }
  }

  /**
   * Code of an element.
   *
   * @param start first row of the fragment in the common tape
   * @param end one after its last row
   * @param result row of the element
   * @param holes inputs by slot, from {@code firstSlot} on, in the order in which they are read
   */
  record Fragment(int start, int end, int result, int firstSlot, List<Hole> holes) {
    Fragment {
      holes = List.copyOf(holes);
    }

    Hole hole(Node.Input in) {
      return holes.get(in.slot() - firstSlot);
    }
  }

  private final PlanBuilder plan;
  private final TapeBuilder tape = new TapeBuilder();
  private final Map<Use, Fragment> fragments = new HashMap<>();
  private final List<Hole> holes = new ArrayList<>();
  private int slots;

  Fragments(PlanBuilder plan) {
    this.plan = plan;
  }

  /** Code of an element as it is read. */
  Fragment of(Formula formula, Use use) {
    Fragment known = fragments.get(use);
    if (known == null) {
      tape.startFragment();
      int start = tape.size();
      int first = slots;
      holes.clear();
      int result = formula.read(use.expr(), new Elements(use.expr(), use.chain())).row();
      known = new Fragment(start, tape.size(), result, first, holes);
      fragments.put(use, known);
    }
    return known;
  }

  Node node(int row) {
    return tape.node(row);
  }

  private int hole(Hole hole, ScalarType type) {
    holes.add(hole);
    return tape.input(slots++, type);
  }

  /** Reads that append the code of an element to the common tape. */
  private final class Elements extends Reads {
    private final Term expr;
    private final ViewChain chain;

    Elements(Term expr, ViewChain chain) {
      super(expr.dtype());
      this.expr = expr;
      this.chain = chain;
    }

    @Override
    public TapeBuilder tape() {
      return tape;
    }

    @Override
    public Scalar input(int k) {
      Term in = expr.operand(k);
      var use = new Use(in, ViewChain.expanding(in.shape().longs(), expr.shape().longs(), chain));
      return element(use, in.dtype().compute());
    }

    @Override
    public Scalar coordinate(int axis) {
      int d = expr.shape().axis(axis, "coordinate");
      return position(IndexMap.coordinate(expr.shape().toArray(), d));
    }

    @Override
    public Scalar elementNumber() {
      return position(IndexMap.contiguous(expr.shape().toArray()));
    }

    private Scalar position(IndexMap numbering) {
      return element(new Position(numbering, chain), ScalarType.I64);
    }

    @Override
    public Scalar number(int k) {
      return scalar(
          plan.scalar(expr, k, (type, argument) -> hole(new Number(argument), type), tape));
    }

    @Override
    public Scalar through(int k, ViewOp op) {
      return through(k, op, chain);
    }

    @Override
    public Scalar through(int k, ViewOp op, Shape to) {
      return through(k, op, ViewChain.expanding(op.dims(), to.longs(), chain));
    }

    private Scalar through(int k, ViewOp op, ViewChain then) {
      Term in = expr.operand(k);
      var use = new Use(in, new ViewChain(op, then));
      boolean mayFail = op instanceof ViewOp.Reshape || op instanceof ViewOp.Windows;
      return element(mayFail ? new Reshaped(use) : use, in.dtype().compute());
    }

    @Override
    public Scalar gather(int source, int indices, int axis, boolean along) {
      Term from = expr.operand(source);
      Term by = expr.operand(indices);
      var gathered = new Gathered(from, by, expr.shape(), axis, along, chain);
      return element(gathered, from.dtype().compute());
    }

    private Scalar element(Hole hole, ScalarType type) {
      return scalar(hole(hole, type));
    }
  }
}
