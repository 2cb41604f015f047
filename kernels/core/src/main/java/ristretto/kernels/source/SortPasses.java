package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.source.Routine.Argument;

/**
 * Stable sort of rows of keys with their positions, NaN last: every element computes its rank
 * within a block of {@link #BLOCK}, then sorted runs are merged in pairs, where each element finds
 * its position in the other run by binary search.
 */
final class SortPasses {
  /** Block size of the first pass, which compares all pairs. */
  private static final int BLOCK = 32;

  private final Build build;
  private final ScalarType type;
  private final long rows;
  private final long length;
  private final String before;
  private int keys;
  private int positions;
  private int otherKeys;
  private int otherPositions;

  SortPasses(Build build, ScalarType type, boolean descending, long rows, long length) {
    this.build = build;
    this.type = type;
    this.rows = rows;
    this.length = length;
    this.before = build.functions.before(type, descending);
    keys = build.scratch(rows * length * type.bytes());
    otherKeys = build.scratch(rows * length * type.bytes());
    long positionBytes = rows * length * (build.far ? 8 : 4);
    positions = build.scratch(positionBytes);
    otherPositions = build.scratch(positionBytes);
  }

  /**
   * Renders all passes.
   *
   * @param key returns the expression of an element's key, given an entry and the variables of the
   *     element's row and position
   */
  void render(BiFunction<Entry, List<String>, String> key) {
    copy(key);
    sortBlocks();
    merge();
  }

  /** Returns the pointer to the sorted keys, for a later entry. */
  String sortedKeys(Entry entry) {
    return entry.scratch(Literal.type(type), keys, false);
  }

  /** Returns the pointer to the original positions of the sorted keys. */
  String sortedPositions(Entry entry) {
    return entry.scratch(entry.index(), positions, false);
  }

  private void copy(BiFunction<Entry, List<String>, String> key) {
    Entry entry = build.entry("ristretto_sort_keys");
    long[] extents = {rows, length};
    List<String> p = build.points(entry, extents, "p");
    String value = key.apply(entry, p);
    String at = p.get(0) + " * " + entry.constant(length) + " + " + p.get(1);
    entry.body.line("const " + entry.index() + " at = " + at + ";");
    entry.body.line(entry.scratch(Literal.type(type), keys, true) + "[at] = " + value + ";");
    entry.body.line(entry.scratch(entry.index(), positions, true) + "[at] = " + p.get(1) + ";");
    entry.body.close();
    build.launchPoints(entry, extents);
  }

  private void swap() {
    int k = keys;
    keys = otherKeys;
    otherKeys = k;
    int p = positions;
    positions = otherPositions;
    otherPositions = p;
  }

  private void sortBlocks() {
    Entry entry = build.entry("ristretto_sort_blocks");
    long[] extents = {rows, length};
    List<String> p = build.points(entry, extents, "p");
    Code code = entry.body;
    String index = entry.index();
    String from = entry.scratch(Literal.type(type), keys, false);
    String count = entry.constant(length);
    code.line("const " + index + " row = " + p.get(0) + " * " + count + ";");
    code.line("const " + index + " first = " + p.get(1) + " - " + p.get(1) + " % " + BLOCK + ";");
    code.line(
        "const %s end = first + %s < %s ? first + %s : %s;"
            .formatted(index, BLOCK, count, BLOCK, count));
    code.line("const " + Literal.type(type) + " key = " + from + "[row + " + p.get(1) + "];");
    code.line(index + " rank = first;");
    code.open("for (" + index + " j = first; j < end; j++)");
    code.line("const " + Literal.type(type) + " other = " + from + "[row + j];");
    code.line(
        "rank += %s(other, key) || (j < %s && !%s(key, other)) ? 1 : 0;"
            .formatted(before, p.get(1), before));
    code.close();
    moveTo(entry, "row + rank", "row + " + p.get(1));
    code.close();
    build.launchPoints(entry, extents);
    swap();
  }

  private void moveTo(Entry entry, String target, String source) {
    entry.body.line(entry.scratch(Literal.type(type), otherKeys, true) + "[" + target + "] = key;");
    entry.body.line(
        "%s[%s] = %s[%s];"
            .formatted(
                entry.scratch(entry.index(), otherPositions, true),
                target,
                entry.scratch(entry.index(), positions, false),
                source));
  }

  private void merge() {
    if (length <= BLOCK) {
      return;
    }
    Entry entry = build.entry("ristretto_sort_merge");
    long[] extents = {rows, length};
    List<String> p = build.points(entry, extents, "p");
    Code code = entry.body;
    String index = entry.index();
    String i = p.get(1);
    String from = entry.scratch(Literal.type(type), keys, false);
    String count = entry.constant(length);
    int widthArgument = entry.arguments().size();
    code.line("const " + index + " width = " + entry.constant(BLOCK) + ";");
    code.line("const " + index + " row = " + p.get(0) + " * " + count + ";");
    code.line("const " + Literal.type(type) + " key = " + from + "[row + " + i + "];");
    code.line("const " + index + " pair = " + i + " - " + i + " % (2 * width);");
    code.line(
        "const %s middle = pair + width < %s ? pair + width : %s;".formatted(index, count, count));
    code.line(
        "const %s last = middle + width < %s ? middle + width : %s;"
            .formatted(index, count, count));
    code.line("const flag left = " + i + " < middle;");
    code.line(index + " low = left ? middle : pair;");
    code.line(index + " high = left ? last : middle;");
    // Among equal keys, the ones of the left run come first.
    code.open("while (low < high)");
    code.line("const " + index + " probe = low + (high - low) / 2;");
    code.line("const " + Literal.type(type) + " other = " + from + "[row + probe];");
    code.line("const flag goes = left ? " + before + "(other, key) : !" + before + "(key, other);");
    code.line("low = goes ? probe + 1 : low;");
    code.line("high = goes ? high : probe;");
    code.close();
    code.line(
        "const " + index + " rank = left ? " + i + " + low - middle : " + i + " - middle + low;");
    moveTo(entry, "row + rank", "row + " + i);
    code.close();
    for (long width = BLOCK; width < length; width *= 2) {
      int toKeys = otherKeys;
      int toPositions = otherPositions;
      int fromKeys = keys;
      int fromPositions = positions;
      List<Argument> arguments = new ArrayList<>(entry.arguments());
      arguments.set(
          widthArgument, new Argument.Number(build.far ? ScalarType.I64 : ScalarType.I32, width));
      if (Long.numberOfTrailingZeros(width / BLOCK) % 2 == 1) {
        arguments =
            arguments.stream()
                .map(a -> swapped(a, fromKeys, toKeys, fromPositions, toPositions))
                .toList();
      }
      build.launchPoints(entry, arguments, extents);
      swap();
    }
  }

  private static Argument swapped(Argument a, int keys, int otherKeys, int at, int otherAt) {
    if (!(a instanceof Argument.Scratch s)) {
      return a;
    }
    if (s.number() == keys) {
      return new Argument.Scratch(otherKeys);
    }
    if (s.number() == otherKeys) {
      return new Argument.Scratch(keys);
    }
    return new Argument.Scratch(s.number() == at ? otherAt : at);
  }
}
