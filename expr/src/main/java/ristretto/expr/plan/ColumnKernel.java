package ristretto.expr.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.expr.graph.Barrier.Reduce;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.index.IndexMap;
import ristretto.expr.index.ViewChain;
import ristretto.expr.index.ViewOp;
import ristretto.expr.recording.Update;
import ristretto.expr.type.Shape;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.KernelNames;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;

/**
 * Row kernel of several assignments over the same elements: some write all elements, some write
 * reductions over the outer axes. The columns are the rows of the kernel.
 */
final class ColumnKernel {
  /** Maximal number of stores of one kernel. */
  private static final int MOST_STORES = 16;

  /** Least number of columns: fewer are summed in another order, not side by side. */
  private static final long FEWEST_COLUMNS = 16;

  private final PlanBuilder plan;

  /** Extents of the elements except those of 1; reduced axes come first. */
  private final Longs dims;

  private final RowSpace space;

  /** View from the elements to the kernel's space. */
  private final ViewOp.Permute order;

  private ColumnKernel(PlanBuilder plan, long[] dims, int reduced) {
    int kept = dims.length - reduced;
    long[] axes = new long[dims.length];
    long[] permuted = new long[dims.length];
    for (int d = 0; d < dims.length; d++) {
      axes[d] = d < kept ? d + reduced : d - kept;
      permuted[d] = dims[(int) axes[d]];
    }
    this.plan = plan;
    this.dims = Longs.of(dims);
    this.space =
        new RowSpace(
            Arrays.copyOf(permuted, kept), Arrays.copyOfRange(permuted, kept, dims.length));
    this.order = new ViewOp.Permute(Longs.of(axes), Longs.of(permuted));
  }

  /** Kernel for a number of columns; null if no inner axes of the elements have as many. */
  static ColumnKernel of(PlanBuilder plan, Shape elements, long columns) {
    long[] dims = Arrays.stream(elements.toArray()).filter(d -> d != 1).toArray();
    if (columns < FEWEST_COLUMNS || elements.size() <= columns) {
      return null;
    }
    int reduced = dims.length;
    long inner = 1;
    while (reduced > 0 && inner < columns) {
      inner *= dims[--reduced];
    }
    return inner == columns && reduced > 0 ? new ColumnKernel(plan, dims, reduced) : null;
  }

  /**
   * Number of columns of a reduction over all outer axes of its input; 0 for other reductions.
   *
   * @param elements number of elements that the input must have
   */
  static long columns(Term r, long elements) {
    Shape from = r.operand(0).shape();
    boolean fits = ((Reduce) r.operation()).isOfColumns(from) && from.size() == elements;
    return fits ? r.shape().size() : 0;
  }

  /** Returns true if a shape has as many elements as the kernel's space. */
  boolean isOfElements(Shape shape) {
    return shape.size() == space.rowCount() * space.rowLength();
  }

  /** View from the shape of a target to the kernel's space; null if the sizes differ. */
  private ViewChain base(StorageView target) {
    long size = target.shape().size();
    if (size == space.rowCount()) {
      return space.fromRowShape();
    }
    if (size != space.rowCount() * space.rowLength()) {
      return null;
    }
    var permuted = new ViewChain(order, null);
    return target.shape().longs().equals(dims)
        ? permuted
        : new ViewChain(new ViewOp.Reshape(dims), permuted);
  }

  /** Kernel of assignments in order; null if they do not fit one kernel. */
  Kernel.Row draft(List<List<Update>> assignments) {
    return isClean(assignments) ? lowered(assignments) : null;
  }

  /** Returns true if reductions over the columns are the only barriers of the assignments. */
  private boolean isClean(List<List<Update>> assignments) {
    for (List<Update> pairs : assignments) {
      for (Update p : pairs) {
        ViewChain base = base(p.target());
        if (base == null) {
          return false;
        }
        Draft.Root root = Draft.Root.of(p.expr(), p.target().shape(), base);
        if (!new Draft(plan, space, List.of(root)).isClean()) {
          return false;
        }
      }
    }
    return true;
  }

  private Kernel.Row lowered(List<List<Update>> assignments) {
    var lowering = new Lowering(plan, space);
    var targets = new ArrayList<StorageView>();
    var maps = new ArrayList<IndexMap>();
    var rows = new ArrayList<Integer>();
    var perRow = new ArrayList<Boolean>();
    for (List<Update> pairs : assignments) {
      int first = targets.size();
      for (Update p : pairs) {
        StorageView to = p.target();
        ViewChain base = base(to);
        rows.add(lowering.read(Draft.Root.of(p.expr(), to.shape(), base)));
        IndexMap map = ViewChain.apply(base, to.map());
        if (map == null || overlaps(map, to, maps, targets)) {
          return null;
        }
        targets.add(to);
        maps.add(map);
        perRow.add(!isOfElements(to.shape()));
      }
      for (int k = first; k < targets.size(); k++) {
        lowering.remember(targets.get(k), maps.get(k), rows.get(k));
      }
    }
    if (targets.size() > MOST_STORES || lowering.exceedsOperands()) {
      return null;
    }
    Lowering.Parts parts = lowering.finish(rows.stream().mapToInt(k -> k).toArray());
    var stores = new ArrayList<Kernel.Store>();
    for (int k = 0; k < targets.size(); k++) {
      StorageView to = targets.get(k);
      var memory =
          new Operand.Memory(to.dtype().scalar(), plan.number(to.storage()), maps.get(k).affine());
      stores.add(new Kernel.Store(parts.reductions().size() + k, memory, perRow.get(k)));
    }
    String name =
        KernelNames.of(
            "row",
            parts.tape(),
            targets.get(0).dtype().scalar(),
            "columns",
            parts.reductions().hashCode());
    var kernel =
        new Kernel.Row(
            name,
            space.extents(),
            space.keptRank(),
            parts.tape(),
            parts.inputs(),
            parts.reductions(),
            stores);
    var passes = new RowPasses(kernel);
    if (parts.reductions().isEmpty() || !isPlain(kernel) || passes.repeatsWork()) {
      return null;
    }
    for (int k = 0; k < targets.size(); k++) {
      int buffer = plan.number(targets.get(k).storage());
      if (lowering.conflict(buffer, maps.get(k), false) != null) {
        return null;
      }
      Operand inPlace = lowering.conflict(buffer, maps.get(k), true);
      if (inPlace != null && !passes.mayWriteOver(inPlace, stores.get(k))) {
        return null;
      }
    }
    return kernel;
  }

  private static boolean overlaps(
      IndexMap map, StorageView to, List<IndexMap> maps, List<StorageView> targets) {
    for (int k = 0; k < targets.size(); k++) {
      if (targets.get(k).storage() == to.storage() && maps.get(k).mayOverlap(map)) {
        return true;
      }
    }
    return false;
  }

  /** Returns true if neighbouring columns are neighbours in memory; other layouts would be slow. */
  private static boolean isPlain(Kernel.Row k) {
    int inner = k.kept() - 1;
    for (Operand operand : k.inputs()) {
      if (operand instanceof Operand.Memory m
          && (m.gather().isPresent()
              || !m.bounds().isEmpty()
              || m.map().strides().get(inner) < 0
              || m.map().strides().get(inner) > 1)) {
        return false;
      }
    }
    return k.stores().stream().allMatch(s -> s.target().map().strides().get(inner) == 1);
  }
}
