package ristretto.nnet3.cli.options;

import java.util.function.Function;
import ristretto.nnet3.io.FloatText;

/**
 * An option of a command, with its value.
 *
 * @param <T> type of the value
 */
public final class Option<T> {
  public final String name;
  final String help;
  final boolean standard;
  private final Kind<T> kind;
  private final T otherwise;
  private T value;
  private boolean given;

  /**
   * Type of an option's values, with their text form.
   *
   * @param name name of the type in the list of options
   * @param wanted description of valid values in messages
   * @param parser parses a value; throws IllegalArgumentException if the text is invalid
   * @param printer formats the default value
   * @param bare value of an option without an equals sign, or null if a value is required
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

  /** Value given, or the default. */
  public T get() {
    return value;
  }

  /** Returns true if the option was given. */
  boolean isGiven() {
    return given;
  }

  /**
   * Sets the value from the text after the equals sign; the text is null without an equals sign.
   */
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
          "[options] --%s must be %s; got \"%s\"%s; correct it."
              .formatted(name, kind.wanted, text, where));
    }
  }

  String line() {
    return "  --%-25s : %s (%s, default = %s)%n"
        .formatted(name, help, kind.name, kind.printer.apply(otherwise));
  }
}
