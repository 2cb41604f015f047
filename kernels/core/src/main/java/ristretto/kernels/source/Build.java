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

/** Builder of a routine: kernel functions, constants, launches and scratch buffers. */
final class Build {
  private static final long MOST_GROUPS = 65_535;

  private static final int[] SHARES = {1, 8, 64, 256};

  /**
   * Work items per compute unit, for work in strips. There are several, because units do not become
   * free simultaneously.
   */
  private static final long SHARES_A_UNIT = 8;

  private static final long LEAST_SHARE = 4096;
  private static final long ROWS_TOGETHER = 8;

  final Target target;
  final boolean far;
  final Functions functions = new Functions();
  final List<Long> constants = new ArrayList<>();
  private final List<Entry> entries = new ArrayList<>();
  private final List<Step> steps = new ArrayList<>();
  private final List<Long> scratch = new ArrayList<>();

  Build(Target target, boolean far) {
    this.target = target;
    this.far = far;
  }

  /** Expands random numbers and functions of a tape to operations that {@link Body} renders. */
  Tape lowered(Tape tape) {
    Tape drawn = ExpandRandom.apply(tape);
    return target.wide() ? ExpandMath.apply(drawn) : ExpandMath.applyNarrow(drawn);
  }

  Entry entry(String name) {
    var entry = new Entry(name, constants, functions, far);
    entries.add(entry);
    return entry;
  }

  /** Returns the number of a new temporary buffer. */
  int scratch(long bytes) {
    scratch.add(bytes);
    return scratch.size() - 1;
  }

  /**
   * Launches a finished entry as a one-dimensional range of {@code groups} groups of {@code group}
   * work items.
   */
  void groups(Entry entry, long groups, long group) {
    steps.add(
        new Step(entry.name(), entry.arguments(), List.of(groups, 1L, 1L), List.of(group, 1L, 1L)));
  }

  /** Launches a finished entry as a grid of up to three dimensions. */
  void grid(Entry entry, List<Long> groups, List<Long> group) {
    steps.add(new Step(entry.name(), entry.arguments(), groups, group));
  }

  /**
   * Begins a body that runs for every point of a space of any rank, and returns the variables of
   * its dimensions. Up to three dimensions map to dimensions of the launch; with a higher rank the
   * outer ones share the third. {@link Code#close} ends the body.
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

  /**
   * Begins such a body for a target with warps: loops over the outer dimensions, whose extents may
   * exceed the number of work items, and a test of the last dimension.
   */
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

  /** Launches an entry whose body {@link #points} began. */
  void launchPoints(Entry entry, long[] extents) {
    launchPoints(entry, entry.arguments(), extents);
  }

  /** Launches an entry whose body {@link #points} began, with other arguments. */
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
   * Begins a body like {@link #points} in which a work item computes consecutive points of the last
   * dimension, from {@code first} to {@code end}.
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

  /**
   * Returns the number of consecutive points per work item: few enough that all units stay busy to
   * the end.
   */
  private long shareOf(long[] extents) {
    long inner = extents[extents.length - 1];
    long rows = product(extents) / inner;
    long items = Math.max(1, SHARES_A_UNIT * target.units() / rows);
    long share = Math.max(LEAST_SHARE, ceil(inner, items));
    return ceil(share, Strips.LENGTH) * Strips.LENGTH;
  }

  /** Launches an entry whose body {@link #shares} began. */
  void launchShares(Entry entry, long[] extents) {
    long inner = extents[extents.length - 1];
    long rows = product(extents) / inner;
    // A group takes several short rows, because starting a group has a cost.
    boolean many = inner < LEAST_SHARE && rows >= 4 * ROWS_TOGETHER * target.units();
    long group = many ? ROWS_TOGETHER : 1;
    steps.add(
        new Step(
            entry.name(),
            entry.arguments(),
            List.of(ceil(inner, shareOf(extents)), ceil(rows, group), 1L),
            List.of(1L, group, 1L)));
  }

  /** Returns a valid number of groups in the second or third launch dimension. */
  long limited(long groups) {
    return target.warps() ? Math.min(groups, MOST_GROUPS) : groups;
  }

  /**
   * Returns the number of work items in a group for {@code n} points. Only a few sizes occur,
   * because drivers compile for each size.
   */
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
    // Renders the entries first, because rendering may add functions.
    List<String> texts = entries.stream().map(e -> e.text(target.dialect())).toList();
    String program = target.dialect().program(target.wide(), functions.toString(), texts);
    return new Routine(program, constants, steps, scratch, targets);
  }
}
