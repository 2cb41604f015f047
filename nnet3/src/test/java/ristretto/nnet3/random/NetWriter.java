package ristretto.nnet3.random;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Lines of a config. */
public final class NetWriter {
  private final StringBuilder lines = new StringBuilder();
  private int count;

  void line(String line) {
    lines.append(line).append('\n');
  }

  String input(String name, int dim) {
    line("input-node name=" + name + " dim=" + dim);
    return name;
  }

  /** A name that is not in use. */
  String name(String prefix) {
    return prefix + ++count;
  }

  /** A component and a node of it, which has the same name. */
  String node(String type, String keys, String input) {
    String name = name(type.replaceAll("[a-z]", "").toLowerCase(java.util.Locale.ROOT));
    return node(name, type, keys, input);
  }

  String node(String name, String type, String keys, String input) {
    line("component name=" + name + " type=" + type + " " + keys);
    line("component-node name=" + name + " component=" + name + " input=" + input);
    return name;
  }

  String affine(String type, int inputDim, int outputDim, String input) {
    return node(type, "input-dim=" + inputDim + " output-dim=" + outputDim, input);
  }

  String range(String of, int offset, int dim) {
    String name = name("range");
    line(
        String.format(
            Locale.ROOT,
            "dim-range-node name=%s input-node=%s dim-offset=%d dim=%d",
            name,
            of,
            offset,
            dim));
    return name;
  }

  void output(String input) {
    line("output-node name=output input=" + input);
  }

  static String append(List<String> parts) {
    return parts.size() == 1 ? parts.get(0) : "Append(" + String.join(", ", parts) + ")";
  }

  static String offset(String of, int by) {
    return by == 0 ? of : "Offset(" + of + ", " + by + ")";
  }

  static String splice(String of, List<Integer> offsets) {
    return append(offsets.stream().map(by -> offset(of, by)).collect(Collectors.toList()));
  }

  @Override
  public String toString() {
    return lines.toString();
  }
}
