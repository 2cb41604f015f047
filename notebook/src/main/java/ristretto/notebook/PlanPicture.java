package ristretto.notebook;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import ristretto.expr.Plan;
import ristretto.report.picture.Diagram;
import ristretto.report.picture.DrawGraph;

/** Picture of a plan: kernels, and the buffers between them. */
final class PlanPicture {
  private static final Pattern BOX =
      Pattern.compile("^ {2}([bk]\\d+) \\[(?:shape=box,)?label=\"(.*)\"];$", Pattern.MULTILINE);
  private static final Pattern ARROW =
      Pattern.compile("^ {2}([bk]\\d+) -> ([bk]\\d+);$", Pattern.MULTILINE);

  private PlanPicture() {}

  /** SVG of the plan's graph. */
  static String svg(Plan plan) {
    String dot = plan.toDot();
    var diagram = new Diagram();
    Map<String, Integer> boxes = new LinkedHashMap<>();
    Matcher box = BOX.matcher(dot);
    while (box.find()) {
      boolean kernel = box.group(1).startsWith("k");
      String name = box.group(2);
      Diagram.Kind kind =
          kernel
              ? name.contains("gemm") ? Diagram.Kind.PRODUCT : Diagram.Kind.VALUE
              : name.equals("y") ? Diagram.Kind.OUTPUT : Diagram.Kind.INPUT;
      boxes.put(box.group(1), diagram.box(kind, name));
    }
    Matcher arrow = ARROW.matcher(dot);
    while (arrow.find()) {
      diagram.arrow(boxes.get(arrow.group(1)), boxes.get(arrow.group(2)), "");
    }
    return DrawGraph.svg(diagram);
  }
}
