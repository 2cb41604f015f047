package ristretto.nnet3.fit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.edit.EditLog;
import ristretto.nnet3.edit.NetworkEdits;
import ristretto.nnet3.network.Nnet;

/**
 * Dropout proportions over a training, in Kaldi's notation: {@code 0,0@0.2,0.5@0.5,0} is 0 until a
 * fifth of the data has been used, 0.5 at half, and 0 at the end, with linear interpolation. A
 * point without {@code @} in the middle is at half of the data. {@code lstm*=0,0.2 *=0.1,0.1} has
 * schedules for components by name.
 */
record DropoutSchedule(Map<String, List<Point>> byPattern) {
  private static final double HALF = 0.5;

  /**
   * Proportion at a fraction of the data.
   *
   * @param at fraction of the data used, from 0 to 1
   */
  record Point(double at, double proportion) {}

  DropoutSchedule {
    byPattern = new LinkedHashMap<>(byPattern);
  }

  static DropoutSchedule parse(String text) {
    var schedules = new LinkedHashMap<String, List<Point>>();
    for (String part : text.strip().split("\\s+")) {
      if (!part.isEmpty()) {
        int equals = part.indexOf('=');
        schedules.put(
            equals < 0 ? "*" : part.substring(0, equals), points(text, part.substring(equals + 1)));
      }
    }
    return new DropoutSchedule(schedules);
  }

  private static List<Point> points(String text, String schedule) {
    List<Point> points = new ArrayList<>();
    String[] parts = schedule.split(",", -1);
    try {
      for (int k = 0; k < parts.length; k++) {
        String[] sides = parts[k].split("@", -1);
        double at = k == 0 ? 0 : k == parts.length - 1 ? 1 : at(sides);
        points.add(new Point(at, Double.parseDouble(sides[0])));
      }
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException _) {
      throw wrong(text);
    }
    for (int k = 0; k < points.size(); k++) {
      Point point = points.get(k);
      boolean later = k == 0 || point.at >= points.get(k - 1).at;
      if (!later || !(point.proportion >= 0 && point.proportion <= 1) || points.size() < 2) {
        throw wrong(text);
      }
    }
    if (points.size() < 2) {
      throw wrong(text);
    }
    return points;
  }

  private static double at(String[] sides) {
    return sides.length == 1 ? HALF : Double.parseDouble(sides[1]);
  }

  private static ShapeException wrong(String text) {
    return new ShapeException(
        "[nnet3-fit] --dropout-schedule must be comma-separated proportions from 0 to 1, the inner ones with @ and the fraction of the data, ascending; got \"%s\"; write, for example, 0,0@0.2,0.5@0.5,0."
            .formatted(text));
  }

  /** Returns the network with the proportions for a fraction of the data used, from 0 to 1. */
  Nnet apply(Nnet nnet, double used) {
    if (byPattern.isEmpty()) {
      return nnet;
    }
    var lines = new StringBuilder();
    byPattern.forEach((pattern, points) ->
        lines
            .append("set-dropout-proportion name=")
            .append(pattern)
            .append(" proportion=")
            .append(proportion(points, used))
            .append('\n'));
    return new NetworkEdits(nnet, EditLog.NONE)
        .apply(ConfigLine.parse("--dropout-schedule", lines.toString()))
        .nnet();
  }

  static double proportion(List<Point> points, double used) {
    for (int k = 1; k < points.size(); k++) {
      Point from = points.get(k - 1);
      Point to = points.get(k);
      if (used <= to.at) {
        double part = to.at == from.at ? 1 : (used - from.at) / (to.at - from.at);
        return from.proportion + part * (to.proportion - from.proportion);
      }
    }
    return points.get(points.size() - 1).proportion;
  }
}
