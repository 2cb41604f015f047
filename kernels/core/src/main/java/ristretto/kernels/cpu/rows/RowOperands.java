package ristretto.kernels.cpu.rows;

import java.util.ArrayList;
import java.util.List;
import ristretto.kernels.cpu.operands.IterationSpace;
import ristretto.kernels.cpu.operands.MemoryRef;
import ristretto.kernels.cpu.operands.OperandBinding;
import ristretto.kernels.cpu.operands.PackedBinding;
import ristretto.kernels.cpu.operands.PackedIndexBinding;
import ristretto.kernels.cpu.operands.ScratchLayout;
import ristretto.kernels.cpu.operands.StridedCursor;
import ristretto.kernels.cpu.strip.StripSpec;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * Operands of a row kernel over its simplified iteration space: kept dimensions first, then at
 * least two reduced ones.
 */
final class RowOperands {
  final IterationSpace space;
  final Operand[] inputs;
  final MemoryRef[] memory;
  private final StridedCursor[] indices;

  /** Targets of all stores of the kernel, per-row stores included. */
  final MemoryRef[] targets;

  /**
   * Number of the element in its row, and of the row in the kernel; both row-major over the
   * original dimensions of the kernel.
   */
  final StridedCursor position;

  final StridedCursor rowNumber;

  RowOperands(Kernel.Row kernel) {
    int rank = kernel.extents().size();
    space = new IterationSpace(kernel.extents(), kernel.kept());
    inputs = new Operand[kernel.inputs().size()];
    memory = new MemoryRef[inputs.length];
    indices = new StridedCursor[inputs.length];
    for (Node node : kernel.tape().nodes()) {
      if (node instanceof Node.Input in && in.slot() < inputs.length && inputs[in.slot()] == null) {
        int slot = in.slot();
        inputs[slot] = kernel.inputs().get(slot);
        switch (inputs[slot]) {
          case Operand.Memory m -> memory[slot] = new MemoryRef(space, m);
          case Operand.Index i -> indices[slot] = space.cursor(i.map());
          case Operand.Value _ -> {}
        }
      }
    }
    targets = new MemoryRef[kernel.stores().size()];
    for (int k = 0; k < targets.length; k++) {
      targets[k] = new MemoryRef(space, kernel.stores().get(k).target());
    }
    boolean ordered = kernel.reductions().stream().anyMatch(RowOperands::ordered);
    position = ordered ? space.cursor(numbers(kernel.extents(), kernel.kept(), rank)) : null;
    rowNumber = space.cursor(numbers(kernel.extents(), 0, kernel.kept()));
    space.simplify(ordered);
    if (space.kept == 0) {
      space.insertOne(0, true);
    }
    while (space.rank() - space.kept < 2) {
      space.insertOne(space.kept, false);
    }
  }

  private static boolean ordered(Reduction r) {
    return switch (r.kind()) {
      case ARGMAX, ARGMIN, LAMBDA -> true;
      case SUM, ROW_SUM, PROD, MAX, MIN, ANY, ALL -> false;
    };
  }

  private static Affine numbers(Longs extents, int from, int to) {
    long[] strides = new long[extents.size()];
    long next = 1;
    for (int d = to - 1; d >= from; d--) {
      strides[d] = next;
      next *= extents.get(d);
    }
    return new Affine(0, Longs.of(strides));
  }

  int keptInner() {
    return space.kept - 1;
  }

  int reducedInner() {
    return space.rank() - 1;
  }

  long keptExtent() {
    return space.extents[keptInner()];
  }

  long reducedExtent() {
    return space.extents[reducedInner()];
  }

  /** Returns true if all reduced dimensions but the innermost have extent 1. */
  boolean oneReduced() {
    return space.product(space.kept, space.rank() - 1) == 1;
  }

  /**
   * Returns true if the largest input has a smaller stride along the innermost kept dimension than
   * along the innermost reduced one.
   */
  boolean keptIsFast() {
    MemoryRef main = null;
    long most = 0;
    for (MemoryRef m : memory) {
      if (m != null) {
        long distinct = m.size();
        for (int d = 0; d < space.rank(); d++) {
          distinct *= m.map.strides[d] == 0 ? 1 : space.extents[d];
        }
        if (distinct > most) {
          most = distinct;
          main = m;
        }
      }
    }
    if (main == null) {
      return false;
    }
    long kept = Math.abs(main.map.strides[keptInner()]);
    long reduced = Math.abs(main.map.strides[reducedInner()]);
    return kept != 0 && (reduced == 0 || kept < reduced);
  }

  /** Returns true if a gather index varies along {@code dim}. */
  boolean gathersAlong(int dim) {
    for (MemoryRef m : memory) {
      if (m != null && m.gathersAlong(dim)) {
        return true;
      }
    }
    return false;
  }

  /** Bytes that all inputs and targets take per element of a row. */
  long bytesAnElement() {
    long sum = 0;
    for (MemoryRef m : memory) {
      sum += m == null || m.map.strides[reducedInner()] == 0 ? 0 : m.size();
    }
    for (MemoryRef m : targets) {
      sum += m.map.strides[reducedInner()] == 0 ? 0 : m.size();
    }
    return Math.max(1, sum);
  }

  /** Returns true if a strip accesses {@code m} without packing, in tiles over these dimensions. */
  boolean direct(MemoryRef m, int rowDim, int colDim, boolean flat) {
    long stride = m.map.strides[colDim];
    return m.wide()
        && m.box == null
        && !m.gathersAlong(colDim)
        && !m.gathersAlong(rowDim)
        && (stride == 1 || stride == 0)
        && (!flat || flat(m.map, rowDim, colDim));
  }

  private boolean flat(StridedCursor w, int rowDim, int colDim) {
    return w.strides[rowDim] == w.strides[colDim] * space.extents[colDim];
  }

  /**
   * Returns true if a strip accesses all element operands without packing, in tiles over these
   * dimensions.
   */
  boolean direct(int rowDim, int colDim, boolean flat) {
    for (MemoryRef m : memory) {
      if (m != null && !direct(m, rowDim, colDim, flat)) {
        return false;
      }
    }
    for (MemoryRef m : targets) {
      boolean element = m.map.strides[colDim] != 0;
      if (element && !direct(m, rowDim, colDim, flat)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Creates the bindings of the element inputs that {@code tape} uses.
   *
   * @param access receives their access classes
   * @param narrowed receives the index slots read as I32
   */
  void bindings(
      Tape tape,
      RowShape shape,
      ScratchLayout scratch,
      OperandBinding[] bindings,
      StripSpec.Access[] access,
      List<Integer> narrowed) {
    boolean[] used = new boolean[inputs.length];
    for (Node node : tape.nodes()) {
      if (node instanceof Node.Input in && in.slot() < inputs.length) {
        used[in.slot()] = true;
      }
    }
    int rowDim = shape.rowDim();
    int colDim = shape.colDim();
    for (int k = 0; k < inputs.length; k++) {
      if (!used[k]) {
        continue;
      }
      switch (inputs[k]) {
        case Operand.Value v -> bindings[k] = new OperandBinding.Value(v.argument());
        case Operand.Index i -> {
          boolean narrow = narrow(indices[k]);
          if (i.type() == ScalarType.I64 && narrow) {
            narrowed.add(k);
          }
          boolean pack = shape.flat() && !flat(indices[k], rowDim, colDim);
          boolean wide = i.type() == ScalarType.I64 && !narrow;
          bindings[k] =
              pack
                  ? new PackedIndexBinding(indices[k], wide, shape.packedElements(), scratch)
                  : new OperandBinding.Index(indices[k], scratch);
          access[k] = pack ? StripSpec.Access.UNIT : StripSpec.Access.INDEX;
        }
        case Operand.Memory _ -> {
          MemoryRef m = memory[k];
          boolean direct = direct(m, rowDim, colDim, shape.flat());
          bindings[k] =
              direct
                  ? new OperandBinding.Direct(m)
                  : new PackedBinding(m, false, false, shape.packedElements(), scratch);
          access[k] =
              !direct || m.map.strides[colDim] == 1
                  ? StripSpec.Access.UNIT
                  : StripSpec.Access.SCALAR;
        }
      }
    }
  }

  private boolean narrow(StridedCursor w) {
    return w.smallest(space.extents) >= Integer.MIN_VALUE
        && w.largest(space.extents) <= Integer.MAX_VALUE;
  }

  /** Returns true if positions in a row need more than 32 bits. */
  static boolean wide(Kernel.Row kernel) {
    var reduced = new ArrayList<Long>();
    for (int d = kernel.kept(); d < kernel.extents().size(); d++) {
      reduced.add(kernel.extents().get(d));
    }
    return reduced.stream().reduce(1L, Math::multiplyExact) > Integer.MAX_VALUE;
  }

  /**
   * Returns true if elements must be accumulated in order, because a user's operation is not known
   * to be commutative.
   */
  static boolean inOrder(Kernel.Row kernel) {
    for (Reduction r : kernel.reductions()) {
      if (r.kind() == Reduction.Kind.LAMBDA) {
        Tape combine = r.combine().orElseThrow();
        Node last = combine.node(combine.outputs().get(0));
        boolean commutes =
            last instanceof Node.Apply n
                && n.op().commutative()
                && n.op() != Op.EQ
                && n.op() != Op.NE
                && combine.node(n.a()) instanceof Node.Input a
                && combine.node(n.b()) instanceof Node.Input b
                && a.slot() != b.slot();
        if (!commutes) {
          return true;
        }
      }
    }
    return false;
  }
}
