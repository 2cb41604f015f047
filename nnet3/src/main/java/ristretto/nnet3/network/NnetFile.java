package ristretto.nnet3.network;

import java.util.LinkedHashMap;
import java.util.Map;
import ristretto.expr.file.Excerpt;
import ristretto.nnet3.Component;
import ristretto.nnet3.component.registry.ComponentTypes;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.KaldiOutput;

/**
 * Reader and writer of a network's serialized form: config lines of the nodes, which are text in
 * binary mode too, then the components.
 */
final class NnetFile {
  private static final int MOST_COMPONENTS = 100_000;

  private NnetFile() {}

  static Nnet read(KaldiInput in) {
    in.expectToken("<Nnet3>");
    long at = in.offset();
    String rest = in.readLine();
    if (rest == null || !rest.isBlank()) {
      throw in.malformed(
          at, "a line must end after <Nnet3>", '"' + Excerpt.of(String.valueOf(rest)) + '"');
    }
    // The file's first line is no config line; the empty line keeps line numbers equal to those
    // of the file.
    var config = new StringBuilder("\n");
    at = in.offset();
    String line = in.readLine();
    while (line != null && !line.isBlank()) {
      config.append(line).append('\n');
      line = in.readLine();
    }
    if (line == null) {
      throw in.malformed(at, "an empty line must follow the config lines", "the end");
    }
    Map<String, Component> components = components(in);
    in.expectToken("</Nnet3>");
    return Nnet.of(in.name(), config.toString(), components);
  }

  private static Map<String, Component> components(KaldiInput in) {
    in.expectToken("<NumComponents>");
    long at = in.offset();
    int count = in.readInt();
    if (count < 0 || count >= MOST_COMPONENTS) {
      throw in.malformed(
          at, "the number of components must be below " + MOST_COMPONENTS, "" + count);
    }
    var components = new LinkedHashMap<String, Component>();
    for (int i = 0; i < count; i++) {
      in.expectToken("<ComponentName>");
      at = in.offset();
      String name = in.readToken();
      if (components.put(name, ComponentTypes.read(in)) != null) {
        throw in.malformed(
            at, "components must have different names", '"' + Excerpt.of(name) + "\" again");
      }
    }
    return components;
  }

  static void write(Nnet nnet, KaldiOutput out) {
    out.writeToken("<Nnet3>");
    out.writeText("\n");
    for (String line : nnet.configLines(false)) {
      out.writeText(line + "\n");
    }
    out.writeText("\n");
    out.writeToken("<NumComponents>");
    out.writeInt(nnet.components().size());
    out.endLine();
    nnet.components()
        .forEach((name, component) -> {
          out.writeToken("<ComponentName>");
          out.writeToken(name);
          component.write(out);
          out.endLine();
        });
    out.writeToken("</Nnet3>");
  }
}
