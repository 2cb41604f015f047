package ristretto.symbolic.graph;

import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import ristretto.kernels.ShapeException;

/** Pattern of variable names, in which {@code *} stands for any characters, dots included. */
public final class NamePattern {
  private final String text;
  private final Pattern regex;

  private NamePattern(String text, Pattern regex) {
    this.text = text;
    this.regex = regex;
  }

  /** Returns the pattern with a text such as {@code encoder.*}. */
  public static NamePattern of(String text) {
    if (text == null) {
      throw new ShapeException(
          "[pattern] a pattern of names must be a text; got null; \"*\" matches all names.");
    }
    String regex =
        Arrays.stream(text.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*"));
    return new NamePattern(text, Pattern.compile(regex, Pattern.DOTALL));
  }

  /** Returns true if a whole name matches. */
  public boolean matches(String name) {
    return regex.matcher(name).matches();
  }

  /** Returns the text of the pattern. */
  @Override
  public String toString() {
    return text;
  }
}
