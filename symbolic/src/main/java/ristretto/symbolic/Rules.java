package ristretto.symbolic;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.NamePattern;

/**
 * Rules for {@link Executor#load(java.nio.file.Path, Rules)}: how the names in a weight file become
 * names of the model, which variables the file may lack, and which matrices are transposed.
 *
 * <pre>{@code
 * executor.load(path, Rules.rename("model\\.(.*)", "$1").optional("head.*"));
 * }</pre>
 *
 * <p>Patterns of variables are names in the model, in which {@code *} stands for any characters.
 * Rules are immutable; each method returns new ones.
 */
public final class Rules {
  private final List<Renaming> renamings;
  private final List<NamePattern> optional;
  private final List<NamePattern> transposed;
  private final List<NamePattern> asStored;

  private record Renaming(Pattern pattern, String replacement) {}

  private Rules(
      List<Renaming> renamings,
      List<NamePattern> optional,
      List<NamePattern> transposed,
      List<NamePattern> asStored) {
    this.renamings = List.copyOf(renamings);
    this.optional = List.copyOf(optional);
    this.transposed = List.copyOf(transposed);
    this.asStored = List.copyOf(asStored);
  }

  /** Returns rules under which each variable of the model must be in the file, by its name. */
  public static Rules exact() {
    return new Rules(List.of(), List.of(), List.of(), List.of());
  }

  /**
   * Returns rules with one renaming.
   *
   * @param regex regular expression that a whole name in the file must match to be renamed
   * @param replacement name in the model; {@code $1} is the first group of the expression
   * @throws ShapeException if the regular expression is malformed
   */
  public static Rules rename(String regex, String replacement) {
    return exact().thenRename(regex, replacement);
  }

  /**
   * Adds a renaming, which applies to the names that the renamings before it yield.
   *
   * @param regex regular expression that a whole name must match to be renamed
   * @param replacement name in the model; {@code $1} is the first group of the expression
   * @throws ShapeException if the regular expression is malformed
   */
  public Rules thenRename(String regex, String replacement) {
    try {
      var renaming = new Renaming(Pattern.compile(regex), replacement);
      return new Rules(with(renamings, renaming), optional, transposed, asStored);
    } catch (PatternSyntaxException e) {
      throw new ShapeException(
          "[rename] the pattern must be a regular expression; got \"%s\" (%s); correct it."
              .formatted(regex, e.getDescription()));
    }
  }

  /**
   * Allows variables to keep their values if the file lacks them, or has them with another shape or
   * dtype.
   *
   * @param pattern names in the model; {@code *} stands for any characters
   */
  public Rules optional(String pattern) {
    return new Rules(renamings, with(optional, NamePattern.of(pattern)), transposed, asStored);
  }

  /**
   * Declares that the file has some matrices transposed, as PyTorch's {@code [out, in]} for a dense
   * layer's {@code [in, out]}. Only square matrices need this: others show it by their shape.
   *
   * @param pattern names in the model; {@code *} stands for any characters
   */
  public Rules transpose(String pattern) {
    return new Rules(renamings, optional, with(transposed, NamePattern.of(pattern)), asStored);
  }

  /**
   * Declares that the file has some matrices in the layout of the model. Only square matrices need
   * this: others show it by their shape.
   *
   * @param pattern names in the model; {@code *} stands for any characters
   */
  public Rules asStored(String pattern) {
    return new Rules(renamings, optional, transposed, with(asStored, NamePattern.of(pattern)));
  }

  private static <E> List<E> with(List<E> list, E more) {
    var all = new ArrayList<E>(list);
    all.add(more);
    return all;
  }

  /** Returns the name in the model of a name in the file. */
  String renamed(String name) {
    String renamed = name;
    for (Renaming renaming : renamings) {
      Matcher matcher = renaming.pattern.matcher(renamed);
      if (matcher.matches()) {
        try {
          renamed = matcher.replaceFirst(renaming.replacement);
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
          throw new ShapeException(
              "[rename] the replacement must refer to groups of \"%s\"; got \"%s\" (%s); correct it."
                  .formatted(renaming.pattern, renaming.replacement, e.getMessage()));
        }
      }
    }
    return renamed;
  }

  boolean isOptional(String name) {
    return matches(optional, name);
  }

  boolean isTransposed(String name) {
    return matches(transposed, name);
  }

  boolean isAsStored(String name) {
    return matches(asStored, name);
  }

  /**
   * Checks that each pattern is the name of a variable.
   *
   * @throws ShapeException if a pattern matches none
   */
  void requireUsed(List<String> variables) {
    var all = new ArrayList<>(optional);
    all.addAll(transposed);
    all.addAll(asStored);
    for (NamePattern pattern : all) {
      if (variables.stream().noneMatch(pattern::matches)) {
        throw new ShapeException(
            "[load] each pattern must match a parameter or state of the model; got \"%s\"; the"
                    .formatted(pattern)
                + " model has "
                + LoadReport.some(variables)
                + ".");
      }
    }
  }

  private static boolean matches(List<NamePattern> patterns, String name) {
    return patterns.stream().anyMatch(pattern -> pattern.matches(name));
  }
}
