package ristretto.report.picture;

import java.util.ArrayList;
import java.util.List;

/** Graph of boxes with text and arrows between them. */
public final class Diagram {
  private final List<Box> boxes = new ArrayList<>();
  private final List<Arrow> arrows = new ArrayList<>();

  /** Creates a graph without boxes. */
  public Diagram() {}

  /** Kind of a box, which determines its color. */
  public enum Kind {
    INPUT("#dcecd9", "#5b8c52"),
    OUTPUT("#f7dfd3", "#b5653a"),
    /** Element-wise or row-wise function. */
    VALUE("#e4e9f2", "#6b7fa3"),
    /** Matrix product. */
    PRODUCT("#d5dff5", "#3c5a99"),
    /** Data movement without arithmetic. */
    MOVE("#f4f4f0", "#a0a090"),
    /** Part of a recurrence. */
    RECURRENT("#f3e6f2", "#96609a");

    final String fill;
    final String line;

    Kind(String fill, String line) {
      this.fill = fill;
      this.line = line;
    }
  }

  /**
   * Box.
   *
   * @param lines text; the first line is the name
   */
  record Box(Kind kind, List<String> lines) {
    Box {
      lines = List.copyOf(lines);
    }
  }

  /**
   * Arrow between boxes.
   *
   * @param from number of the box at the tail
   * @param to number of the box at the head
   * @param label text beside the arrow; may be empty
   */
  record Arrow(int from, int to, String label) {}

  /** Adds a box and returns its number. */
  public int box(Kind kind, String... lines) {
    boxes.add(new Box(kind, List.of(lines)));
    return boxes.size() - 1;
  }

  /** Adds an arrow between boxes by number; parallel arrows are merged, and their labels joined. */
  public void arrow(int from, int to, String label) {
    for (int k = 0; k < arrows.size(); k++) {
      Arrow known = arrows.get(k);
      if (known.from == from && known.to == to) {
        boolean more = !label.isEmpty() && !List.of(known.label.split(", ")).contains(label);
        String both = known.label.isEmpty() ? label : known.label + ", " + label;
        arrows.set(k, more ? new Arrow(from, to, both) : known);
        return;
      }
    }
    arrows.add(new Arrow(from, to, label));
  }

  List<Box> boxes() {
    return boxes;
  }

  List<Arrow> arrows() {
    return arrows;
  }
}
