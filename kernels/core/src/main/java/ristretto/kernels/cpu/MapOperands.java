package ristretto.kernels.cpu;

import java.util.ArrayList;
import java.util.List;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * Operands of a map kernel over its simplified iteration space, and the feed of each to the strip.
 */
final class MapOperands {
  /** Least length of lines for which a gather of whole lines is worth one strip call per line. */
  private static final long GATHERED_LINE = 64;

  final Geometry geometry;
  private final Tape tape;
  private final boolean packStores;
  private final Operand[] inputs;
  private final MemoryRef[] stores;
  private final MemoryRef[] memory;
  private final Walk[] indices;

  /** Feeds by strip argument; null for slots that the tape does not use. */
  Feed[] feeds;

  /** True if an operand is packed. */
  boolean packs;

  MapOperands(Kernel.Map kernel) {
    this(
        new Geometry(kernel.extents(), kernel.extents().size()),
        kernel.tape(),
        kernel.inputs(),
        kernel.stores(),
        false);
    geometry.simplify(false);
    while (geometry.rank() < 2) {
      geometry.insertOne(0, true);
    }
    if (gathersByLine()) {
      geometry.insertOne(geometry.rank() - 1, true);
    }
  }

  /**
   * Creates operands over a geometry that the caller simplifies.
   *
   * @param packStores true if stores go to scratch, where the caller works on them before they are
   *     finished
   */
  MapOperands(
      Geometry geometry,
      Tape tape,
      List<Operand> operands,
      List<Operand.Memory> targets,
      boolean packStores) {
    this.geometry = geometry;
    this.tape = tape;
    this.packStores = packStores;
    stores = new MemoryRef[targets.size()];
    for (int k = 0; k < stores.length; k++) {
      stores[k] = new MemoryRef(geometry, targets.get(k));
    }
    inputs = new Operand[operands.size()];
    memory = new MemoryRef[inputs.length];
    indices = new Walk[inputs.length];
    for (Node node : tape.nodes()) {
      if (node instanceof Node.Input in && inputs[in.slot()] == null) {
        int slot = in.slot();
        inputs[slot] = operands.get(slot);
        switch (inputs[slot]) {
          case Operand.Memory m -> memory[slot] = new MemoryRef(geometry, m);
          case Operand.Index i -> indices[slot] = geometry.walk(i.map());
          case Operand.Value _ -> {}
        }
      }
    }
  }

  private int rowDim() {
    return geometry.rank() - 2;
  }

  private int colDim() {
    return geometry.rank() - 1;
  }

  private boolean gathersByLine() {
    if (geometry.extents[colDim()] < GATHERED_LINE) {
      return false;
    }
    for (MemoryRef m : memory) {
      if (m != null && m.gathersAlong(rowDim()) && !m.gathersAlong(colDim())) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns true if a strip accesses all operands without packing, over rows or, if {@code flat},
   * over joined lines.
   */
  boolean direct(boolean flat) {
    for (MemoryRef m : memory) {
      if (m != null && !direct(m, flat)) {
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
    for (Walk w : indices) {
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

  private boolean flat(Walk w) {
    return w.strides[rowDim()] == w.strides[colDim()] * geometry.extents[colDim()];
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

  /** Creates the feeds for tiles of {@code choice} and returns the key of the strip for them. */
  StripKey feeds(TileChoice choice, int elements, ScratchLayout scratch) {
    feeds = new Feed[inputs.length + stores.length];
    var access = new ArrayList<StripSpec.Access>();
    var narrowed = new ArrayList<Integer>();
    for (int k = 0; k < inputs.length; k++) {
      switch (inputs[k]) {
        case null -> access.add(StripSpec.Access.SCALAR);
        case Operand.Value v -> {
          feeds[k] = new Feed.Value(v.argument());
          access.add(StripSpec.Access.SCALAR);
        }
        case Operand.Index i -> {
          if (i.type() == ScalarType.I64 && narrow(indices[k])) {
            narrowed.add(k);
          }
          if (choice.flat() && !flat(indices[k])) {
            boolean wide = i.type() == ScalarType.I64 && !narrow(indices[k]);
            feeds[k] = new IndexPackFeed(indices[k], wide, elements, scratch);
            access.add(StripSpec.Access.UNIT);
          } else {
            feeds[k] = new Feed.Index(indices[k], scratch);
            access.add(StripSpec.Access.INDEX);
          }
        }
        case Operand.Memory _ -> {
          MemoryRef m = memory[k];
          if (direct(m, choice.flat())) {
            feeds[k] = new Feed.Direct(m);
            access.add(
                m.map.strides[colDim()] == 1 ? StripSpec.Access.UNIT : StripSpec.Access.SCALAR);
          } else {
            feeds[k] = new PackFeed(m, false, invariant(m, choice), elements, scratch);
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
      feeds[inputs.length + k] =
          direct ? new Feed.Direct(m) : new PackFeed(m, true, false, elements, scratch);
      packs |= !direct;
      outputs.add(StripSpec.STORE);
    }
    return new StripKey(tape, access, outputs, narrowed);
  }

  private boolean narrow(Walk w) {
    return w.smallest(geometry.extents) >= Integer.MIN_VALUE
        && w.largest(geometry.extents) <= Integer.MAX_VALUE;
  }

  /** Returns true if the packed elements of all tiles are equal, up to the extent of the tile. */
  private boolean invariant(MemoryRef m, TileChoice choice) {
    if (m.box != null || m.index != null) {
      return false;
    }
    for (int d = 0; d < geometry.rank(); d++) {
      boolean whole = d == colDim() && choice.cols() >= geometry.extents[d];
      if (m.map.strides[d] != 0 && !whole) {
        return false;
      }
    }
    return true;
  }
}
