package ristretto.kernels.device;

import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.ScalarType;

/** A convolution or one of its transposes, product by product. */
final class OracleConvolution {
  private final Kernel.Convolution kernel;
  private final OracleAccess access;

  OracleConvolution(Kernel.Convolution kernel, OracleAccess access) {
    this.kernel = kernel;
    this.access = access;
  }

  void run() {
    double[] sums = new double[Math.toIntExact(extents().product())];
    for (long y = 0; y < kernel.results().product(); y++) {
      long[] result = OracleLaunch.index(kernel.results(), y);
      for (long w = 0; w < kernel.filters().product(); w++) {
        long[] filter = OracleLaunch.index(kernel.filters(), w);
        long[] image = image(result, filter);
        if (image != null) {
          switch (kernel.made()) {
            case RESULTS ->
                sums[(int) y] += read(kernel.image(), image) * read(kernel.filter(), filter);
            case IMAGES ->
                sums[(int) number(image)] +=
                    read(kernel.result(), result) * read(kernel.filter(), filter);
            case FILTERS ->
                sums[(int) w] += read(kernel.result(), result) * read(kernel.image(), image);
          }
        }
      }
    }
    for (int k = 0; k < sums.length; k++) {
      Object value = kernel.type() == ScalarType.F32 ? (Object) (float) sums[k] : (Object) sums[k];
      access.write(kernel.target(), OracleLaunch.index(extents(), k), k, value);
    }
  }

  private Longs extents() {
    return switch (kernel.made()) {
      case RESULTS -> kernel.results();
      case IMAGES -> kernel.images();
      case FILTERS -> kernel.filters();
    };
  }

  private double read(Operand.Memory m, long[] index) {
    return ((Number) access.read(m, index, 0)).doubleValue();
  }

  private long number(long[] image) {
    long number = 0;
    for (int d = 0; d < image.length; d++) {
      number = number * kernel.images().get(d) + image[d];
    }
    return number;
  }

  /** The element of an image that a filter's element lies on; null beside it, or of no group. */
  private long[] image(long[] result, long[] filter) {
    var at = kernel.windows();
    long group = result[1] / (kernel.filters().get(0) / at.groups());
    if (filter[0] != result[1]) {
      return null;
    }
    long[] image = new long[result.length];
    image[0] = result[0];
    image[1] = group * kernel.filters().get(1) + filter[1];
    for (int d = 2; d < image.length; d++) {
      image[d] =
          result[d] * at.strides().get(d - 2)
              + filter[d] * at.dilations().get(d - 2)
              - at.padding().get(d - 2);
      if (image[d] < 0 || image[d] >= kernel.images().get(d)) {
        return null;
      }
    }
    return image;
  }
}
