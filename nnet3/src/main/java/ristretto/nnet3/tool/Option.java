package ristretto.nnet3.tool;

import java.util.function.Function;
import ristretto.nnet3.io.FloatText;

/**
 * An option of a command, with its value.
 *
 * @param <T> of the value
 */
final class Option<T> {
  final String name;
  final String help;
  final boolean standard;
  private final Kind<T> kind;
  private final T otherwise;
  private T value;
  private boolean given;

  /**
   * How values are written.
   *
   * @param name in the list of options
   * @param wanted what a value must be, in messages
   * @param parser throws IllegalArgumentException
   * @param printer of the default
   * @param bare what the option means without a value, or null where one is needed
   */
  record Kind<T>(
      String name, String wanted, Function<String, T> parser, Function<T, String> printer, T bare) {
    static final Kind<Boolean> BOOL =
        new Kind<>("bool", "true or false", Kind::bool, b -> b.toString(), true);
    static final Kind<Integer> INT =
        new Kind<>("int", "an integer of 32 bits", Integer::valueOf, i -> i.toString(), null);
    static final Kind<Float> FLOAT =
        new Kind<>("float", "a number", Float::valueOf, f -> FloatText.of(f, 6), null);
    static final Kind<String> STRING =
        new Kind<>("string", "a text", s -> s, s -> "\"" + s + "\"", null);

    private static Boolean bool(String text) {
      return switch (text.toLowerCase(java.util.Locale.ROOT)) {
        case "true", "t", "1" -> true;
        case "false", "f", "0" -> false;
        default -> throw new IllegalArgumentException(text);
      };
    }
  }

  Option(String name, Kind<T> kind, T otherwise, String help, boolean standard) {
    this.name = name;
    this.kind = kind;
    this.otherwise = otherwise;
    this.value = otherwise;
    this.help = help;
    this.standard = standard;
  }

  /** What was given, or the default. */
  T get() {
    return value;
  }

  /** Whether it was given. */
  boolean isGiven() {
    return given;
  }

  /** Takes what stands after the equals sign; null where there is none. */
  void set(String text, String where) {
    given = true;
    if (text == null) {
      if (kind.bare == null) {
        throw new UsageException(
            "[options] --%s must have a value, %s; got none%s; write --%s=VALUE."
                .formatted(name, kind.wanted, where, name));
      }
      value = kind.bare;
      return;
    }
    try {
      value = kind.parser.apply(text.strip());
    } catch (IllegalArgumentException e) {
      throw new UsageException(
          "[options] --%s must be %s; got \"%s\"%s; write it so."
              .formatted(name, kind.wanted, text, where));
    }
  }

  String line() {
    return "  --%-25s : %s (%s, default = %s)%n"
        .formatted(name, help, kind.name, kind.printer.apply(otherwise));
  }
}
