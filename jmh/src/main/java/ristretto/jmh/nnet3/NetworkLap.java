package ristretto.jmh.nnet3;

import java.util.List;
import java.util.Locale;
import ristretto.nnet3.compile.Computation;

/**
 * What was measured of a request.
 *
 * @param newKernels that requests of other lengths needed
 * @param products matrix products, each counted once, however many calls add it up
 * @param calls of the library for them
 * @param others kernels that are no products
 * @param bytes of inputs, outputs and all that is computed
 */
record NetworkLap(
    String recipe,
    String request,
    Times times,
    long newKernels,
    long products,
    long calls,
    long others,
    long bytes) {
  static final String HEADER =
      "recipe,request,first_ms,compile_ms,sequences_ms,length_ms,forward_ms,new_kernels,products,"
          + "calls,others,bytes";

  /**
   * In milliseconds.
   *
   * @param first compilation in a process
   * @param compile least of later ones
   * @param sequences of a request with more sequences
   * @param length of a longer request
   * @param forward of one computation
   */
  record Times(double first, double compile, double sequences, double length, double forward) {}

  static NetworkLap of(
      String recipe, String request, Times times, long newKernels, Computation computation) {
    List<String> lines =
        computation
            .program()
            .explain()
            .toString()
            .lines()
            .filter(l -> l.matches(" *[0-9]+\\. .*"))
            .toList();
    long calls = lines.stream().filter(l -> l.contains(". gemm_")).count();
    long added = lines.stream().filter(l -> l.contains("+= dot of")).count();
    return new NetworkLap(
        recipe,
        request,
        times,
        newKernels,
        calls - added,
        calls,
        lines.size() - calls,
        computation.bytes());
  }

  /** The lesser times of two measurements of one request. */
  NetworkLap lesser(NetworkLap other) {
    var least =
        new Times(
            Math.min(times.first, other.times.first),
            Math.min(times.compile, other.times.compile),
            Math.min(times.sequences, other.times.sequences),
            Math.min(times.length, other.times.length),
            Math.min(times.forward, other.times.forward));
    return new NetworkLap(recipe, request, least, newKernels, products, calls, others, bytes);
  }

  /** The same with another first compilation. */
  NetworkLap withFirst(double first) {
    var with = new Times(first, times.compile, times.sequences, times.length, times.forward);
    return new NetworkLap(recipe, request, with, newKernels, products, calls, others, bytes);
  }

  static NetworkLap parse(String line) {
    String[] f = line.split(",");
    var times = new double[5];
    for (int k = 0; k < times.length; k++) {
      times[k] = Double.parseDouble(f[2 + k]);
    }
    var counts = new long[5];
    for (int k = 0; k < counts.length; k++) {
      counts[k] = Long.parseLong(f[2 + times.length + k]);
    }
    return new NetworkLap(
        f[0],
        f[1],
        new Times(times[0], times[1], times[2], times[3], times[4]),
        counts[0],
        counts[1],
        counts[2],
        counts[3],
        counts[4]);
  }

  String line() {
    return String.format(
        Locale.ROOT,
        "%s,%s,%.3f,%.3f,%.3f,%.3f,%.3f,%d,%d,%d,%d,%d",
        recipe,
        request,
        times.first,
        times.compile,
        times.sequences,
        times.length,
        times.forward,
        newKernels,
        products,
        calls,
        others,
        bytes);
  }
}
