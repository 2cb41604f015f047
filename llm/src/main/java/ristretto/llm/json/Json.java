package ristretto.llm.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * JSON texts: objects are maps, arrays lists, numbers {@link Double} or {@link Long}; null is null.
 */
public final class Json {
  private static final int MOST_NESTING = 64;
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .streamReadConstraints(
              StreamReadConstraints.builder().maxNestingDepth(MOST_NESTING).build())
          .build();

  private Json() {}

  /** States that a text is not one JSON value; the message continues "the text ". */
  public static final class Malformed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Malformed(String message) {
      super(message, null, false, false);
    }
  }

  /**
   * Reads a text.
   *
   * @throws Malformed if it is not one JSON value
   */
  public static Object read(byte[] text) {
    try (JsonParser in = JSON.createParser(text)) {
      in.nextToken();
      Object value = value(in);
      if (in.nextToken() != null) {
        throw new Malformed("must be one JSON value; got more after it.");
      }
      return value;
    } catch (JsonProcessingException e) {
      throw new Malformed("must be JSON; got " + e.getOriginalMessage());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Object value(JsonParser in) throws IOException {
    JsonToken token = in.currentToken();
    if (token == null) {
      throw new Malformed("must be JSON; got its end.");
    }
    return switch (token) {
      case START_OBJECT -> {
        var all = new LinkedHashMap<String, Object>();
        while (in.nextToken() == JsonToken.FIELD_NAME) {
          String name = in.currentName();
          in.nextToken();
          all.put(name, value(in));
        }
        yield all;
      }
      case START_ARRAY -> {
        var all = new ArrayList<>();
        while (in.nextToken() != JsonToken.END_ARRAY) {
          all.add(value(in));
        }
        yield all;
      }
      case VALUE_STRING -> in.getText();
      case VALUE_NUMBER_INT ->
          in.getNumberType() == JsonParser.NumberType.BIG_INTEGER
              ? (Object) in.getDoubleValue()
              : (Object) in.getLongValue();
      case VALUE_NUMBER_FLOAT -> in.getDoubleValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      default -> null;
    };
  }

  /** Writes a value. */
  public static String write(Object value) {
    var text = new StringWriter();
    try (JsonGenerator out = JSON.createGenerator(text)) {
      write(value, out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  private static void write(Object value, JsonGenerator out) throws IOException {
    switch (value) {
      case null -> out.writeNull();
      case Map<?, ?> all -> {
        out.writeStartObject();
        for (var entry : all.entrySet()) {
          out.writeFieldName((String) entry.getKey());
          write(entry.getValue(), out);
        }
        out.writeEndObject();
      }
      case List<?> all -> {
        out.writeStartArray();
        for (Object one : all) {
          write(one, out);
        }
        out.writeEndArray();
      }
      case String text -> out.writeString(text);
      case Boolean truth -> out.writeBoolean(truth);
      case Double number -> out.writeNumber(number);
      case Number number -> out.writeNumber(number.longValue());
      default -> throw new IllegalArgumentException(value.getClass().getName());
    }
  }

  /** Makes an object of names and values in turn; values may be null. */
  public static Map<String, Object> object(Object... namesAndValues) {
    var all = new LinkedHashMap<String, Object>();
    for (int k = 0; k < namesAndValues.length; k += 2) {
      all.put((String) namesAndValues[k], namesAndValues[k + 1]);
    }
    return all;
  }
}
