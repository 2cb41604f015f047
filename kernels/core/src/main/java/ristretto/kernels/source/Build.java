package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import ristretto.kernels.math.ExpandMath;
import ristretto.kernels.scalar.ExpandRandom;
import ristretto.kernels.scalar.Tape;
import ristretto.kernels.source.Routine.Argument;
import ristretto.kernels.source.Routine.Step;

/** A routine in the making. */
final class Build {
  private static final long MOST_GROUPS = 65_535;

  private static final int[] SHARES = {1, 8, 64, 256};

  /** Of work in strips: more than one, because units are not always free at the same time. */
  private static final long SHARES_A_UNIT = 8;

  private static final long LEAST_SHARE = 4096;
  private static final long ROWS_TOGETHER = 8;

  final Target target;
  final boolean far;
  final Functions functions = new Functions();
  final Constants constants = new Constants();
  private final List<Entry> entries = new ArrayList<>();
  private final List<Step> steps = new ArrayList<>();
  private final List<Long> scratch = new ArrayList<>();

  Build(Target target, boolean far) {
    this.target = target;
    this.far = far;
  }

  /** In the form that {@link Body} writes. */
  Tape lowered(Tape tape) {
    Tape drawn = ExpandRandom.apply(tape);
    return target.wide() ? ExpandMath.apply(drawn) : ExpandMath.applyNarrow(drawn);
  }

  Entry entry(String name) {
    var entry = new Entry(name, constants, functions, far);
    entries.add(entry);
    return entry;
  }

  /** The number of a new temporary buffer. */
  int scratch(long bytes) {
    scratch.add(bytes);
    return scratch.size() - 1;
  }

  /** Launches a finished entry for groups of {@code group} work items in a row. */
  void groups(Entry entry, long groups, long group) {
    steps.add(
        new Step(entry.name(), entry.arguments(), List.of(groups, 1L, 1L), List.of(group, 1L, 1L)));
  }

  /** As {@link #groups}, in a grid. */
  void grid(Entry entry, List<Long> groups, List<Long> group) {
    steps.add(new Step(entry.name(), entry.arguments(), groups, group));
  }

  /**
   * Begins a body that runs for every point of a space of any rank, and returns the variables of
   * its dimensions. The last three dimensions are the launch's own, where there are so many. {@link
   * Code#close} ends it.
   */
  List<String> points(Entry entry, long[] extents, String name) {
    String type = entry.index();
    int rank = extents.length;
    if (rank == 0) {
      entry.body.open("if (POINT(0) == 0)");
      return List.of();
    }
    if (target.warps()) {
      return pointLoops(entry, extents, name);
    }
    var variables = new ArrayList<String>();
    var conditions = new ArrayList<String>();
    int own = Math.min(rank, rank <= 3 ? rank : 2);
    for (int d = rank - own; d < rank; d++) {
      String variable = name + d;
      entry.body.line(
          "const " + type + " " + variable + " = (" + type + ") POINT(" + (rank - 1 - d) + ");");
      conditions.add(variable + " < " + entry.constant(extents[d]));
      variables.add(variable);
    }
    long[] outer = Arrays.copyOf(extents, rank - own);
    if (outer.length > 0) {
      entry.body.line("const " + type + " " + name + "z = (" + type + ") POINT(2);");
      conditions.add(name + "z < " + entry.constant(product(outer)));
    }
    entry.body.open("if (" + String.join(" && ", conditions) + ")");
    if (outer.length > 0) {
      variables.addAll(0, Reader.unravel(entry, entry.body, name, name + "z", outer));
    }
    return variables;
  }

  /** The same where there may be more points than work items, but for the last dimension. */
  private List<String> pointLoops(Entry entry, long[] extents, String name) {
    String type = entry.index();
    int last = extents.length - 1;
    var variables = new ArrayList<String>();
    var heads = new ArrayList<String>();
    for (int d = Math.max(0, last - 1); d <= last; d++) {
      variables.add(name + d);
    }
    for (int d = Math.min(2, last); d > 0; d--) {
      boolean joined = d == 2;
      long[] outer = Arrays.copyOf(extents, Math.max(0, last - 1));
      heads.add(
          String.format(
              Locale.ROOT,
              "for (%1$s %2$s = (%1$s) POINT(%3$d); %2$s < %4$s; %2$s += (%1$s) POINTS(%3$d))",
              type,
              joined ? name + "z" : name + (last - 1),
              d,
              entry.constant(joined ? product(outer) : extents[last - 1])));
    }
    entry.body.line(
        String.format(Locale.ROOT, "const %1$s %2$s%3$d = (%1$s) POINT(0);", type, name, last));
    heads.add("if (" + name + last + " < " + entry.constant(extents[last]) + ")");
    entry.body.openAll(heads);
    if (last >= 2) {
      long[] outer = Arrays.copyOf(extents, last - 1);
      variables.addAll(0, Reader.unravel(entry, entry.body, name, name + "z", outer));
    }
    return variables;
  }

  /** Launches what {@link #points} began. */
  void launchPoints(Entry entry, long[] extents) {
    launchPoints(entry, entry.arguments(), extents);
  }

  /** The same with other arguments. */
  void launchPoints(Entry entry, List<Argument> arguments, long[] extents) {
    int rank = extents.length;
    long x = rank > 0 ? extents[rank - 1] : 1;
    long y = rank > 1 ? extents[rank - 2] : 1;
    long z = rank > 2 ? product(Arrays.copyOf(extents, rank - 2)) : 1;
    long gx = share(x, target.mapGroup());
    long gy = share(y, target.mapGroup() / gx);
    long gz = share(z, Math.min(64, target.mapGroup() / gx / gy));
    steps.add(
        new Step(
            entry.name(),
            arguments,
            List.of(ceil(x, gx), limited(ceil(y, gy)), limited(ceil(z, gz))),
            List.of(gx, gy, gz)));
  }

  /**
   * As {@link #points}, but a work item has many neighbours in the last dimension, from {@code
   * first} to {@code end}.
   */
  List<String> shares(Entry entry, long[] extents, String name) {
    String type = entry.index();
    long[] outer = Arrays.copyOf(extents, extents.length - 1);
    String share = entry.constant(shareOf(extents));
    String extent = entry.constant(extents[outer.length]);
    entry.body.line(
        String.format(Locale.ROOT, "const %1$s first = (%1$s) POINT(0) * %2$s;", type, share));
    entry.body.line(
        String.format(
            Locale.ROOT,
            "const %1$s end = %2$s - first < %3$s ? %2$s : first + %3$s;",
            type,
            extent,
            share));
    var variables = new ArrayList<String>();
    if (outer.length == 0) {
      entry.body.open("if (first < end)");
    } else {
      entry.body.line(
          String.format(Locale.ROOT, "const %1$s %2$sz = (%1$s) POINT(1);", type, name));
      entry.body.open("if (first < end && " + name + "z < " + entry.constant(product(outer)) + ")");
      variables.addAll(Reader.unravel(entry, entry.body, name, name + "z", outer));
    }
    variables.add(name + outer.length);
    return variables;
  }

  /** Neighbours of a work item: about as many items as keep all units busy to the end. */
  private long shareOf(long[] extents) {
    long inner = extents[extents.length - 1];
    long rows = product(extents) / inner;
    long items = Math.max(1, SHARES_A_UNIT * target.units() / rows);
    long share = Math.max(LEAST_SHARE, ceil(inner, items));
    return ceil(share, Strips.LENGTH) * Strips.LENGTH;
  }

  /** Launches what {@link #shares} began. */
  void launchShares(Entry entry, long[] extents) {
    long inner = extents[extents.length - 1];
    long rows = product(extents) / inner;
    // Short rows are several to a group, because groups cost too.
    boolean many = inner < LEAST_SHARE && rows >= 4 * ROWS_TOGETHER * target.units();
    long group = many ? ROWS_TOGETHER : 1;
    steps.add(
        new Step(
            entry.name(),
            entry.arguments(),
            List.of(ceil(inner, shareOf(extents)), ceil(rows, group), 1L),
            List.of(1L, group, 1L)));
  }

  /** Groups in the second and third dimension. */
  long limited(long groups) {
    return target.warps() ? Math.min(groups, MOST_GROUPS) : groups;
  }

  /** Work items of a group for {@code n} points: few sizes, because drivers compile for each. */
  static long share(long n, long most) {
    for (int size : SHARES) {
      if (n <= size) {
        return Math.min(size, most);
      }
    }
    return most;
  }

  static long ceil(long n, long d) {
    return (n + d - 1) / d;
  }

  static long product(long[] extents) {
    return Arrays.stream(extents).reduce(1, (a, b) -> a * b);
  }

  Routine routine(List<Integer> targets) {
    // Entries first: they may still ask for functions.
    List<String> texts = entries.stream().map(e -> e.text(target.dialect())).toList();
    String program = target.dialect().program(target.wide(), functions.toString(), texts);
    return new Routine(program, constants.values, steps, scratch, targets);
  }
}
