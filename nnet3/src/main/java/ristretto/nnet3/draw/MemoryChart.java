package ristretto.nnet3.draw;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import ristretto.nnet3.analysis.Analyzer;
import ristretto.nnet3.analysis.Assignments;
import ristretto.nnet3.analysis.FusedAssignment;
import ristretto.nnet3.analysis.MatrixInfo;
import ristretto.report.picture.SvgBuilder;

/**
 * Chart of memory over the kernels of a computation: at the top the bytes of live temporaries,
 * below the live range of each matrix and the bytes of the slot that it occupies.
 */
public final class MemoryChart {
  private static final double LEFT = 190;
  private static final double TOP = 46;
  private static final double CURVE = 150;
  private static final double LINE = 17;

  /** Height of the largest slot. */
  private static final double PLACE = 260;

  /** Minimum height of a bar with a name. */
  private static final double TEXT = 13;

  private static final List<String> COLOURS =
      List.of("#7c95c4", "#c49a7c", "#86b489", "#b48bb3", "#b3ad72", "#7fb0b5");

  private final Assignments assignments;
  private final Analyzer analyzer;
  private final SvgBuilder svg = new SvgBuilder();
  private final double step;
  private final int count;

  private MemoryChart(Assignments assignments) {
    this.assignments = assignments;
    this.analyzer = new Analyzer(assignments);
    this.count = Math.max(1, assignments.fused().size());
    this.step = Math.max(3, Math.min(56, 1100.0 / count));
  }

  /** Returns the image as SVG. */
  public static String svg(Assignments assignments) {
    return new MemoryChart(assignments).draw();
  }

  private double x(double fused) {
    return LEFT + fused * step;
  }

  private String draw() {
    double width = Math.max(x(count), 720) + 30;
    svg.text(
        LEFT,
        20,
        14,
        "start",
        "font-weight=\"bold\" fill=\"#222222\"",
        "Temporaries: at most %s in use; %s in %s; %s without sharing"
            .formatted(
                bytes(analyzer.peakBytes()),
                bytes(analyzer.placeBytes()),
                assignments.places(),
                bytes(analyzer.temporaryBytes())));
    curve();
    double y = TOP + CURVE + 40;
    long largest = assignments.slotBytes().stream().mapToLong(b -> b).max().orElse(1);
    for (int slot = 0; slot < assignments.slotBytes().size(); slot++) {
      long whole = assignments.slotBytes().get(slot);
      double height = Math.max(LINE, PLACE * whole / Math.max(1, largest));
      place(slot, whole, y, height);
      y += height + 4;
    }
    y += 8;
    for (MatrixInfo m : assignments.memories()) {
      boolean shown =
          m.role() != MatrixInfo.Role.TEMPORARY
              && m.role() != MatrixInfo.Role.PARAMETER
              && analyzer.firstAccess(m.number()) >= 0;
      if (shown) {
        label(y, shortenedInside(m.name(), 28));
        bar(m, y, LINE - 3, "#c8c8c8", true);
        y += LINE;
      }
    }
    axis(y + 6);
    return svg.image(width, y + 40);
  }

  /** Draws the temporaries of a slot, each over the bytes that it occupies. */
  private void place(int slot, long whole, double y, double height) {
    List<MatrixInfo> here =
        assignments.memories().stream()
            .filter(m -> m.slot() == slot && analyzer.firstAccess(m.number()) >= 0)
            .sorted(Comparator.comparingInt(m -> analyzer.firstAccess(m.number())))
            .toList();
    label(y, "place " + slot + ", " + bytes(whole));
    svg.rectangle(x(0), y, x(count) - x(0), height, 2, "fill=\"#f2f2f2\"");
    for (int k = 0; k < here.size(); k++) {
      MatrixInfo m = here.get(k);
      double top = y + height * m.offset() / Math.max(1, whole);
      double part = Math.max(1, height * m.bytes() / Math.max(1, whole) - 1);
      bar(m, top, part, COLOURS.get(k % COLOURS.size()), false);
    }
  }

  private void curve() {
    List<Long> live = analyzer.liveBytes();
    double most = Math.max(1, analyzer.peakBytes());
    var d = new StringBuilder(String.format(Locale.ROOT, "M %.1f %.1f", x(0), TOP + CURVE));
    for (int k = 0; k < live.size(); k++) {
      double y = TOP + CURVE - CURVE * live.get(k) / most;
      d.append(String.format(Locale.ROOT, " L %.1f %.1f L %.1f %.1f", x(k), y, x(k + 1), y));
    }
    d.append(String.format(Locale.ROOT, " L %.1f %.1f Z", x(count), TOP + CURVE));
    for (int k = 0; k <= 4; k++) {
      double y = TOP + CURVE - CURVE * k / 4;
      svg.line(x(0), y, x(count), y, "stroke=\"#dddddd\"");
      svg.text(LEFT - 8, y + 4, 11, "end", "fill=\"#555555\"", bytes((long) (most * k / 4)));
    }
    svg.path(d.toString(), "fill=\"#a9bbdb\" fill-opacity=\"0.75\" stroke=\"#4b689c\"");
    for (int k = 0; k < live.size(); k++) {
      FusedAssignment f = assignments.fused().get(k);
      svg.titled(k + ". " + f.node() + "\n" + f.kernel() + "\n" + bytes(live.get(k)));
      svg.rectangle(x(k), TOP, step, CURVE, 0, "fill=\"#000000\" fill-opacity=\"0\"");
      svg.end();
    }
  }

  private void label(double y, String text) {
    svg.text(LEFT - 8, y + 11, 11, "end", "fill=\"#555555\"", text);
  }

  private void bar(MatrixInfo m, double y, double height, String colour, boolean stays) {
    double from = x(analyzer.firstAccess(m.number()));
    boolean given = m.role() == MatrixInfo.Role.INPUT;
    double start = given ? x(0) : from;
    double end = stays && !given ? x(count) : x(analyzer.lastAccess(m.number()) + 1);
    svg.titled(m + "\n" + bytes(m.bytes()) + (m.holds().isEmpty() ? "" : "\n" + m.holds()));
    svg.rectangle(start, y, end - start, height, 2, "fill=\"" + colour + "\"");
    if (!stays) {
      int fits = (int) ((end - start - 8) / 6);
      if (height >= TEXT && fits >= Math.min(4, m.name().length())) {
        svg.text(start + 4, y + 11, 10, "start", "fill=\"#1f1f1f\"", shortened(m.name(), fits));
      }
    }
    svg.end();
  }

  private static String shortened(String text, int most) {
    return text.length() <= most ? text : text.substring(0, Math.max(1, most - 1)) + "\u2026";
  }

  /** Shortens a name in the middle: names with equal beginnings differ at the end. */
  private static String shortenedInside(String text, int most) {
    int half = most / 2;
    return text.length() <= most
        ? text
        : text.substring(0, most - half - 1) + "\u2026" + text.substring(text.length() - half);
  }

  private void axis(double y) {
    int every = 1;
    for (int next : new int[] {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}) {
      every = next;
      if (next * step >= 28) {
        break;
      }
    }
    svg.line(x(0), y, x(count), y, "stroke=\"#777777\"");
    for (int k = 0; k < count; k += every) {
      svg.text(x(k + 0.5), y + 14, 10, "middle", "fill=\"#555555\"", "" + k);
    }
    svg.text(LEFT - 8, y + 14, 11, "end", "fill=\"#555555\"", "kernel");
  }

  private static String bytes(long n) {
    String[] units = {"B", "kB", "MB", "GB"};
    double value = n;
    int unit = 0;
    while (value >= 1000 && unit < units.length - 1) {
      value /= 1000;
      unit++;
    }
    String form = unit == 0 || value >= 100 ? "%.0f %s" : value >= 10 ? "%.1f %s" : "%.2f %s";
    return String.format(Locale.ROOT, form, value, units[unit]);
  }
}
