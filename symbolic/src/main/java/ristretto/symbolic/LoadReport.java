package ristretto.symbolic;

import java.util.List;
import java.util.Map;
import ristretto.expr.file.Excerpt;

/**
 * Result of {@link Executor#load(java.nio.file.Path, Rules)}.
 *
 * @param loaded parameters and states that have the values of the file, by their names in the model
 * @param renamed names in the file of those loaded variables that the model names differently, by
 *     their names in the model
 * @param transposed loaded variables whose values are transposed, each with the reason
 * @param cast loaded variables whose dtype in the file is another floating-point type, each with
 *     both
 * @param missing optional variables that the file lacks; their values are unchanged
 * @param otherShape optional variables that have another shape or dtype in the file, each with
 *     both; their values are unchanged
 * @param extra names in the file that the model has no variable for
 */
public record LoadReport(
    List<String> loaded,
    Map<String, String> renamed,
    Map<String, String> transposed,
    Map<String, String> cast,
    List<String> missing,
    Map<String, String> otherShape,
    List<String> extra) {
  private static final int MOST_SHOWN = 5;

  /** Returns the first few names, and the number of the others. */
  static String some(List<String> names) {
    if (names.isEmpty()) {
      return "none";
    }
    int shown = Math.min(MOST_SHOWN, names.size());
    String text = String.join(", ", names.subList(0, shown).stream().map(Excerpt::whole).toList());
    return shown == names.size() ? text : text + " and " + (names.size() - shown) + " more";
  }

  /** Returns one line for each non-empty part. */
  @Override
  public String toString() {
    var text = new StringBuilder("loaded " + loaded.size() + " variables");
    line(text, "renamed", pairs(renamed, " from "));
    line(text, "transposed", pairs(transposed, ": "));
    line(text, "cast", pairs(cast, ": "));
    line(text, "missing", missing);
    line(text, "of another shape", pairs(otherShape, ": "));
    line(text, "extra", extra);
    return text.toString();
  }

  private static List<String> pairs(Map<String, String> map, String between) {
    return map.entrySet().stream().map(e -> e.getKey() + between + e.getValue()).toList();
  }

  private static void line(StringBuilder text, String label, List<String> names) {
    if (!names.isEmpty()) {
      text.append('\n').append(label).append(" (").append(names.size()).append("): ");
      text.append(some(names));
    }
  }
}
