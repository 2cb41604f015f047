package ristretto.symbolic.inspect;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Program;
import ristretto.expr.Trace;

/**
 * Times of the kernels of one run by layer, as {@code executor.profile()} returns them. {@link
 * #toString} prints a table, the longest times first.
 *
 * @param rows kernels by layer, pass and name, the longest times first
 */
public record Profile(List<Row> rows) {
  /**
   * Launches of one kernel for one layer.
   *
   * @param layer name of the operator whose value the kernel stores; of several operators, joined
   *     by {@code +}, if it stores several; {@code optimizer} for updates. The kernel also does the
   *     work of operators whose values are not stored: the product of a dense layer whose only
   *     reader is a relu is in the row of the relu, and the dense layer has no row.
   * @param pass forward, backward, recompute or update; several joined by {@code +}
   * @param kernel name of the kernel
   * @param launches number of launches
   * @param millis time of all launches in milliseconds
   * @param bytes bytes read and written by all launches
   * @param operations floating-point operations of all launches; 0 if the device does not state
   *     them
   */
  public record Row(
      String layer,
      String pass,
      String kernel,
      int launches,
      double millis,
      long bytes,
      long operations) {
    /** Returns the memory throughput in GB/s. */
    public double gigabytesPerSecond() {
      return bytes / Math.max(1e-6, millis) / 1e6;
    }

    /** Returns the arithmetic throughput in GFLOP/s. */
    public double gigaflops() {
      return operations / Math.max(1e-6, millis) / 1e6;
    }

    private Row and(Program.Timing t) {
      return new Row(
          layer,
          pass,
          kernel,
          launches + 1,
          millis + t.nanos() / 1e6,
          bytes + t.bytes(),
          operations + t.operations());
    }
  }

  public Profile {
    rows = List.copyOf(rows);
  }

  private record Key(Part.Names names, String kernel) {}

  /**
   * Returns the profile of a run.
   *
   * @param timings times of the kernels, in launch order
   * @param trace trace of the program, whose assignments have a {@link Part} as label
   */
  public static Profile of(List<Program.Timing> timings, Trace trace) {
    List<Part.Names> names = Part.names(trace);
    Map<Key, Row> rows = new LinkedHashMap<>();
    for (int k = 0; k < timings.size(); k++) {
      Program.Timing t = timings.get(k);
      Part.Names n = names.get(k);
      var key = new Key(n, t.kernel());
      Row row = rows.getOrDefault(key, new Row(n.layer(), n.pass(), t.kernel(), 0, 0, 0, 0));
      rows.put(key, row.and(t));
    }
    var sorted = new ArrayList<>(rows.values());
    sorted.sort(Comparator.comparingDouble(r -> -r.millis));
    return new Profile(sorted);
  }

  /** Returns the time of all kernels in milliseconds. */
  public double millis() {
    return rows.stream().mapToDouble(Row::millis).sum();
  }

  /** Returns the number of launches. */
  public int launches() {
    return rows.stream().mapToInt(Row::launches).sum();
  }

  /**
   * Returns the time in milliseconds by layer, the longest first; fused operators count for the
   * layer whose value is stored, as in {@link Row}.
   */
  public Map<String, Double> millisByLayer() {
    var sums = new LinkedHashMap<String, Double>();
    rows.forEach(r -> sums.merge(r.layer, r.millis, Double::sum));
    var sorted = new LinkedHashMap<String, Double>();
    sums.entrySet().stream()
        .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
        .forEach(e -> sorted.put(e.getKey(), e.getValue()));
    return sorted;
  }

  /** Returns the table, with totals. */
  @Override
  public String toString() {
    var table = new TextTable("llrrrrrl");
    table.row("layer", "pass", "ms", "", "GB/s", "GFLOP/s", "launches", "kernel");
    for (Row r : rows) {
      table.row(
          r.layer,
          r.pass,
          Quantities.fixed(r.millis, 3),
          Quantities.percent(r.millis, millis()),
          Quantities.fixed(r.gigabytesPerSecond(), 2),
          r.operations == 0 ? "" : Quantities.fixed(r.gigaflops(), 2),
          Quantities.exact(r.launches),
          r.kernel);
    }
    table.row(
        "total", "", Quantities.fixed(millis(), 3), "", "", "", Quantities.exact(launches()), "");
    return table.toString();
  }
}
