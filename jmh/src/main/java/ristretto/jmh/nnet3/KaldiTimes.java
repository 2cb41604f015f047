package ristretto.jmh.nnet3;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Times of Kaldi, read from lines {@code
 * recipe,request,threads,compile,forward,both,commands,bytes}, in milliseconds; {@code both} is
 * forward plus backward. A header and other lines are skipped.
 */
record KaldiTimes(Map<String, Times> lines) {
  static final KaldiTimes NONE = new KaldiTimes(Map.of());
  private static final int FIELDS = 8;

  /**
   * Times of one request, with the number of its computation's commands and the bytes of its
   * matrices.
   */
  record Times(double compile, double forward, double both, long commands, long bytes) {}

  static KaldiTimes read(Path file) throws IOException {
    var all = new HashMap<String, Times>();
    for (String line : Files.readAllLines(file)) {
      String[] f = line.strip().split(",");
      if (f.length == FIELDS && f[2].matches("[0-9]+")) {
        all.merge(
            key(f[0], f[1], Integer.parseInt(f[2])),
            new Times(
                Double.parseDouble(f[3]),
                Double.parseDouble(f[4]),
                Double.parseDouble(f[5]),
                Long.parseLong(f[6]),
                Long.parseLong(f[7])),
            KaldiTimes::lesser);
      }
    }
    return new KaldiTimes(Map.copyOf(all));
  }

  static Times lesser(Times a, Times b) {
    return new Times(
        Math.min(a.compile, b.compile),
        Math.min(a.forward, b.forward),
        Math.min(a.both, b.both),
        a.commands,
        a.bytes);
  }

  Optional<Times> of(String recipe, String request, int threads) {
    return Optional.ofNullable(lines.get(key(recipe, request, threads)));
  }

  /** Returns a copy with one more line; the minimum of each time if the line exists. */
  KaldiTimes with(String recipe, String request, int threads, Times times) {
    var all = new HashMap<>(lines);
    all.merge(key(recipe, request, threads), times, KaldiTimes::lesser);
    return new KaldiTimes(Map.copyOf(all));
  }

  private static String key(String recipe, String request, int threads) {
    return recipe + " " + request + " " + threads;
  }
}
