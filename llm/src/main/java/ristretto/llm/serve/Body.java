package ristretto.llm.serve;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import ristretto.llm.chat.Message;
import ristretto.llm.generate.Sampling;
import ristretto.llm.json.Json;

/**
 * Body of a request in the form of OpenAI. Fields that would change the answer and are not
 * supported are refused; others, such as {@code user}, are ignored.
 */
record Body(
    List<Message> messages,
    String prompt,
    Sampling sampling,
    int most,
    List<String> stops,
    boolean json,
    boolean stream,
    boolean usage) {
  private static final int MOST_STOPS = 16;
  private static final List<String> REFUSED =
      List.of(
          "tools",
          "functions",
          "tool_choice",
          "function_call",
          "logit_bias",
          "logprobs",
          "top_logprobs",
          "suffix",
          "echo",
          "best_of",
          "audio",
          "modalities",
          "prediction");

  private static Object read(byte[] text) {
    try {
      return Json.read(text);
    } catch (Json.Malformed e) {
      throw new Refusal("the body " + e.getMessage());
    }
  }

  /**
   * Reads a body.
   *
   * @param chat true if it has messages, false if it has a prompt
   * @param limit most tokens of an answer
   */
  static Body of(byte[] text, boolean chat, int limit) {
    if (!(read(text) instanceof Map<?, ?> fields)) {
      throw new Refusal("the body must be a JSON object.");
    }
    for (String name : REFUSED) {
      Object value = fields.get(name);
      boolean off =
          value == null || value.equals(false) || value instanceof List<?> l && l.isEmpty();
      if (!off && !value.equals("none")) {
        throw new Refusal(name + " is not supported; remove it.");
      }
    }
    for (String name : List.of("presence_penalty", "frequency_penalty")) {
      if (number(fields, name, 0) != 0) {
        throw new Refusal(name + " is not supported; use repetition_penalty.");
      }
    }
    if (number(fields, "n", 1) != 1) {
      throw new Refusal("n must be 1; send several requests.");
    }
    return new Body(
        chat ? messages(fields) : List.of(),
        chat ? "" : text(fields.get("prompt"), "prompt"),
        sampling(fields),
        (int)
            Math.min(
                limit,
                integer(fields, "max_completion_tokens", integer(fields, "max_tokens", limit))),
        stops(fields.get("stop")),
        isJson(fields.get("response_format")),
        truth(fields, "stream"),
        fields.get("stream_options") instanceof Map<?, ?> options
            && truth(options, "include_usage"));
  }

  private static Sampling sampling(Map<?, ?> fields) {
    Sampling normal = Sampling.DEFAULT;
    return new Sampling(
        number(fields, "temperature", normal.temperature()),
        (int) Math.min(Integer.MAX_VALUE, integer(fields, "top_k", normal.topK())),
        number(fields, "top_p", normal.topP()),
        number(fields, "min_p", normal.minP()),
        number(fields, "repetition_penalty", normal.repetitionPenalty()),
        integer(fields, "seed", System.nanoTime()));
  }

  private static List<Message> messages(Map<?, ?> fields) {
    if (!(fields.get("messages") instanceof List<?> list) || list.isEmpty()) {
      throw new Refusal("messages must be a list of at least one message.");
    }
    var all = new ArrayList<Message>();
    for (Object one : list) {
      if (!(one instanceof Map<?, ?> message)) {
        throw new Refusal("messages must be objects with role and content.");
      }
      all.add(new Message(role(message.get("role")), content(message.get("content"))));
    }
    return all;
  }

  private static Message.Role role(Object name) {
    return switch (name instanceof String text ? text : "") {
      case "system", "developer" -> Message.Role.SYSTEM;
      case "user" -> Message.Role.USER;
      case "assistant" -> Message.Role.ASSISTANT;
      default ->
          throw new Refusal(
              "the role of a message must be system, user or assistant; got "
                  + Json.write(name)
                  + ".");
    };
  }

  /** Text of a message, which may come in parts. */
  private static String content(Object content) {
    if (!(content instanceof List<?> parts)) {
      return text(content, "content");
    }
    return parts.stream()
        .map(part -> {
          if (part instanceof Map<?, ?> map && "text".equals(map.get("type"))) {
            return text(map.get("text"), "text");
          }
          throw new Refusal("parts of a message must be texts: {\"type\": \"text\", ...}.");
        })
        .collect(Collectors.joining());
  }

  private static String text(Object value, String name) {
    if (value instanceof String text) {
      return text;
    }
    throw new Refusal(name + " must be a string.");
  }

  private static List<String> stops(Object value) {
    List<?> all = value == null ? List.of() : value instanceof List<?> list ? list : List.of(value);
    List<String> texts = all.stream().map(one -> text(one, "stop")).toList();
    if (texts.size() > MOST_STOPS || texts.contains("")) {
      throw new Refusal("stop must be at most " + MOST_STOPS + " strings that are not empty.");
    }
    return texts;
  }

  private static boolean isJson(Object format) {
    if (format == null) {
      return false;
    }
    Object type = format instanceof Map<?, ?> map ? map.get("type") : null;
    if ("json_object".equals(type) || "text".equals(type)) {
      return "json_object".equals(type);
    }
    throw new Refusal("the type of response_format must be text or json_object.");
  }

  private static double number(Map<?, ?> fields, String name, double otherwise) {
    return switch (fields.get(name)) {
      case null -> otherwise;
      case Number number -> number.doubleValue();
      default -> throw new Refusal(name + " must be a number.");
    };
  }

  private static long integer(Map<?, ?> fields, String name, long otherwise) {
    return switch (fields.get(name)) {
      case null -> otherwise;
      case Long number when number >= 0 || name.equals("seed") -> number;
      default -> throw new Refusal(name + " must be a whole number that is not negative.");
    };
  }

  private static boolean truth(Map<?, ?> fields, String name) {
    return switch (fields.get(name)) {
      case null -> false;
      case Boolean truth -> truth;
      default -> throw new Refusal(name + " must be true or false.");
    };
  }
}
