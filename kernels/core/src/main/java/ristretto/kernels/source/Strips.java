package ristretto.kernels.source;

import java.util.BitSet;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Loops over consecutive elements for CPU drivers. Compilers vectorize a loop if all of its
 * iterations do the same; therefore rarely needed formulas are left out at first, and a strip is
 * computed again if one of its elements needs them.
 */
final class Strips {
  /** Elements of a strip, whose values stay in the first-level cache. */
  static final int LENGTH = 512;

  /** Least number of consecutive elements for which strips are used. */
  static final int SHORTEST = 64;

  private final Entry entry;
  private final Code code;
  private final String type;

  Strips(Entry entry) {
    this.entry = entry;
    this.code = entry.body;
    this.type = entry.index();
  }

  /**
   * Opens a loop over strips: {@code base} is the first element of a strip, {@code size} its
   * length.
   */
  void open(String first, String end) {
    code.open(
        String.format(
            Locale.ROOT,
            "for (%1$s base = %2$s; base < %3$s; base += %4$d)",
            type,
            first,
            end,
            LENGTH));
    code.line(
        String.format(
            Locale.ROOT,
            "const %1$s size = %2$s - base < %3$d ? %2$s - base : %3$d;",
            type,
            end,
            LENGTH));
  }

  void close() {
    code.close();
  }

  /** Renders a loop over {@code variable} with independent iterations. */
  void each(String variable, String from, String to, Runnable round) {
    code.line("INDEPENDENT");
    code.open(
        String.format(
            Locale.ROOT, "for (%1$s %2$s = %3$s; %2$s < %4$s; %2$s++)", type, variable, from, to));
    round.run();
    code.close();
  }

  /**
   * Computes tape rows for each element of a strip.
   *
   * @param declare declares the index variables of element {@code base + l}
   * @param emit renders the tape rows
   * @param use writes their values to strip memory at {@code l}
   */
  void evaluate(Body body, BitSet rows, Runnable declare, Consumer<Body> emit, Consumer<Body> use) {
    boolean rare = body.hasRare(rows);
    Body first = rare ? body.usual("rare") : body;
    if (rare) {
      code.line("i32 rare = 0;");
    }
    each(
        "l",
        "0",
        "size",
        () -> {
          declare.run();
          emit.accept(first);
          use.accept(first);
        });
    if (rare) {
      code.open("if (rare)");
      each(
          "l",
          "0",
          "size",
          () -> {
            declare.run();
            emit.accept(body);
            use.accept(body);
          });
      code.close();
    }
  }

  /** Declares strip memory. */
  void array(String elementType, String name) {
    entry.body.line(elementType + " " + name + "[" + LENGTH + "];");
  }
}
