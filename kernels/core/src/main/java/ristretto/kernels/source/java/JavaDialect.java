package ristretto.kernels.source.java;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.kernels.source.Code;
import ristretto.kernels.source.Dialect;

/**
 * Java with the kernel context and the arrays of TornadoVM, or of compatible classes. An entry
 * point is a static method of the class {@link #CLASS} with the context, its buffers, and 64 bits
 * per number.
 *
 * @param context class with the indices of the work item
 * @param arrays package of FloatArray, IntArray and the others
 */
public record JavaDialect(String context, String arrays) implements Dialect {
  /** Name of the class of a program. */
  public static final String CLASS = "RistrettoKernel";

  /** Returns an empty text: a program contains the methods that it calls. */
  @Override
  public String preamble(boolean wide) {
    return "";
  }

  @Override
  public String entry(String name, List<Parameter> parameters, String body) {
    var list = new ArrayList<String>();
    list.add("KernelContext context");
    var memory = new HashMap<String, String>();
    var head = new Code(1);
    for (Parameter p : parameters) {
      switch (p.kind()) {
        case READ, WRITTEN, CONSTANTS -> {
          list.add(JavaWords.array(p.type()) + " " + p.name());
          memory.put(p.name(), p.type());
        }
        case NUMBER -> {
          list.add("long " + p.name() + (p.type().equals("i64") ? "" : "bits"));
          number(head, p);
        }
      }
    }
    return "public static void %s(%s) {\n%s%s}\n"
        .formatted(name, String.join(", ", list), head, translated(memory, body));
  }

  private static void number(Code head, Parameter p) {
    String bits = p.name() + "bits";
    switch (p.type()) {
      case "i32" -> head.line("final int " + p.name() + " = (int) " + bits + ";");
      case "flag" -> head.line("final boolean " + p.name() + " = " + bits + " != 0;");
      case "f32" ->
          head.line("final float " + p.name() + " = Float.intBitsToFloat((int) " + bits + ");");
      case "f64" ->
          head.line("final double " + p.name() + " = Double.longBitsToDouble(" + bits + ");");
      default -> {}
    }
  }

  @Override
  public String program(boolean wide, String functions, List<String> entries) {
    var text = new StringBuilder(translated(Map.of(), functions));
    entries.forEach(entry -> text.append('\n').append(entry));
    var all = new Code(0);
    all.line("import " + context + ";");
    all.line("import " + arrays + ".*;");
    all.line("");
    all.open("public final class " + CLASS);
    (JavaPrelude.methods(text.toString()) + text).lines().forEach(all::line);
    all.close();
    String simple = context.substring(context.lastIndexOf('.') + 1);
    return all.toString().replace("KernelContext ", simple + " ");
  }

  private static String translated(Map<String, String> memory, String text) {
    var java = new JavaText(memory);
    var out = new StringBuilder();
    text.lines().forEach(line -> out.append(java.line(line)).append('\n'));
    return out.toString();
  }
}
