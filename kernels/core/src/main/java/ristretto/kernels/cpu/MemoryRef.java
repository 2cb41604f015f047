package ristretto.kernels.cpu;

import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.ScalarType;

/** {@link Operand.Memory} with its maps over the dimensions of a {@link Geometry}. */
final class MemoryRef {
  final ScalarType storage;
  final int buffer;
  final Walk map;

  /** Index ranges in which the operand is read, or null if it is read everywhere. */
  final Box box;

  /** Index map of the gather's index buffer, or null without a gather. */
  final Walk index;

  final Operand.Gather gather;

  MemoryRef(Geometry geometry, Operand.Memory operand) {
    storage = operand.storage();
    buffer = operand.buffer();
    map = geometry.walk(operand.map());
    box = geometry.box(operand.bounds());
    gather = operand.gather().orElse(null);
    index = gather == null ? null : geometry.walk(gather.map());
  }

  int size() {
    return storage.bytes();
  }

  /** Returns true if strips read and write the storage type without conversion. */
  boolean wide() {
    return !storage.isStorageOnly() && storage != ScalarType.BOOL;
  }

  /** Returns true if a strip along the dimension accesses the operand without packing. */
  boolean direct(int dim) {
    return wide() && map.strides[dim] == 1;
  }

  boolean gathersAlong(int dim) {
    return index != null && index.strides[dim] != 0;
  }

  /** Returns the address of the element at {@code at}, including its gathered index. */
  long address(Job job, long[] at) {
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
  long gathered(Job job, long position) {
    long base = job.buffers[gather.buffer()];
    long k =
        gather.storage() == ScalarType.I32
            ? Raw.getInt(base + 4 * position)
            : Raw.getLong(base + 8 * position);
    return k < 0 ? k + gather.extent() : k;
  }
}
