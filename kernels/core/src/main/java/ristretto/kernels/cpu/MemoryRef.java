package ristretto.kernels.cpu;

import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.ScalarType;

/** An {@link Operand.Memory} over the dimensions of a {@link Geometry}. */
final class MemoryRef {
  final ScalarType storage;
  final int buffer;
  final Walk map;

  /** Where it is read, or null for everywhere. */
  final Box box;

  /** The gather's index element, or null. */
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

  /** Strips read and write these types themselves. */
  boolean wide() {
    return !storage.isStorageOnly() && storage != ScalarType.BOOL;
  }

  /** A strip along the dimension reads and writes it without packing. */
  boolean direct(int dim) {
    return wide() && map.strides[dim] == 1;
  }

  boolean gathersAlong(int dim) {
    return index != null && index.strides[dim] != 0;
  }

  /** Address of the element at {@code at}, its gathered index included. */
  long address(Job job, long[] at) {
    long element = map.at(at);
    if (index != null) {
      element += gather.stride() * gathered(job, index.at(at));
    }
    return job.buffers[buffer] + element * size();
  }

  /** The index element at {@code position} of the index buffer, counted from the front. */
  long gathered(Job job, long position) {
    long base = job.buffers[gather.buffer()];
    long k =
        gather.storage() == ScalarType.I32
            ? Raw.getInt(base + 4 * position)
            : Raw.getLong(base + 8 * position);
    return k < 0 ? k + gather.extent() : k;
  }
}
