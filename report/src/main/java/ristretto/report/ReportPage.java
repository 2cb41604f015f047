package ristretto.report;

import java.util.Base64;
import java.util.List;

/** HTML page of a training in one file: a summary, pictures, and a table of its epochs. */
public final class ReportPage {
  static final int WIDTH = 720;

  private final String title;
  private final StringBuilder body = new StringBuilder();
  private String refresh = "";

  /** Creates a page without pictures and tables. */
  public ReportPage(String title, String summary) {
    this.title = escape(title);
    body.append("<p>").append(escape(summary)).append("</p>\n");
  }

  /** Lets browsers reload the page periodically. */
  public ReportPage refreshed(int seconds) {
    refresh = "<meta http-equiv=\"refresh\" content=\"" + seconds + "\">\n";
    return this;
  }

  /** Adds a picture, from the content of a PNG file. */
  public ReportPage picture(String name, byte[] png) {
    body.append("<p><img alt=\"%s\" src=\"data:image/png;base64,".formatted(escape(name)))
        .append(Base64.getEncoder().encodeToString(png))
        .append("\"></p>\n");
    return this;
  }

  /** Adds a table; its first row has the names of the columns. */
  public ReportPage table(String heading, List<List<String>> rows) {
    body.append("<h2>%s</h2>\n<table>\n".formatted(escape(heading)));
    String cell = "th";
    for (List<String> row : rows) {
      body.append("<tr>");
      for (String text : row) {
        body.append("<%1$s>%2$s</%1$s>".formatted(cell, escape(text)));
      }
      body.append("</tr>\n");
      cell = "td";
    }
    body.append("</table>\n");
    return this;
  }

  /** Returns the content of the page's file. */
  public String html() {
    return """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    %2$s<title>%1$s</title>
    <style>
    body { font: 15px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }
    table { border-collapse: collapse; }
    th, td { padding: 0.2em 0.8em; text-align: right; border-bottom: 1px solid #ddd; }
    img { max-width: 100%%; }
    </style>
    </head>
    <body>
    <h1>%1$s</h1>
    %3$s</body>
    </html>
    """
        .formatted(title, refresh, body);
  }

  /** Replaces the characters of a text that have a meaning in HTML and SVG. */
  public static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
