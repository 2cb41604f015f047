package ristretto.report.picture;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Rendering of a graph as an image. */
public final class DrawGraph {
  private static final double FONT = 12;
  private static final double LINE = 15;
  private static final double MARGIN = 24;
  private static final double LABEL = 10;

  /** Width ratio of bold to regular text, for the widest supported font. */
  private static final double BOLD = 1.2;

  private final Diagram graph;
  private final LayeredLayout layers;
  private final double[] top;
  private final double[] height;
  private double left = Double.POSITIVE_INFINITY;
  private double right = Double.NEGATIVE_INFINITY;
  private final SvgBuilder svg = new SvgBuilder();

  /** Drawing of the labels, deferred so that they are on top. */
  private final List<Runnable> labels = new ArrayList<>();

  private DrawGraph(Diagram graph) {
    this.graph = graph;
    var widths = new double[graph.boxes().size()];
    for (int k = 0; k < widths.length; k++) {
      List<String> lines = graph.boxes().get(k).lines();
      for (int i = 0; i < lines.size(); i++) {
        double wider = i == 0 ? BOLD : 1;
        widths[k] = Math.max(widths[k], SvgBuilder.width(lines.get(i), FONT) * wider + 20);
      }
    }
    layers =
        new LayeredLayout(
            graph,
            widths,
            graph.arrows().stream().mapToDouble(arrow -> width(arrow.label())).toArray());
    top = new double[layers.rowCount()];
    height = new double[layers.rowCount()];
  }

  private static double width(String label) {
    return isShown(label) ? SvgBuilder.width(label, LABEL) + 8 : 0;
  }

  /** Returns true if the label is drawn; "t" alone, the current time, is left out. */
  private static boolean isShown(String label) {
    return !label.isEmpty() && !label.equals("t");
  }

  /** Returns the image as SVG. */
  public static String svg(Diagram graph) {
    return new DrawGraph(graph).draw();
  }

  private String draw() {
    for (int k = 0; k < graph.boxes().size(); k++) {
      int row = layers.places().get(k).row;
      height[row] = Math.max(height[row], boxHeight(k));
    }
    double y = MARGIN;
    for (int row = 0; row < top.length; row++) {
      top[row] = y;
      y += height[row] + 34;
    }
    for (LayeredLayout.Place p : layers.places()) {
      left = Math.min(left, p.x - p.width / 2);
      right = Math.max(right, p.x + p.width / 2);
    }
    for (int k = 0; k < graph.arrows().size(); k++) {
      arrow(k);
    }
    for (int k = 0; k < graph.boxes().size(); k++) {
      box(k);
    }
    labels.forEach(Runnable::run);
    return svg.image(right - left + 2 * MARGIN + 40, y - 34 + MARGIN);
  }

  private double boxHeight(int box) {
    return graph.boxes().get(box).lines().size() * LINE + 10;
  }

  private double x(int place) {
    return layers.places().get(place).x - left + MARGIN;
  }

  private double middle(int place) {
    int row = layers.places().get(place).row;
    return top[row] + height[row] / 2;
  }

  private double half(int place) {
    int box = layers.places().get(place).box;
    return box < 0 ? 0 : boxHeight(box) / 2;
  }

  private void box(int k) {
    Diagram.Box box = graph.boxes().get(k);
    LayeredLayout.Place place = layers.places().get(k);
    double h = boxHeight(k);
    double y = middle(k) - h / 2;
    svg.titled(String.join("\n", box.lines()));
    svg.rectangle(
        x(k) - place.width / 2,
        y,
        place.width,
        h,
        box.kind() == Diagram.Kind.INPUT || box.kind() == Diagram.Kind.OUTPUT ? h / 2 : 4,
        "fill=\"%s\" stroke=\"%s\"".formatted(box.kind().fill, box.kind().line));
    List<String> lines = box.lines();
    for (int i = 0; i < lines.size(); i++) {
      svg.text(
          x(k),
          y + 5 + LINE * (i + 0.75),
          i == 0 ? FONT : FONT - 1.5,
          "middle",
          i == 0 ? "font-weight=\"bold\" fill=\"#222222\"" : "fill=\"#444444\"",
          lines.get(i));
    }
    svg.end();
  }

  private void arrow(int k) {
    Diagram.Arrow arrow = graph.arrows().get(k);
    List<Integer> path = layers.path(k);
    boolean up = layers.isBackward(k);
    String colour = up ? "#b04a4a" : "#777777";
    String style =
        "fill=\"none\" stroke=\"%s\"%s".formatted(colour, up ? " stroke-dasharray=\"5 3\"" : "");
    double headX;
    double headY;
    double direction = up ? -1 : 1;
    if (arrow.from() == arrow.to()) {
      double x = x(arrow.from()) + layers.places().get(arrow.from()).width / 2;
      double y = middle(arrow.from());
      svg.path(
          d(
              "M %.1f %.1f C %.1f %.1f %.1f %.1f %.1f %.1f",
              x, y + 6, x + 30, y + 14, x + 30, y - 14, x, y - 6),
          style);
      label(arrow.label(), x + 24, y + 3, colour);
      return;
    }
    var d = new StringBuilder();
    int first = path.get(0);
    double fromX = x(first);
    double fromY = middle(first) + direction * half(first);
    d.append(d("M %.1f %.1f", fromX, fromY));
    for (int p = 1; p < path.size(); p++) {
      int to = path.get(p);
      boolean last = p == path.size() - 1;
      double toX = x(to);
      double toY = middle(to) - direction * (half(to) + (last ? 5 : 0));
      double bend = (toY - fromY) / 2;
      d.append(
          d(" C %.1f %.1f %.1f %.1f %.1f %.1f", fromX, fromY + bend, toX, toY - bend, toX, toY));
      fromX = toX;
      fromY = toY;
    }
    headX = fromX;
    headY = fromY;
    svg.path(d.toString(), style);
    svg.path(
        d("M %.1f %.1f l -3.5 %.1f l 7 0 Z", headX, headY + direction * 5, -direction * 7),
        "fill=\"%s\"".formatted(colour));
    if (path.size() > 2) {
      int bend = layers.middle(k);
      double width = SvgBuilder.width(arrow.label(), LABEL);
      label(arrow.label(), x(bend) - width / 2, middle(bend) + 3, colour);
    } else {
      double startY = middle(first) + direction * half(first);
      double endY = middle(path.get(1)) - direction * half(path.get(1));
      label(arrow.label(), (x(first) + x(path.get(1))) / 2 + 4, (startY + endY) / 2 + 3, colour);
    }
  }

  private void label(String label, double x, double y, String colour) {
    if (!isShown(label)) {
      return;
    }
    right = Math.max(right, x + SvgBuilder.width(label, LABEL) + left - MARGIN);
    labels.add(() ->
        svg.text(
            x,
            y,
            LABEL,
            "start",
            "fill=\"%s\" stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\""
                .formatted(colour),
            label));
  }

  private static String d(String form, Object... arguments) {
    return String.format(Locale.ROOT, form, arguments);
  }
}
