package ristretto.kernels.cpu.launch;

import java.util.ArrayList;
import java.util.List;
import ristretto.kernels.cpu.operands.IterationSpace;
import ristretto.kernels.cpu.operands.MemoryRef;
import ristretto.kernels.cpu.operands.OperandBinding;
import ristretto.kernels.cpu.operands.PackedBinding;
import ristretto.kernels.cpu.operands.PackedIndexBinding;
import ristretto.kernels.cpu.operands.ScratchLayout;
import ristretto.kernels.cpu.operands.StridedCursor;
import ristretto.kernels.cpu.strip.StripKey;
import ristretto.kernels.cpu.strip.StripSpec;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * Operands of a map kernel over its simplified iteration space, and the binding of each to the
 * strip.
 */
final class MapOperands {
  /** Least length of lines that a strip reads in place, each chosen by an index. */
  private static final long GATHERED_LINE = 64;

  final IterationSpace space;
  private final Tape tape;
  private final boolean packStores;
  private final Operand[] inputs;
  private final MemoryRef[] stores;
  private final MemoryRef[] memory;
  private final StridedCursor[] indices;

  /** True if strips read gathered lines in place. */
  private boolean byLine;

  /** Feeds by strip argument; null for slots that the tape does not use. */
  OperandBinding[] bindings;

  /** True if an operand is packed. */
  boolean packs;

  MapOperands(Kernel.Map kernel) {
    this(
        new IterationSpace(kernel.extents(), kernel.extents().size()),
        kernel.tape(),
        kernel.inputs(),
        kernel.stores(),
        false);
    space.simplify(false);
    while (space.rank() < 2) {
      space.insertOne(0, true);
    }
    byLine = space.extents[colDim()] >= GATHERED_LINE;
  }

  /**
   * Creates operands over a space that the caller simplifies.
   *
   * @param packStores true if stores go to scratch, where the caller works on them before they are
   *     finished
   */
  MapOperands(
      IterationSpace space,
      Tape tape,
      List<Operand> operands,
      List<Operand.Memory> targets,
      boolean packStores) {
    this.space = space;
    this.tape = tape;
    this.packStores = packStores;
    stores = new MemoryRef[targets.size()];
    for (int k = 0; k < stores.length; k++) {
      stores[k] = new MemoryRef(space, targets.get(k));
    }
    inputs = new Operand[operands.size()];
    memory = new MemoryRef[inputs.length];
    indices = new StridedCursor[inputs.length];
    for (Node node : tape.nodes()) {
      if (node instanceof Node.Input in && inputs[in.slot()] == null) {
        int slot = in.slot();
        inputs[slot] = operands.get(slot);
        switch (inputs[slot]) {
          case Operand.Memory m -> memory[slot] = new MemoryRef(space, m);
          case Operand.Index i -> indices[slot] = space.cursor(i.map());
          case Operand.Value _ -> {}
        }
      }
    }
  }

  private int rowDim() {
    return space.rank() - 2;
  }

  private int colDim() {
    return space.rank() - 1;
  }

  /**
   * Returns true if a strip accesses all operands without packing, over rows or, if {@code flat},
   * over joined lines.
   */
  boolean direct(boolean flat) {
    for (MemoryRef m : memory) {
      if (m != null && !direct(m, flat) && !lines(m, flat)) {
        return false;
      }
    }
    for (MemoryRef m : stores) {
      if (!direct(m, flat)) {
        return false;
      }
    }
    return !flat || indicesFlat();
  }

  private boolean indicesFlat() {
    for (StridedCursor w : indices) {
      if (w != null && !flat(w)) {
        return false;
      }
    }
    return true;
  }

  private boolean direct(MemoryRef m, boolean flat) {
    long stride = m.map.strides[colDim()];
    return m.wide()
        && m.box == null
        && !m.gathersAlong(colDim())
        && !m.gathersAlong(rowDim())
        && (stride == 1 || stride == 0)
        && (!flat || flat(m.map));
  }

  /** Returns true if each row of a strip reads one line of an operand, chosen by an index. */
  private boolean lines(MemoryRef m, boolean flat) {
    return byLine
        && !flat
        && m.wide()
        && m.box == null
        && m.gathersAlong(rowDim())
        && !m.gathersAlong(colDim())
        && m.map.strides[colDim()] == 1;
  }

  private boolean flat(StridedCursor w) {
    return w.strides[rowDim()] == w.strides[colDim()] * space.extents[colDim()];
  }

  /** Returns true if an operand has a smaller stride along rows than along columns. */
  boolean transposed() {
    for (MemoryRef m : memory) {
      if (m != null && transposed(m)) {
        return true;
      }
    }
    for (MemoryRef m : stores) {
      if (transposed(m)) {
        return true;
      }
    }
    return false;
  }

  private boolean transposed(MemoryRef m) {
    long row = Math.abs(m.map.strides[rowDim()]);
    return row != 0 && row < Math.abs(m.map.strides[colDim()]);
  }

  /**
   * Returns the operand that the kernel copies unchanged to its only store; null if the kernel is
   * not a plain copy.
   */
  MemoryRef copied() {
    if (stores.length != 1 || !(tape.node(tape.outputs().getFirst()) instanceof Node.Input in)) {
      return null;
    }
    MemoryRef m = memory[in.slot()];
    boolean plain = m != null && m.box == null && m.index == null && stores[0].index == null;
    return plain && m.storage == stores[0].storage ? m : null;
  }

  MemoryRef store(int k) {
    return stores[k];
  }

  /** Creates the bindings for tiles of {@code choice} and returns the key of the strip for them. */
  StripKey bindings(TileSizes choice, int elements, ScratchLayout scratch) {
    bindings = new OperandBinding[inputs.length + stores.length];
    var access = new ArrayList<StripSpec.Access>();
    var narrowed = new ArrayList<Integer>();
    for (int k = 0; k < inputs.length; k++) {
      switch (inputs[k]) {
        case null -> access.add(StripSpec.Access.SCALAR);
        case Operand.Value v -> {
          bindings[k] = new OperandBinding.Value(v.argument());
          access.add(StripSpec.Access.SCALAR);
        }
        case Operand.Index i -> {
          if (i.type() == ScalarType.I64 && narrow(indices[k])) {
            narrowed.add(k);
          }
          if (choice.flat() && !flat(indices[k])) {
            boolean wide = i.type() == ScalarType.I64 && !narrow(indices[k]);
            bindings[k] = new PackedIndexBinding(indices[k], wide, elements, scratch);
            access.add(StripSpec.Access.UNIT);
          } else {
            bindings[k] = new OperandBinding.Index(indices[k], scratch);
            access.add(StripSpec.Access.INDEX);
          }
        }
        case Operand.Memory _ -> {
          MemoryRef m = memory[k];
          if (direct(m, choice.flat())) {
            bindings[k] = new OperandBinding.Direct(m);
            access.add(
                m.map.strides[colDim()] == 1 ? StripSpec.Access.UNIT : StripSpec.Access.SCALAR);
          } else if (lines(m, choice.flat())) {
            bindings[k] = new OperandBinding.Lines(m, scratch);
            access.add(StripSpec.Access.GATHERED);
          } else {
            bindings[k] = new PackedBinding(m, false, invariant(m, choice), elements, scratch);
            access.add(StripSpec.Access.UNIT);
            packs = true;
          }
        }
      }
    }
    var outputs = new ArrayList<Integer>();
    for (int k = 0; k < stores.length; k++) {
      MemoryRef m = stores[k];
      boolean direct = !packStores && direct(m, choice.flat()) && m.map.strides[colDim()] == 1;
      bindings[inputs.length + k] =
          direct
              ? new OperandBinding.Direct(m)
              : new PackedBinding(m, true, false, elements, scratch);
      packs |= !direct;
      outputs.add(StripSpec.STORE);
    }
    return new StripKey(tape, access, outputs, narrowed);
  }

  private boolean narrow(StridedCursor w) {
    return w.smallest(space.extents) >= Integer.MIN_VALUE
        && w.largest(space.extents) <= Integer.MAX_VALUE;
  }

  /** Returns true if the packed elements of all tiles are equal, up to the extent of the tile. */
  private boolean invariant(MemoryRef m, TileSizes choice) {
    if (m.box != null || m.index != null) {
      return false;
    }
    for (int d = 0; d < space.rank(); d++) {
      boolean whole = d == colDim() && choice.cols() >= space.extents[d];
      if (m.map.strides[d] != 0 && !whole) {
        return false;
      }
    }
    return true;
  }
}
