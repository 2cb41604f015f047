package ristretto.kernels.cpu.operands;

import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.ScalarType;

/** {@link Operand.Memory} with its maps over the dimensions of a {@link IterationSpace}. */
public final class MemoryRef {
  public final ScalarType storage;
  public final int buffer;
  public final StridedCursor map;

  /** Index ranges in which the operand is read, or null if it is read everywhere. */
  public final Box box;

  /** Index map of the gather's index buffer, or null without a gather. */
  public final StridedCursor index;

  public final Operand.Gather gather;

  public MemoryRef(IterationSpace space, Operand.Memory operand) {
    storage = operand.storage();
    buffer = operand.buffer();
    map = space.cursor(operand.map());
    box = space.box(operand.bounds());
    gather = operand.gather().orElse(null);
    index = gather == null ? null : space.cursor(gather.map());
  }

  public int size() {
    return storage.bytes();
  }

  /** Returns true if strips read and write the storage type without conversion. */
  public boolean wide() {
    return !storage.isStorageOnly() && storage != ScalarType.BOOL;
  }

  /** Returns true if a strip along the dimension accesses the operand without packing. */
  public boolean direct(int dim) {
    return wide() && map.strides[dim] == 1;
  }

  public boolean gathersAlong(int dim) {
    return index != null && index.strides[dim] != 0;
  }

  /** Returns the address of the element at {@code at}, including its gathered index. */
  public long address(Job job, long[] at) {
    long element = map.at(at);
    if (index != null) {
      element += gather.stride() * gathered(job, index.at(at));
    }
    return job.buffers[buffer] + element * size();
  }

  /**
   * Returns element {@code position} of the index buffer; negative indices count from the end and
   * are made positive.
   */
  public long gathered(Job job, long position) {
    long base = job.buffers[gather.buffer()];
    long k =
        gather.storage() == ScalarType.I32
            ? RawMemory.getInt(base + 4 * position)
            : RawMemory.getLong(base + 8 * position);
    return k < 0 ? k + gather.extent() : k;
  }
}
