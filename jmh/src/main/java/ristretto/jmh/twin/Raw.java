package ristretto.jmh.twin;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/** Vector loads and stores at raw addresses, through one segment that covers all memory. */
final class Raw {
  static final VectorSpecies<Float> S = FloatVector.SPECIES_PREFERRED;
  static final int LANES = S.length();
  static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
  static final ByteOrder ORDER = ByteOrder.nativeOrder();

  private Raw() {}

  static FloatVector load(long address) {
    return FloatVector.fromMemorySegment(S, ALL, address, ORDER);
  }

  static FloatVector load(long address, VectorMask<Float> mask) {
    return FloatVector.fromMemorySegment(S, ALL, address, ORDER, mask);
  }

  static void store(FloatVector v, long address) {
    v.intoMemorySegment(ALL, address, ORDER);
  }

  static void store(FloatVector v, long address, VectorMask<Float> mask) {
    v.intoMemorySegment(ALL, address, ORDER, mask);
  }

  static float get(long address) {
    return ALL.get(ValueLayout.JAVA_FLOAT_UNALIGNED, address);
  }

  static void set(long address, float value) {
    ALL.set(ValueLayout.JAVA_FLOAT_UNALIGNED, address, value);
  }
}
