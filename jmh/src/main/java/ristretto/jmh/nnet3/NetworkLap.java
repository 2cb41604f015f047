package ristretto.jmh.nnet3;

import java.util.List;
import java.util.Locale;
import ristretto.nnet3.compile.Computation;

/**
 * Measurements of one request.
 *
 * @param newKernels number of kernels compiled for requests of other lengths
 * @param products number of matrix products, each counted once even if several calls accumulate it
 * @param calls number of library calls for the products
 * @param others number of kernels other than products
 * @param bytes bytes of inputs, outputs and temporaries
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
   * Times in milliseconds.
   *
   * @param first first compilation in a process
   * @param compile minimum of later compilations
   * @param sequences compilation of a request with more sequences
   * @param length compilation of a longer request
   * @param forward one computation
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

  /** Returns the minimum times of two measurements of one request. */
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

  /** Returns a copy with another time of the first compilation. */
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
