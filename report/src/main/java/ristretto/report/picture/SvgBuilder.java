package ristretto.report.picture;

import java.util.Locale;
import ristretto.report.ReportPage;

/** Builder of SVG images; texts are escaped. */
public final class SvgBuilder {
  private final StringBuilder out = new StringBuilder();

  /** Creates an empty image. */
  public SvgBuilder() {}

  /** Returns the approximate width of a text. */
  public static double width(String text, double size) {
    double sum = 0;
    for (int k = 0; k < text.length(); k++) {
      char c = text.charAt(k);
      sum += "iljt.,:;'|()[] ".indexOf(c) >= 0 ? 0.36 : Character.isUpperCase(c) ? 0.72 : 0.57;
    }
    return sum * size;
  }

  /**
   * Adds a rectangle.
   *
   * @param round radius of the corners
   * @param style attributes of the element
   */
  public SvgBuilder rectangle(double x, double y, double w, double h, double round, String style) {
    return add(
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"%.1f\" %s/>%n",
        x, y, w, h, round, style);
  }

  /** Adds a line. */
  public SvgBuilder line(double x1, double y1, double x2, double y2, String style) {
    return add(
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>%n", x1, y1, x2, y2, style);
  }

  /** Adds a path, given its commands. */
  public SvgBuilder path(String d, String style) {
    return add("<path d=\"%s\" %s/>%n", d, style);
  }

  /** Adds a text with an anchor at {@code x}: start, middle or end. */
  public SvgBuilder text(
      double x, double y, double size, String anchor, String style, String text) {
    return add(
        "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\" text-anchor=\"%s\" %s>%s</text>%n",
        x, y, size, anchor, style, ReportPage.escape(text));
  }

  /** Opens a group with a tooltip; {@link #end} closes the group. */
  public SvgBuilder titled(String title) {
    return add("<g><title>%s</title>%n", ReportPage.escape(title));
  }

  /** Closes a group. */
  public SvgBuilder end() {
    return add("</g>%n");
  }

  private SvgBuilder add(String form, Object... arguments) {
    out.append(String.format(Locale.ROOT, form, arguments).replace(System.lineSeparator(), "\n"));
    return this;
  }

  /** Returns the image. */
  public String image(double width, double height) {
    return String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\""
                + " viewBox=\"0 0 %.0f %.0f\" font-family=\"Helvetica, Arial, sans-serif\">",
            width,
            height,
            width,
            height)
        + "\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        + out
        + "</svg>\n";
  }
}
