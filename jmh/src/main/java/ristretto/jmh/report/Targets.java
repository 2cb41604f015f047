package ristretto.jmh.report;

import java.util.ArrayList;
import java.util.List;
import ristretto.jmh.line.Line;

/** Performance targets of the engine, per line; times are the minimum of the rounds. */
public final class Targets {
  /**
   * Relative difference between runs of the same code: the engine's time may exceed a peer's by as
   * much.
   */
  private static final double NOISE = 0.95;

  private static final long LARGE = 10_000_000;
  private static final List<String> PEERS =
      List.of("torch", "nd4j", "numexpr", "eager", "compile", "cupy");

  private Targets() {}

  /** Judges {@code row} by all targets that apply. */
  public static List<Verdict> judge(Row row) {
    var verdicts = new ArrayList<Verdict>();
    long n = row.dims().product();
    switch (row.line().family()) {
      case MAP -> {
        if (n >= 100_000) {
          atLeast(verdicts, row, "twin", 0.95);
          atLeast(verdicts, row, "C", 0.88);
        }
        if (n >= LARGE && List.of("copy", "axpby").contains(row.line().name())) {
          atLeast(verdicts, row, "limit", 0.9);
        }
      }
      case SUM -> {
        if (n >= 100_000) {
          atLeast(verdicts, row, "limit", 0.95);
        }
        if (n == LARGE) {
          row.of("ours").ifPresent(m -> verdicts.add(new Verdict("error", m.error(), 1e-7, false)));
        }
      }
      case ROWS -> atLeast(verdicts, row, "C", 1 / 1.1);
      case REDUCE -> atLeast(verdicts, row, "limit", 0.7);
      case LAYOUT -> {
        atLeast(verdicts, row, "twin", 0.8);
        atLeast(verdicts, row, "C", 0.8);
      }
      case GEMM -> product(verdicts, row);
    }
    atLeast(verdicts, row, "opencl", 0.95);
    if (n >= LARGE && row.line().family() != Line.Family.LAYOUT) {
      atLeast(verdicts, row, "copy", row.line().family() == Line.Family.MAP ? 0.92 : 0.85);
    }
    for (String peer : PEERS) {
      atLeast(verdicts, row, peer, leastAgainst(peer, row.line(), n));
    }
    return verdicts;
  }

  private static void atLeast(List<Verdict> verdicts, Row row, String competitor, double target) {
    row.ratio(competitor)
        .ifPresent(ratio -> verdicts.add(new Verdict(competitor, ratio, target, true)));
  }

  private static void product(List<Verdict> verdicts, Row row) {
    if (row.line().name().equals("dense")) {
      atLeast(verdicts, row, "blas", 1 / 1.03);
    } else if (row.dims().get(0) >= 256) {
      atLeast(verdicts, row, "blas", 0.97);
    } else if (row.ratio("blas").isPresent()) {
      double over = row.time("ours").getAsDouble() - row.time("blas").getAsDouble();
      verdicts.add(new Verdict("blas + us", over / 1e3, LaunchTargets.CACHED_MICROS, false));
    }
  }

  private static double leastAgainst(String peer, Line line, long n) {
    return switch (peer + " " + line.name()) {
      case "torch sigmoid" -> n >= 100_000 ? 1.0 : NOISE;
      case "torch softmax" -> 1.1;
      case "torch gelu" -> n >= 100_000 ? 2.5 : NOISE;
      case "torch sum3" -> n >= 1_000_000 ? 3 : NOISE;
      case "torch mix8" -> n >= LARGE ? 10 : n >= 1_000_000 ? 5 : NOISE;
      case "numexpr sigmoid", "numexpr gelu", "numexpr mix8", "numexpr blackscholes" -> 5;
      default -> NOISE;
    };
  }
}
