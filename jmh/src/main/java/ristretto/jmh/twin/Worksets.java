package ristretto.jmh.twin;

import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Line;

/** Current workset; only one line at one size is measured at a time. */
final class Worksets {
  private Workset current;
  private String key = "";

  Workset acquire(Line line, Dims dims) {
    String wanted = line.name() + " " + dims;
    if (current == null || current.closed() || !key.equals(wanted)) {
      current = new Workset(line, dims);
      key = wanted;
    }
    current.acquire();
    return current;
  }
}
