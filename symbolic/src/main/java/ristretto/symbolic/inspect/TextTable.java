package ristretto.symbolic.inspect;

import java.util.ArrayList;
import java.util.List;

/** Table in plain text: columns as wide as their longest cell, two spaces apart. */
final class TextTable {
  private final String align;
  private final List<List<String>> rows = new ArrayList<>();

  /**
   * Creates a table without rows.
   *
   * @param align one letter per column: l for left, r for right
   */
  TextTable(String align) {
    this.align = align;
  }

  TextTable row(String... cells) {
    rows.add(List.of(cells));
    return this;
  }

  /** Returns the rows as lines without trailing spaces. */
  @Override
  public String toString() {
    var widths = new int[align.length()];
    for (List<String> row : rows) {
      for (int c = 0; c < widths.length; c++) {
        widths[c] = Math.max(widths[c], row.get(c).length());
      }
    }
    var text = new StringBuilder();
    for (List<String> row : rows) {
      var line = new StringBuilder();
      for (int c = 0; c < widths.length; c++) {
        String spaces = " ".repeat(widths[c] - row.get(c).length());
        boolean isLeft = align.charAt(c) == 'l';
        line.append(c == 0 ? "" : "  ").append(isLeft ? row.get(c) + spaces : spaces + row.get(c));
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }
}
