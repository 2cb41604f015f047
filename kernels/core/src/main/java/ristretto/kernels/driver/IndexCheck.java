package ristretto.kernels.driver;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import ristretto.kernels.ShapeException;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.IndexMessage;
import ristretto.kernels.device.Launch;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;
import ristretto.kernels.source.Reach;

/**
 * Checks all indices of a gather before a kernel runs, by a kernel on the device that finds the
 * first index out of range. The check is repeated only after the index buffer has changed.
 */
final class IndexCheck {
  private final Device device;
  private final Function<Kernel, Launch> prepare;
  private final Operand.Gather gather;
  private final boolean scatter;
  private final Affine map;
  private final long[] extents;
  private Launch search;
  private Buffer found;
  private DriverBuffer<?> seen;
  private long seenVersion;

  /**
   * Creates the check of one gather.
   *
   * @param prepare makes a launch that is not counted as a launch of the user
   */
  IndexCheck(Device device, Function<Kernel, Launch> prepare, Reach.IndexRead read) {
    this.device = device;
    this.prepare = prepare;
    this.gather = read.gather();
    this.scatter = read.scatter();
    long offset = gather.map().offset();
    var extents = new ArrayList<Long>();
    var strides = new ArrayList<Long>();
    for (int d = 0; d < read.from().size(); d++) {
      long stride = gather.map().strides().get(d);
      long n = read.to().get(d) - read.from().get(d);
      offset += stride * read.from().get(d);
      if (stride != 0 && n > 1) {
        extents.add(n);
        strides.add(stride);
      }
    }
    this.extents = extents.stream().mapToLong(e -> e).toArray();
    this.map = new Affine(offset, Longs.of(strides.stream().mapToLong(s -> s).toArray()));
  }

  /** Checks the indices among the buffers of a launch. */
  void check(Buffer[] buffers) {
    var indices = (DriverBuffer<?>) buffers[gather.buffer()];
    if (indices == seen && indices.version() == seenVersion) {
      return;
    }
    if (search == null) {
      search = prepare.apply(kernel());
      found = device.allocate(16);
    }
    search.run(new Buffer[] {indices, found}, new long[] {gather.extent()});
    var result = MemorySegment.ofArray(new long[2]);
    device.read(found, 0, result);
    if (result.get(ValueLayout.JAVA_LONG_UNALIGNED, 0) != 0) {
      long position = result.get(ValueLayout.JAVA_LONG_UNALIGNED, 8);
      throw new ShapeException(
          IndexMessage.of(scatter, gather.extent(), index(indices, position), position));
    }
    seen = indices;
    seenVersion = indices.version();
  }

  private long index(Buffer indices, long position) {
    long element = map.offset();
    for (int d = extents.length - 1; d >= 0; d--) {
      element += position % extents[d] * map.strides().get(d);
      position /= extents[d];
    }
    int bytes = gather.storage().bytes();
    var value = MemorySegment.ofArray(new long[1]).asSlice(0, bytes);
    device.read(indices, element * bytes, value);
    return gather.storage() == ScalarType.I32
        ? value.get(ValueLayout.JAVA_INT_UNALIGNED, 0)
        : value.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
  }

  /**
   * Returns the kernel that computes whether an index is out of range, and the position of the
   * first one.
   */
  private Kernel kernel() {
    var t = new TapeBuilder();
    int k = t.convert(t.input(0, gather.storage()), ScalarType.I64);
    int extent = t.input(1, ScalarType.I64);
    int low = t.apply(Op.LT, k, t.apply(Op.NEG, extent));
    int bad = t.convert(t.apply(Op.OR, low, t.apply(Op.GE, k, extent)), ScalarType.I32);
    int any = t.convert(t.input(2, ScalarType.I32), ScalarType.I64);
    int first = t.input(3, ScalarType.I64);
    return new Kernel.Row(
        "row_checkIndices_" + gather.storage().label(),
        Longs.of(extents),
        0,
        t.build(bad, any, first),
        List.of(new Operand.Memory(gather.storage(), 0, map), new Operand.Value(ScalarType.I64, 0)),
        List.of(
            new Reduction(Reduction.Kind.MAX, ScalarType.I32, 0),
            new Reduction(Reduction.Kind.ARGMAX, ScalarType.I32, 0)),
        List.of(new Kernel.Store(1, result(0), true), new Kernel.Store(2, result(1), true)));
  }

  private Operand.Memory result(long offset) {
    return new Operand.Memory(
        ScalarType.I64, 1, new Affine(offset, Longs.filled(extents.length, 0)));
  }
}
