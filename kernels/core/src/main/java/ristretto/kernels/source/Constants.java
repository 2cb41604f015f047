package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.List;

/** The block of sizes, strides and offsets of a routine. */
final class Constants {
  final List<Long> values = new ArrayList<>();

  int add(long value) {
    values.add(value);
    return values.size() - 1;
  }
}
