package ristretto.nnet3.config;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import ristretto.expr.file.Excerpt;
import ristretto.nnet3.text.Nearest;

/** Parser of a descriptor in the value of a key. */
public final class DescriptorParser {
  /** Maximum nesting depth; a deeper descriptor is an error, or an attempt to exhaust the stack. */
  private static final int MAX_DEPTH = 1000;

  private static final Set<String> FUNCTIONS =
      new LinkedHashSet<>(
          List.of(
              "Append",
              "Sum",
              "Failover",
              "IfDefined",
              "Offset",
              "Switch",
              "Round",
              "Scale",
              "Const",
              "ReplaceIndex"));

  private final ConfigLine line;
  private final String key;
  private final String text;
  private final List<String> names;
  private int at;
  private int depth;

  /**
   * Creates a parser of one value of a config line.
   *
   * @param key key of the value
   * @param names names of the nodes, by node number; null for nodes that it must not use
   */
  public DescriptorParser(ConfigLine line, String key, List<String> names) {
    this.line = line;
    this.key = key;
    this.text = line.string(key);
    this.names = names;
  }

  /**
   * Parses the whole value.
   *
   * @throws ConfigException if it is no descriptor
   */
  public Descriptor parse() {
    Descriptor d = descriptor();
    if (!peek().isEmpty()) {
      throw error("a descriptor must be one expression; got " + quotedNext() + " after it");
    }
    return d;
  }

  /** Returns the next token: a word, a parenthesis or a comma; empty at the end. */
  private String peek() {
    while (at < text.length() && isBlank(text.charAt(at))) {
      at++;
    }
    int end = at;
    while (end < text.length() && !isBlank(text.charAt(end)) && !isMark(text.charAt(end))) {
      end++;
    }
    if (end == at && at < text.length()) {
      end++;
    }
    return text.substring(at, end);
  }

  private String next() {
    String token = peek();
    at += token.length();
    return token;
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }

  private static boolean isMark(char c) {
    return c == '(' || c == ')' || c == ',';
  }

  private ConfigException error(String rule) {
    return line.errorIn(key, Math.min(at, text.length()), rule);
  }

  private void expect(String mark, String function) {
    if (!peek().equals(mark)) {
      throw error("'" + mark + "' must come next in " + function + "; got " + quotedNext());
    }
    next();
  }

  private String quotedNext() {
    return peek().isEmpty() ? "the end" : "'" + Excerpt.of(peek()) + "'";
  }

  private Descriptor descriptor() {
    String word = peek();
    if (!FUNCTIONS.contains(word)) {
      return source(word);
    }
    if (++depth > MAX_DEPTH) {
      throw error("descriptors must not be nested deeper than " + MAX_DEPTH + "; got more");
    }
    next();
    expect("(", word);
    Descriptor d =
        switch (word) {
          case "Append" -> new Descriptor.Append(list(word));
          case "Sum" -> new Descriptor.Sum(list(word));
          case "Switch" -> new Descriptor.Switch(list(word));
          case "Failover" -> failover();
          case "IfDefined" -> new Descriptor.IfDefined(descriptor());
          case "Offset" -> offset();
          case "Round" -> round();
          case "Scale" -> scale();
          case "Const" -> constant();
          default -> replaceIndex();
        };
    expect(")", word);
    depth--;
    return d;
  }

  private Descriptor source(String word) {
    int node = word.isEmpty() ? -1 : names.indexOf(word);
    if (node < 0) {
      var allowed = new LinkedHashSet<>(FUNCTIONS);
      names.stream().filter(Objects::nonNull).forEach(allowed::add);
      throw error(
          "a descriptor must be a function or the name of an input, component or dim-range node;"
              + " got "
              + quotedNext()
              + Nearest.hint(word, allowed));
    }
    next();
    return new Descriptor.Source(node, word);
  }

  private List<Descriptor> list(String function) {
    var all = new ArrayList<Descriptor>();
    all.add(descriptor());
    while (!peek().equals(")")) {
      expect(",", function);
      all.add(descriptor());
    }
    return all;
  }

  private Descriptor failover() {
    Descriptor first = descriptor();
    expect(",", "Failover");
    return new Descriptor.Failover(first, descriptor());
  }

  private Descriptor offset() {
    Descriptor inner = descriptor();
    expect(",", "Offset");
    int t = integer("Offset");
    int x = 0;
    if (peek().equals(",")) {
      next();
      x = integer("Offset");
    }
    return new Descriptor.Offset(inner, t, x);
  }

  private Descriptor round() {
    Descriptor inner = descriptor();
    expect(",", "Round");
    return new Descriptor.Round(inner, positive("Round"));
  }

  private Descriptor scale() {
    float factor = real("Scale");
    expect(",", "Scale");
    return new Descriptor.Scale(factor, descriptor());
  }

  private Descriptor constant() {
    float value = real("Const");
    expect(",", "Const");
    return new Descriptor.Const(value, positive("Const"));
  }

  private Descriptor replaceIndex() {
    Descriptor inner = descriptor();
    expect(",", "ReplaceIndex");
    var variable =
        switch (peek()) {
          case "t" -> Descriptor.ReplaceIndex.Variable.T;
          case "x" -> Descriptor.ReplaceIndex.Variable.X;
          default -> throw error("ReplaceIndex must replace t or x; got " + quotedNext());
        };
    next();
    expect(",", "ReplaceIndex");
    return new Descriptor.ReplaceIndex(inner, variable, integer("ReplaceIndex"));
  }

  private int integer(String function) {
    try {
      int value = Integer.parseInt(peek());
      next();
      return value;
    } catch (NumberFormatException e) {
      throw error("a whole number must be given here in " + function + "; got " + quotedNext());
    }
  }

  private int positive(String function) {
    int before = at;
    int value = integer(function);
    if (value < 1) {
      at = before;
      throw error("the number in " + function + " must be at least 1; got " + quotedNext());
    }
    return value;
  }

  private float real(String function) {
    Float value = ConfigLine.toReal(peek());
    if (value == null || !Float.isFinite(value)) {
      throw error("a finite number must be given here in " + function + "; got " + quotedNext());
    }
    next();
    return value;
  }
}
