package ristretto.kernels.debug;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON: maps, lists, strings and doubles. */
public final class Json {
  private Json() {}

  /** The value that is all of {@code text}. */
  public static Object parse(String text) {
    try (JsonParser json = new JsonFactory().createParser(text)) {
      json.nextToken();
      Object value = value(json);
      if (json.nextToken() != null) {
        throw new AssertionError("expected the end at " + json.currentTokenLocation());
      }
      return value;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
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

  private static Object value(JsonParser json) throws IOException {
    return switch (json.currentToken()) {
      case START_OBJECT -> {
        var map = new LinkedHashMap<String, Object>();
        while (json.nextToken() != JsonToken.END_OBJECT) {
          String key = json.currentName();
          json.nextToken();
          map.put(key, value(json));
        }
        yield map;
      }
      case START_ARRAY -> {
        var list = new ArrayList<Object>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
          list.add(value(json));
        }
        yield list;
      }
      case VALUE_STRING -> json.getText();
      default -> json.getDoubleValue();
    };
  }
}
