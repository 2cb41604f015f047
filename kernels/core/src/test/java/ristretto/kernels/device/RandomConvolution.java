package ristretto.kernels.device;

import static ristretto.kernels.scalar.ScalarType.F32;
import static ristretto.kernels.scalar.ScalarType.F64;

import java.util.List;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Kernel.Convolution.Made;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.ScalarType;

/** A convolution of any kind, spelled by {@link Choices}. */
final class RandomConvolution {
  private final Choices choices;
  private final Buffers buffers;

  /** Makes buffers with content. */
  interface Buffers {
    int make(ScalarType type, long elements, TestData.Kind kind, int bound);
  }

  RandomConvolution(Choices choices, Buffers buffers) {
    this.choices = choices;
    this.buffers = buffers;
  }

  Kernel kernel() {
    ScalarType type = choices.of(List.of(F32, F64));
    int axes = 1 + choices.next(3);
    long groups = 1 + choices.next(2);
    long[] images = new long[axes + 2];
    long[] filters = new long[axes + 2];
    long[] results = new long[axes + 2];
    long[] strides = new long[axes];
    long[] dilations = new long[axes];
    long[] padding = new long[axes];
    filters[0] = groups * (1 + choices.next(3));
    filters[1] = 1 + choices.next(3);
    images[0] = 1 + choices.next(3);
    images[1] = filters[1] * groups;
    results[0] = images[0];
    results[1] = filters[0];
    for (int d = 0; d < axes; d++) {
      strides[d] = 1 + choices.next(3);
      dilations[d] = 1 + choices.next(2);
      padding[d] = choices.next(3);
      filters[d + 2] = 1 + choices.next(3);
      long window = dilations[d] * (filters[d + 2] - 1) + 1;
      images[d + 2] = Math.max(1, window - 2 * padding[d]) + choices.next(5);
      results[d + 2] = (images[d + 2] + 2 * padding[d] - window) / strides[d] + 1;
    }
    return new Kernel.Convolution(
        "conv_" + type.label(),
        type,
        choices.of(List.of(Made.RESULTS, Made.IMAGES, Made.FILTERS)),
        new Kernel.Convolution.Windows(
            Longs.of(strides), Longs.of(dilations), Longs.of(padding), groups),
        Longs.of(images),
        Longs.of(filters),
        Longs.of(results),
        memory(type, images),
        memory(type, filters),
        memory(type, results));
  }

  private Operand.Memory memory(ScalarType type, long[] dims) {
    long[] strides = new long[dims.length];
    long size = 1;
    for (int d = dims.length - 1; d >= 0; d--) {
      strides[d] = size;
      size *= dims[d];
    }
    long offset = choices.next(3);
    int buffer = buffers.make(type, offset + size, TestData.Kind.SMALL, 0);
    return new Operand.Memory(type, buffer, new Affine(offset, Longs.of(strides)));
  }
}
