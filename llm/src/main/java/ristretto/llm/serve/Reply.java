package ristretto.llm.serve;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import ristretto.llm.generate.Ending;
import ristretto.llm.generate.Generation;
import ristretto.llm.generate.Listener;
import ristretto.llm.json.Json;

/** Answer to a request, as one object or as a stream of events. */
final class Reply implements Listener {
  /** Time after which a stream gets a comment, so that a client that is gone is noticed. */
  private static final Duration QUIET = Duration.ofSeconds(5);

  private final HttpExchange exchange;
  private final String model;
  private final String id;
  private final boolean chat;
  private final Body body;
  private final long created = System.currentTimeMillis() / 1000;

  /** Pieces that were not sent; the end is an empty one. At most as many as tokens. */
  private final LinkedBlockingQueue<String> pieces = new LinkedBlockingQueue<>();

  Reply(HttpExchange exchange, String model, long number, boolean chat, Body body) {
    this.exchange = exchange;
    this.model = model;
    this.id = (chat ? "chatcmpl-" : "cmpl-") + number;
    this.chat = chat;
    this.body = body;
  }

  @Override
  public void text(String piece) {
    pieces.add(piece);
  }

  @Override
  public void ended(Generation generation) {
    pieces.add("");
  }

  /** Sends the answer while it is generated. */
  void send(Generation generation, Duration time) throws IOException {
    long end = System.nanoTime() + time.toNanos();
    if (body.stream()) {
      stream(generation, end);
      return;
    }
    while (true) {
      String piece = next(Math.max(0, end - System.nanoTime()));
      if (piece == null) {
        throw new Refusal(504, "the answer took longer than " + time.toSeconds() + " s.");
      }
      if (piece.isEmpty()) {
        break;
      }
    }
    requireSuccess(generation);
    ChatServer.send(
        exchange,
        200,
        Json.object(
            "id",
            id,
            "object",
            chat ? "chat.completion" : "text_completion",
            "created",
            created,
            "model",
            model,
            "choices",
            List.of(whole(generation)),
            "usage",
            usage(generation)));
  }

  private void stream(Generation generation, long end) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
    exchange.getResponseHeaders().set("Cache-Control", "no-cache");
    exchange.sendResponseHeaders(200, 0);
    OutputStream out = exchange.getResponseBody();
    if (chat) {
      event(out, chunk(part("", true), null));
    }
    boolean late = false;
    while (true) {
      long left = end - System.nanoTime();
      String piece = next(Math.clamp(left, 0, QUIET.toNanos()));
      if (piece == null && left <= 0) {
        generation.cancel();
        late = true;
        break;
      }
      if (piece == null) {
        out.write(": waiting\n\n".getBytes(StandardCharsets.UTF_8));
        out.flush();
      } else if (piece.isEmpty()) {
        break;
      } else {
        event(out, chunk(part(piece, false), null));
      }
    }
    if (generation.failure().isPresent()) {
      var error =
          Json.object("message", generation.failure().get().toString(), "type", "server_error");
      event(out, Json.object("error", error));
    } else {
      event(out, chunk(part(null, false), late ? "length" : reason(generation)));
      if (body.usage()) {
        var last = Json.object("id", id, "object", kind(), "created", created, "model", model);
        last.put("choices", List.of());
        last.put("usage", usage(generation));
        event(out, last);
      }
    }
    out.write("data: [DONE]\n\n".getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  private String kind() {
    return chat ? "chat.completion.chunk" : "text_completion";
  }

  private Map<String, Object> chunk(Map<String, Object> part, String reason) {
    var choice = Json.object("index", 0);
    choice.putAll(part);
    choice.put("finish_reason", reason);
    return Json.object(
        "id", id,
        "object", kind(),
        "created", created,
        "model", model,
        "choices", List.of(choice));
  }

  /** Part of the answer; a text of null is none. */
  private Map<String, Object> part(String text, boolean first) {
    if (!chat) {
      return Json.object("text", text == null ? "" : text);
    }
    var delta = first ? Json.object("role", "assistant") : Json.object();
    if (text != null) {
      delta.put("content", text);
    }
    return Json.object("delta", delta);
  }

  private static void event(OutputStream out, Object value) throws IOException {
    out.write(("data: " + Json.write(value) + "\n\n").getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  private String next(long nanos) {
    try {
      return pieces.poll(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Refusal(503, "the server is stopping.");
    }
  }

  private Map<String, Object> whole(Generation generation) {
    var choice = Json.object("index", 0);
    if (chat) {
      choice.put("message", Json.object("role", "assistant", "content", generation.text()));
    } else {
      choice.put("text", generation.text());
    }
    choice.put("finish_reason", reason(generation));
    return choice;
  }

  private static String reason(Generation generation) {
    return generation.ending().orElseThrow() == Ending.STOP ? "stop" : "length";
  }

  private static void requireSuccess(Generation generation) {
    generation
        .failure()
        .ifPresent(e -> {
          throw new Refusal(500, "an error of the server: " + e);
        });
  }

  private static Map<String, Object> usage(Generation generation) {
    int prompt = generation.request().prompt().size();
    int answer = generation.tokens().size();
    return Json.object(
        "prompt_tokens",
        prompt,
        "completion_tokens",
        answer,
        "total_tokens",
        prompt + answer,
        "prompt_tokens_details",
        Json.object("cached_tokens", generation.reused()));
  }
}
