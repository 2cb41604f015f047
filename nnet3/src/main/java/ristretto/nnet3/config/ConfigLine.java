package ristretto.nnet3.config;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import ristretto.expr.file.Excerpt;
import ristretto.nnet3.io.PipePermission;
import ristretto.nnet3.text.Nearest;

/**
 * Line of a config: an optional first word, then {@code key=value} pairs. A value may be quoted
 * with {@code '} or {@code "}; an unquoted value extends to the last blank before the next {@code
 * =}, so it may contain blanks. {@code #} starts a comment anywhere.
 *
 * <p>The getters record the keys they are called with: {@link #refuseUnused} refuses all other
 * keys.
 */
public final class ConfigLine {
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_.-]*");
  private static final Pattern INTEGER = Pattern.compile("[+-]?[0-9]+");
  private static final Pattern REAL =
      Pattern.compile("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?");
  private static final Pattern SPECIAL =
      Pattern.compile("([+-]?)(inf|infinity|nan)", Pattern.CASE_INSENSITIVE);

  /** Maximum number of characters of a line that messages show. */
  private static final int SHOWN = 240;

  private record Pair(int keyAt, int valueAt, String value) {}

  private final String source;
  private final int number;
  private final String whole;
  private final int start;
  private final int end;
  private final boolean opensFiles;
  private String first = "";
  private final Map<String, Pair> pairs = new LinkedHashMap<>();
  private final Set<String> asked = new LinkedHashSet<>();

  private ConfigLine(
      String source, int number, String whole, int start, int end, boolean opensFiles) {
    this.source = source;
    this.number = number;
    this.whole = whole;
    this.start = start;
    this.end = end;
    this.opensFiles = opensFiles;
    parse();
  }

  /** Returns the non-empty lines of a config. */
  public static List<ConfigLine> parse(String source, String text) {
    return parse(source, text, true);
  }

  /** Returns the non-empty lines of a model's header; files named in them are refused. */
  public static List<ConfigLine> parseHeader(String source, String text) {
    return parse(source, text, false);
  }

  private static List<ConfigLine> parse(String source, String text, boolean opensFiles) {
    var lines = new ArrayList<ConfigLine>();
    int number = 0;
    for (String whole : text.split("\n", -1)) {
      number++;
      if (whole.endsWith("\r")) {
        whole = whole.substring(0, whole.length() - 1);
      }
      int comment = whole.indexOf('#');
      int end = comment < 0 ? whole.length() : comment;
      if (!whole.substring(0, end).isBlank()) {
        lines.add(new ConfigLine(source, number, whole, 0, end, opensFiles));
      }
    }
    return lines;
  }

  /** Returns a single line. */
  public static ConfigLine of(String source, String text) {
    int comment = text.indexOf('#');
    return new ConfigLine(source, 1, text, 0, comment < 0 ? text.length() : comment, true);
  }

  /** Returns true if {@code text} is a valid name of a node, a component or a key. */
  public static boolean isName(String text) {
    return NAME.matcher(text).matches();
  }

  private void parse() {
    int at = skipBlanks(start);
    int stop = at;
    while (stop < end && !isBlank(stop) && whole.charAt(stop) != '=') {
      stop++;
    }
    if (stop == end || isBlank(stop)) {
      first = whole.substring(at, stop);
      if (!first.isEmpty() && !isName(first)) {
        throw errorAt(
            at, "the first word of a line must be a name; got '" + Excerpt.of(first) + "'");
      }
      at = stop;
    }
    for (at = skipBlanks(at); at < end; at = skipBlanks(at)) {
      at = parsePair(at);
    }
  }

  private int parsePair(int at) {
    int equals = indexOf('=', at);
    String key = equals < 0 ? null : whole.substring(at, equals);
    if (key == null || !isName(key)) {
      String got = key == null ? whole.substring(at, end).strip() : key.strip();
      throw errorAt(
          at,
          "after the first word, a line must consist of key=value; got '" + Excerpt.of(got) + "'");
    }
    int from = equals + 1;
    int to;
    int next;
    if (from < end && (whole.charAt(from) == '\'' || whole.charAt(from) == '"')) {
      to = indexOf(whole.charAt(from), from + 1);
      if (to < 0) {
        throw errorAt(from, "a quoted value must end with the quote it begins with; got none");
      }
      from++;
      next = to + 1;
    } else {
      to = end;
      int later = indexOf('=', from);
      if (later >= 0) {
        int blank = later;
        while (blank > equals && !isBlank(blank)) {
          blank--;
        }
        to = blank > equals ? blank : end;
      }
      while (to > from && isBlank(to - 1)) {
        to--;
      }
      next = to;
    }
    if (pairs.putIfAbsent(key, new Pair(at, from, whole.substring(from, to))) != null) {
      throw errorAt(at, "a key must occur once in a line; got '" + Excerpt.of(key) + "' again");
    }
    return next;
  }

  private int skipBlanks(int at) {
    while (at < end && isBlank(at)) {
      at++;
    }
    return at;
  }

  private boolean isBlank(int at) {
    return whole.charAt(at) <= ' ';
  }

  private int indexOf(char c, int from) {
    int at = whole.indexOf(c, from);
    return at >= end ? -1 : at;
  }

  /** Returns the first word; empty if the line begins with a pair. */
  public String first() {
    return first;
  }

  /** Returns the line as written in the file. */
  public String text() {
    return whole;
  }

  /** Returns true if the line has a value for {@code key}. */
  public boolean has(String key) {
    asked.add(key);
    return pairs.containsKey(key);
  }

  private Pair need(String key) {
    if (!has(key)) {
      var unused = new LinkedHashSet<>(pairs.keySet());
      unused.removeAll(asked);
      String hint = Nearest.hint(key, unused);
      String got =
          hint.isEmpty() ? "none" : "'" + hint.substring(hint.indexOf('\'') + 1, hint.length() - 1);
      throw errorAt(skipBlanks(start), "this line needs " + key + "=...; got " + got);
    }
    return pairs.get(key);
  }

  /** Returns the text of {@code key}, which is mandatory. */
  public String string(String key) {
    return need(key).value();
  }

  /** Returns the text of {@code key}, or {@code none} if the key is absent. */
  public String string(String key, String none) {
    return has(key) ? pairs.get(key).value() : none;
  }

  /**
   * Returns the name of the parameter file in {@code key}. Fails in the header of a model, which
   * must name no files, and for a command if commands in files are not allowed.
   */
  public String file(String key) {
    String file = string(key);
    if (!opensFiles) {
      throw error(key, "the header of a model must not name files");
    }
    PipePermission.check(file, whole, source + ":" + number);
    return file;
  }

  /** Returns the value of {@code key}, which must be a valid name. */
  public String name(String key) {
    String name = string(key);
    if (!isName(name)) {
      throw error(
          key, "a name must begin with a letter or _, followed by letters, digits, _, - or .");
    }
    return name;
  }

  /** Returns the integer of {@code key}, which is mandatory. */
  public int integer(String key) {
    String text = string(key).strip();
    try {
      if (INTEGER.matcher(text).matches()) {
        return Integer.parseInt(text);
      }
    } catch (NumberFormatException e) {
      throw error(key, key + " must be a whole number of 32 bits");
    }
    throw error(key, key + " must be a whole number");
  }

  /** Returns the integer of {@code key}, or {@code none} if the key is absent. */
  public int integer(String key, int none) {
    return has(key) ? integer(key) : none;
  }

  /** Returns the integer of {@code key}, which is mandatory and at least 1. */
  public int positive(String key) {
    int value = integer(key);
    if (value < 1) {
      throw error(key, key + " must be at least 1");
    }
    return value;
  }

  /** Returns the integer of {@code key}, at least 1, or {@code none} if the key is absent. */
  public int positive(String key, int none) {
    return has(key) ? positive(key) : none;
  }

  /** Returns the number of {@code key}, which is mandatory. */
  public float real(String key) {
    Float value = toReal(string(key).strip());
    if (value == null) {
      throw error(key, key + " must be a number");
    }
    return value;
  }

  /** Returns the number of {@code key}, or {@code none} if the key is absent. */
  public float real(String key, float none) {
    return has(key) ? real(key) : none;
  }

  /** Returns the number of {@code key}, at least 0, or {@code none} if the key is absent. */
  public float notNegative(String key, float none) {
    float value = real(key, none);
    if (!(value >= 0)) {
      throw error(key, key + " must not be negative");
    }
    return value;
  }

  /**
   * Returns the boolean of {@code key}, or {@code none} if the key is absent. Only the first letter
   * counts: {@code t} or {@code f}.
   */
  public boolean flag(String key, boolean none) {
    if (!has(key)) {
      return none;
    }
    String value = string(key);
    return switch (value.isEmpty() ? ' ' : value.charAt(0)) {
      case 't', 'T' -> true;
      case 'f', 'F' -> false;
      default -> throw error(key, key + " must be true or false");
    };
  }

  /** Returns the integers of {@code key}, separated by colons or commas. */
  public int[] integers(String key) {
    String value = string(key);
    var numbers = new ArrayList<Integer>();
    for (String part : value.split("[:,]")) {
      if (part.isEmpty()) {
        continue;
      }
      try {
        numbers.add(Integer.parseInt(part.strip()));
      } catch (NumberFormatException e) {
        throw error(key, key + " must be comma-separated whole numbers");
      }
    }
    return numbers.stream().mapToInt(Integer::intValue).toArray();
  }

  /** Returns the value of {@code key} parsed as a config line. */
  public ConfigLine nested(String key) {
    Pair pair = need(key);
    return new ConfigLine(
        source, number, whole, pair.valueAt(), pair.valueAt() + pair.value().length(), opensFiles);
  }

  /** Refuses keys that no getter was called with. */
  public void refuseUnused() {
    for (Map.Entry<String, Pair> pair : pairs.entrySet()) {
      if (!asked.contains(pair.getKey())) {
        var free = new LinkedHashSet<>(asked);
        free.removeAll(pairs.keySet());
        throw errorAt(
            pair.getValue().keyAt(),
            "every key of this line must be known; got '"
                + Excerpt.of(pair.getKey())
                + "'"
                + Nearest.hint(pair.getKey(), free));
      }
    }
  }

  /** Returns an error that points at the value of {@code key} and quotes it. */
  public ConfigException error(String key, String rule) {
    Pair pair = pairs.get(key);
    return pair == null
        ? errorAt(skipBlanks(start), rule)
        : errorAt(pair.valueAt(), rule + "; got '" + Excerpt.of(pair.value()) + "'");
  }

  /**
   * Returns an error that points at the value of {@code key}, quotes it, and suggests the nearest
   * allowed value.
   */
  public ConfigException error(String key, String rule, Collection<String> allowed) {
    Pair pair = pairs.get(key);
    String got = "; got '" + Excerpt.of(pair.value()) + "'" + Nearest.hint(pair.value(), allowed);
    return errorAt(pair.valueAt(), rule + got);
  }

  /** Returns an error that points at character {@code at} of the value of {@code key}. */
  public ConfigException errorIn(String key, int at, String rule) {
    return errorAt(pairs.get(key).valueAt() + at, rule);
  }

  /** Returns an error that points at the beginning of the line. */
  public ConfigException error(String rule) {
    return errorAt(skipBlanks(start), rule);
  }

  private ConfigException errorAt(int at, String rule) {
    String dot = rule.endsWith("?") || rule.endsWith(".") ? "" : ".";
    int from = whole.length() <= SHOWN ? 0 : Math.max(0, at - SHOWN / 2);
    int to = Math.min(whole.length(), from + SHOWN);
    // Tabs are kept, so that the caret stays aligned with the column of the error.
    String shown =
        whole
            .substring(from, to)
            .replaceAll(
                "[\\p{IsControl}\\p{gc=Cf}\\p{gc=Cs}\\p{gc=Zl}\\p{gc=Zp}\\p{gc=Cn}&&[^\t]]", "?");
    String blanks = whole.substring(from, at).replaceAll("[^\t]", " ");
    return new ConfigException(
        String.format(
                Locale.ROOT,
                "[config] %s%s At %s:%d%n  %s%n  %s^",
                rule,
                dot,
                source,
                number,
                shown,
                blanks)
            .replace("\r\n", "\n"));
  }

  /** Returns the number in {@code text}, as C++ streams parse it, or null if there is none. */
  static Float toReal(String text) {
    var special = SPECIAL.matcher(text);
    if (special.matches()) {
      boolean nan = Character.toLowerCase(special.group(2).charAt(0)) == 'n';
      float value = nan ? Float.NaN : Float.POSITIVE_INFINITY;
      return special.group(1).equals("-") ? -value : value;
    }
    return REAL.matcher(text).matches() ? Float.valueOf(text) : null;
  }
}
