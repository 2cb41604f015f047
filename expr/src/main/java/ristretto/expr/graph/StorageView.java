package ristretto.expr.graph;

import ristretto.expr.index.IndexMap;
import ristretto.expr.index.ViewOp;
import ristretto.expr.memory.Storage;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.expr.type.Slice;

/** Elements in memory, by an index map: the operation of leaves, and the target of assignments. */
public final class StorageView implements Operation {
  private final DType<?> dtype;
  private final Storage storage;
  private final IndexMap map;
  private final Shape shape;
  private final StorageView base;
  private final ViewOp view;

  /** Creates a leaf that is not a view. */
  public StorageView(DType<?> dtype, Storage storage, IndexMap map) {
    this(dtype, storage, map, null, null);
  }

  private StorageView(
      DType<?> dtype, Storage storage, IndexMap map, StorageView base, ViewOp view) {
    this.dtype = dtype;
    this.storage = storage;
    this.map = map;
    this.shape = Shape.of(map.dims);
    this.base = base;
    this.view = view;
  }

  /** All elements of a storage, row-major. */
  public static StorageView contiguous(DType<?> dtype, Storage storage, Shape shape) {
    return new StorageView(dtype, storage, IndexMap.contiguous(shape.toArray()));
  }

  /** Type of the elements. */
  public DType<?> dtype() {
    return dtype;
  }

  /** Extents, outermost first. */
  public Shape shape() {
    return shape;
  }

  public Storage storage() {
    return storage;
  }

  /** Place of each element within the storage. */
  public IndexMap map() {
    return map;
  }

  /** Memory that this view reads; null if this is not a view. */
  public StorageView base() {
    return base;
  }

  /** View operation applied to {@link #base}; null if this is not a view. */
  public ViewOp viewOp() {
    return view;
  }

  /** Memory at the end of the chain of views. */
  public StorageView root() {
    StorageView m = this;
    while (m.base != null) {
      m = m.base;
    }
    return m;
  }

  /** View of this memory; null if no index map expresses it. */
  public StorageView view(ViewOp op) {
    IndexMap viewed = op.apply(map);
    return viewed == null ? null : new StorageView(dtype, storage, viewed, this, op);
  }

  /** Slice of this memory, with one slice per axis; trailing axes are whole. */
  public StorageView slice(Slice... slices) {
    Views.Sliced sliced = Views.slice(shape, slices);
    StorageView stepped = view(sliced.step());
    return sliced.shape().equals(stepped.shape)
        ? stepped
        : stepped.view(new ViewOp.Reshape(sliced.shape().longs()));
  }

  /** Elements of this view in another storage of the same layout. */
  public StorageView on(Storage other) {
    return new StorageView(dtype, other, map, base == null ? null : base.on(other), view);
  }

  /** Other elements of this storage. */
  public StorageView with(IndexMap other) {
    return new StorageView(dtype, storage, other);
  }

  /** Returns true if this memory and another may have an element in common. */
  public boolean mayOverlap(StorageView other) {
    return storage == other.storage && map.mayOverlap(other.map);
  }

  /** Dtype and shape in the form messages print operands. */
  public String label() {
    return dtype + shape.toString();
  }

  @Override
  public String text(Term term) {
    return label();
  }
}
