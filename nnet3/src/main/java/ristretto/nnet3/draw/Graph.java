package ristretto.nnet3.draw;

import java.util.ArrayList;
import java.util.List;

/** Boxes with text, and arrows between them. */
public final class Graph {
  private final List<Box> boxes = new ArrayList<>();
  private final List<Arrow> arrows = new ArrayList<>();

  /** What a box stands for, which its colour shows. */
  public enum Kind {
    INPUT("#dcecd9", "#5b8c52"),
    OUTPUT("#f7dfd3", "#b5653a"),
    /** Element by element, or by rows. */
    VALUE("#e4e9f2", "#6b7fa3"),
    /** A matrix product. */
    PRODUCT("#d5dff5", "#3c5a99"),
    /** Only moves data. */
    MOVE("#f4f4f0", "#a0a090"),
    /** Within a recurrence. */
    RECURRENT("#f3e6f2", "#96609a");

    final String fill;
    final String line;

    Kind(String fill, String line) {
      this.fill = fill;
      this.line = line;
    }
  }

  /**
   * A box.
   *
   * @param lines the first is its name
   */
  record Box(Kind kind, List<String> lines) {
    Box {
      lines = List.copyOf(lines);
    }
  }

  /**
   * An arrow.
   *
   * @param label beside it; may be empty
   */
  record Arrow(int from, int to, String label) {}

  /** Adds a box, and returns its number. */
  public int box(Kind kind, String... lines) {
    boxes.add(new Box(kind, List.of(lines)));
    return boxes.size() - 1;
  }

  /** Adds an arrow between boxes by number; labels of arrows between the same boxes are joined. */
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
