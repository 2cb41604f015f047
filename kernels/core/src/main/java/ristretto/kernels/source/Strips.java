package ristretto.kernels.source;

import java.util.BitSet;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Loops over neighbours for drivers of processors. Compilers make vector code of a loop if all of
 * its rounds do the same; so what is rarely needed is left out at first, and if some element of a
 * strip does need it, the strip is computed again.
 */
final class Strips {
  /** Elements of a strip: its values stay in the first-level cache. */
  static final int LENGTH = 512;

  /** From so many neighbours on, loops over them are worth it. */
  static final int SHORTEST = 64;

  private final Entry entry;
  private final Code code;
  private final String type;

  Strips(Entry entry) {
    this.entry = entry;
    this.code = entry.body;
    this.type = entry.index();
  }

  /** Begins a loop over strips: {@code base} is the first element, {@code size} their number. */
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

  /** A loop over {@code variable} whose rounds are independent. */
  void each(String variable, String from, String to, Runnable round) {
    code.line("INDEPENDENT");
    code.open(
        String.format(
            Locale.ROOT, "for (%1$s %2$s = %3$s; %2$s < %4$s; %2$s++)", type, variable, from, to));
    round.run();
    code.close();
  }

  /**
   * Rows for each element of a strip.
   *
   * @param declare the element's variables, from {@code base + l}
   * @param emit writes the rows
   * @param use what becomes of them; their values go to memory of the strip, by {@code l}
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

  /** Memory of a strip. */
  void array(String elementType, String name) {
    entry.body.line(elementType + " " + name + "[" + LENGTH + "];");
  }
}
