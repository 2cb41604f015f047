package ristretto.kernels.debug;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON strictly: maps, lists, strings and doubles. */
public final class Json {
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  /** The value that is all of {@code text}. */
  public static Object parse(String text) {
    var json = new Json(text);
    Object value = json.value();
    json.skip();
    if (json.at != text.length()) {
      throw json.wrong("the end");
    }
    return value;
  }

  /** A complete event of a trace; times are microseconds. */
  public record Event(
      String name,
      String category,
      double start,
      double time,
      double thread,
      Map<String, Object> details) {}

  /** The complete events ({@code "ph":"X"}) of a trace. */
  public static List<Event> events(String trace) {
    var events = new ArrayList<Event>();
    for (Object entry : (List<?>) map(parse(trace)).get("traceEvents")) {
      Map<String, Object> e = map(entry);
      if (e.get("ph").equals("X")) {
        events.add(
            new Event(
                (String) e.get("name"),
                (String) e.get("cat"),
                (double) e.get("ts"),
                (double) e.get("dur"),
                (double) e.get("tid"),
                map(e.get("args"))));
      }
    }
    return events;
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> map(Object value) {
    return (Map<String, Object>) value;
  }

  private Object value() {
    skip();
    return switch (text.charAt(at)) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      default -> number();
    };
  }

  private Map<String, Object> object() {
    var map = new LinkedHashMap<String, Object>();
    expect('{');
    if (next() == '}') {
      at++;
      return map;
    }
    do {
      skip();
      String key = string();
      expect(':');
      map.put(key, value());
    } while (more('}'));
    return map;
  }

  private List<Object> array() {
    var list = new ArrayList<Object>();
    expect('[');
    if (next() == ']') {
      at++;
      return list;
    }
    do {
      list.add(value());
    } while (more(']'));
    return list;
  }

  private boolean more(char end) {
    char c = next();
    at++;
    if (c != ',' && c != end) {
      throw wrong("a comma or " + end);
    }
    return c == ',';
  }

  private String string() {
    expect('"');
    var s = new StringBuilder();
    while (text.charAt(at) != '"') {
      char c = text.charAt(at++);
      if (c < ' ') {
        throw wrong("no control character");
      }
      if (c == '\\') {
        char escaped = text.charAt(at++);
        if (escaped == 'u') {
          s.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
          at += 4;
        } else if ("\"\\".indexOf(escaped) >= 0) {
          s.append(escaped);
        } else {
          throw wrong("an escape");
        }
      } else {
        s.append(c);
      }
    }
    at++;
    return s.toString();
  }

  private double number() {
    int from = at;
    while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    return Double.parseDouble(text.substring(from, at));
  }

  private char next() {
    skip();
    return text.charAt(at);
  }

  private void expect(char c) {
    if (next() != c) {
      throw wrong("" + c);
    }
    at++;
  }

  private void skip() {
    while (at < text.length() && " \n\r\t".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private AssertionError wrong(String expected) {
    return new AssertionError(
        "expected "
            + expected
            + " at "
            + at
            + ": "
            + text.substring(Math.max(0, at - 20), Math.min(text.length(), at + 20)));
  }
}
