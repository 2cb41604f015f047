package ristretto.nnet3.draw;

import java.util.LinkedHashMap;
import java.util.Map;
import ristretto.report.ReportPage;

/** Self-contained HTML page of images and texts. */
public final class HtmlPage {
  private final String title;
  private final Map<String, String> parts = new LinkedHashMap<>();

  /** Creates an empty page. */
  public HtmlPage(String title) {
    this.title = title;
  }

  /** Adds an image. */
  public HtmlPage image(String name, String svg) {
    parts.put(name, "<div class=\"image\">" + svg + "</div>");
    return this;
  }

  /** Adds preformatted text. */
  public HtmlPage text(String name, String text) {
    parts.put(name, "<pre>" + ReportPage.escape(text) + "</pre>");
    return this;
  }

  /** Returns the page, which shows one part at a time and needs no script. */
  public String html() {
    var tabs = new StringBuilder();
    var style = new StringBuilder();
    var sections = new StringBuilder();
    int number = 0;
    for (var part : parts.entrySet()) {
      String id = "part" + number;
      tabs.append(
          "<input type=\"radio\" name=\"part\" id=\"%s\"%s><label for=\"%s\">%s</label>\n"
              .formatted(id, number == 0 ? " checked" : "", id, ReportPage.escape(part.getKey())));
      style.append("#%s:checked ~ .%s { display: block; }\n".formatted(id, id));
      sections.append("<section class=\"%s\">\n%s\n</section>\n".formatted(id, part.getValue()));
      number++;
    }
    return """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <title>%s</title>
    <style>
    body { font-family: Helvetica, Arial, sans-serif; margin: 1.5em; color: #222; }
    h1 { font-size: 1.3em; }
    input { position: absolute; opacity: 0; }
    label { display: inline-block; padding: .4em .9em; margin-right: .3em; cursor: pointer;
      border: 1px solid #bbb; border-radius: .4em; background: #f3f3f0; }
    input:checked + label { background: #dfe6f3; border-color: #6b7fa3; }
    input:focus-visible + label { outline: 2px solid #6b7fa3; }
    section { display: none; margin-top: 1em; }
    .image { overflow: auto; border: 1px solid #ddd; }
    pre { overflow: auto; font-size: .85em; line-height: 1.35; }
    %s</style>
    </head>
    <body>
    <h1>%s</h1>
    %s%s</body>
    </html>
    """
        .formatted(ReportPage.escape(title), style, ReportPage.escape(title), tabs, sections);
  }
}
