package ristretto.kernels.source.java;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import ristretto.kernels.source.Dialect;

/** Translates the lines of one method from the common subset of {@link Dialect} to Java. */
final class JavaText {
  private static final Pattern ARRAY = Pattern.compile("(\\s*)(LOCAL )?(\\w+) (\\w+)\\[(\\d+)\\];");
  private static final Pattern NAME = Pattern.compile("(?<![\\w.])[A-Za-z]\\w*(?=\\[)");

  /** Element types of the buffers, by name. */
  private final Map<String, String> memory;

  /** Arrays of flags by name; they are arrays of integers in Java. */
  private final Map<String, String> arrays = new HashMap<>();

  JavaText(Map<String, String> memory) {
    this.memory = memory;
  }

  String line(String line) {
    Matcher array = ARRAY.matcher(line);
    if (array.matches()) {
      return array(array);
    }
    int start = line.length() - line.stripLeading().length();
    Matcher name = NAME.matcher(line).region(start, line.length());
    if (name.lookingAt() && type(name.group()) != null) {
      int end = closing(line, name.end());
      if (line.startsWith(" = ", end)) {
        return line.substring(0, start) + written(name.group(), line, name.end(), end);
      }
    }
    return JavaWords.replaced(read(line));
  }

  private String array(Matcher array) {
    String type = array.group(3);
    String element = JavaWords.replaced(type.equals("flag") ? "i32" : type);
    if (type.equals("flag")) {
      arrays.put(array.group(4), type);
    }
    String made =
        array.group(2) != null
            ? "context." + JavaWords.local(type) + "(" + array.group(5) + ")"
            : "new " + element + "[" + array.group(5) + "]";
    return array.group(1) + "final " + element + "[] " + array.group(4) + " = " + made + ";";
  }

  private String type(String name) {
    return memory.getOrDefault(name, arrays.get(name));
  }

  /**
   * Returns the statement that writes an element; {@code open} and {@code end} delimit its index.
   */
  private String written(String name, String line, int open, int end) {
    String index = JavaWords.replaced(read(line.substring(open + 1, end - 1)));
    String value =
        JavaWords.replaced(read(line.substring(end + " = ".length(), line.length() - 1)));
    String narrowed = JavaWords.narrowed(type(name), value);
    return memory.containsKey(name)
        ? name + ".set(" + index + ", " + narrowed + ");"
        : name + "[" + index + "] = " + narrowed + ";";
  }

  /** Translates all element reads of an expression. */
  private String read(String text) {
    var out = new StringBuilder();
    int done = 0;
    for (Matcher m = NAME.matcher(text); m.find(done); ) {
      String name = m.group();
      out.append(text, done, m.start());
      if (type(name) == null) {
        out.append(name);
        done = m.end();
        continue;
      }
      int end = closing(text, m.end());
      String index = read(text.substring(m.end() + 1, end - 1));
      String element =
          memory.containsKey(name) ? name + ".get(" + index + ")" : name + "[" + index + "]";
      out.append(JavaWords.widened(type(name), element));
      done = end;
    }
    return out.append(text, done, text.length()).toString();
  }

  /** Returns the position after the bracket that closes the one at {@code open}. */
  private static int closing(String text, int open) {
    int depth = 0;
    for (int k = open; k < text.length(); k++) {
      depth += text.charAt(k) == '[' ? 1 : text.charAt(k) == ']' ? -1 : 0;
      if (depth == 0) {
        return k + 1;
      }
    }
    throw new IllegalStateException("unbalanced brackets: " + text);
  }
}
