package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.List;

/** Block of integer constants of a routine. */
final class Constants {
  final List<Long> values = new ArrayList<>();

  int add(long value) {
    values.add(value);
    return values.size() - 1;
  }
}
