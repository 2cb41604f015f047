package ristretto.llm.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ristretto.expr.Context;
import ristretto.kernels.ShapeException;
import ristretto.llm.LanguageModel;
import ristretto.llm.TinyModel;
import ristretto.llm.generate.Generator;
import ristretto.llm.generate.GeneratorOptions;
import ristretto.llm.generate.Sampling;
import ristretto.llm.gguf.GgufType;
import ristretto.llm.json.Json;

class ChatServerTest {
  private static final String CHAT = "/v1/chat/completions";
  private static final String HELLO =
      "\"messages\": [{\"role\": \"user\", \"content\": \"Hello\"}], \"temperature\": 0,"
          + " \"max_tokens\": 20";

  @TempDir Path folder;

  private final HttpClient client = HttpClient.newHttpClient();
  private Context ctx;
  private Generator generator;
  private ChatServer server;

  @BeforeEach
  void start() throws IOException {
    start(new ServerOptions("127.0.0.1", 0, 3, 1000, 40, Duration.ofMinutes(1)));
  }

  private void start(ServerOptions options) throws IOException {
    ctx = Context.open("cpu");
    LanguageModel model = LanguageModel.open(ctx, new TinyModel().written(folder, GgufType.F32));
    generator = new Generator(model, GeneratorOptions.of(model).sequences(2).cacheTokens(128));
    server = new ChatServer(generator, "tiny", options);
  }

  @AfterEach
  void stop() {
    server.close();
    ctx.close();
  }

  private HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(URI.create(server.address().replace("/v1", path)))
        .timeout(Duration.ofSeconds(60));
  }

  private HttpResponse<String> post(String path, String body) throws Exception {
    return client.send(
        to(path)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }

  @SuppressWarnings("unchecked")
  private static <T> T get(Object value, Object... path) {
    for (Object step : path) {
      value = step instanceof Integer k ? ((List<?>) value).get(k) : ((Map<?, ?>) value).get(step);
    }
    return (T) value;
  }

  private static Object json(HttpResponse<String> response) {
    return Json.read(response.body().getBytes(StandardCharsets.UTF_8));
  }

  private String expected(String text, int most) {
    return generator.generate(text, Sampling.GREEDY, most);
  }

  @Test
  void itAnswersMessages() throws Exception {
    HttpResponse<String> response = post(CHAT, "{" + HELLO + "}");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().firstValue("Content-Type")).contains("application/json");
    Object all = json(response);
    assertThat((String) get(all, "object")).isEqualTo("chat.completion");
    assertThat((String) get(all, "model")).isEqualTo("tiny");
    String text = get(all, "choices", 0, "message", "content");
    assertThat(text).isEqualTo(expected("Hello", 20));
    assertThat((String) get(all, "choices", 0, "finish_reason")).isIn("stop", "length");
    assertThat((Long) get(all, "usage", "prompt_tokens")).isEqualTo(9);
  }

  @Test
  void itStreams() throws Exception {
    HttpResponse<String> response =
        post(
            CHAT,
            "{" + HELLO + ", \"stream\": true, \"stream_options\": {\"include_usage\": true}}");
    assertThat(response.headers().firstValue("Content-Type")).contains("text/event-stream");
    List<String> events =
        response.body().lines().filter(line -> !line.isEmpty() && !line.startsWith(":")).toList();
    assertThat(events).allMatch(line -> line.startsWith("data: ")).endsWith("data: [DONE]");
    var text = new StringBuilder();
    var reasons = new ArrayList<String>();
    for (String event : events.subList(0, events.size() - 2)) {
      Object chunk = Json.read(event.substring(6).getBytes(StandardCharsets.UTF_8));
      String piece = get(chunk, "choices", 0, "delta", "content");
      text.append(piece == null ? "" : piece);
      reasons.add(get(chunk, "choices", 0, "finish_reason"));
    }
    assertThat(text.toString()).isEqualTo(expected("Hello", 20));
    assertThat(reasons.getLast()).isIn("stop", "length");
    assertThat(reasons.subList(0, reasons.size() - 1)).containsOnlyNulls();
    Object usage =
        Json.read(events.get(events.size() - 2).substring(6).getBytes(StandardCharsets.UTF_8));
    assertThat((List<?>) get(usage, "choices")).isEmpty();
    assertThat((Long) get(usage, "usage", "prompt_tokens")).isEqualTo(9);
  }

  @Test
  void itCompletesTexts() throws Exception {
    Object all =
        json(
            post(
                "/v1/completions",
                "{\"prompt\": \"Once\", \"max_tokens\": 9, \"temperature\": 0}"));
    assertThat((String) get(all, "object")).isEqualTo("text_completion");
    assertThat((String) get(all, "choices", 0, "text")).isEqualTo(expected("Once", 9));
  }

  @Test
  void itListsTheModel() throws Exception {
    Object all = json(client.send(to("/v1/models").build(), BodyHandlers.ofString()));
    assertThat((String) get(all, "data", 0, "id")).isEqualTo("tiny");
    Object health = json(client.send(to("/health").build(), BodyHandlers.ofString()));
    assertThat((String) get(health, "status")).isEqualTo("ok");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "[]; the body must be a JSON object.",
        "{\"a\": 1, \"a\": 2}; the body must be JSON; got Duplicate field 'a'",
        "{} {}; the body must be one JSON value; got more after it.",
        "''; the body must be JSON; got its end.",
        "{}; messages must be a list of at least one message.",
        "{\"messages\": []}; messages must be a list of at least one message.",
        "{\"messages\": [1]}; messages must be objects with role and content.",
        "{\"messages\": [{\"role\": \"tool\", \"content\": \"\"}]}; the role of a message must be"
            + " system, user or assistant; got \"tool\".",
        "{\"messages\": [{\"role\": \"user\"}]}; content must be a string.",
        "{\"messages\": [{\"role\": \"user\", \"content\": [{\"type\": \"image_url\"}]}]}; parts of"
            + " a message must be texts: {\"type\": \"text\", ...}.",
        "{\"n\": 2}; n must be 1; send several requests.",
        "{\"tools\": [1]}; tools is not supported; remove it.",
        "{\"logprobs\": true}; logprobs is not supported; remove it.",
        "{\"frequency_penalty\": 1}; frequency_penalty is not supported; use repetition_penalty.",
        "{MESSAGES, \"temperature\": -1}; the temperature must be from 0 to 100; got -1.0.",
        "{MESSAGES, \"temperature\": \"hot\"}; temperature must be a number.",
        "{MESSAGES, \"max_tokens\": -1}; max_tokens must be a whole number that is not negative.",
        "{MESSAGES, \"max_tokens\": 1.5}; max_tokens must be a whole number that is not negative.",
        "{MESSAGES, \"stop\": [\"\"]}; stop must be at most 16 strings that are not empty.",
        "{MESSAGES, \"stop\": 3}; stop must be a string.",
        "{MESSAGES, \"stream\": 1}; stream must be true or false.",
        "{MESSAGES, \"response_format\": {\"type\": \"json_schema\"}}; the type of response_format"
            + " must be text or json_object."
      })
  void wrongRequestsAreRefused(String body, String message) throws Exception {
    String messages = "\"messages\": [{\"role\": \"user\", \"content\": \"a\"}]";
    HttpResponse<String> response = post(CHAT, body.replace("MESSAGES", messages));
    assertThat((String) get(json(response), "error", "message")).startsWith(message);
    assertThat(response.statusCode()).isEqualTo(400);
  }

  @Test
  void textMustBeAString() throws Exception {
    HttpResponse<String> response = post("/v1/completions", "{\"prompt\": [1]}");
    assertThat((String) get(json(response), "error", "message"))
        .isEqualTo("prompt must be a string.");
  }

  @Test
  void otherAddressesMethodsAndTypes() throws Exception {
    HttpResponse<String> response = post("/v1/embeddings", "{}");
    assertThat(response.statusCode()).isEqualTo(404);
    assertThat((String) get(json(response), "error", "message"))
        .isEqualTo(
            "there is no /v1/embeddings; use /v1/chat/completions, /v1/completions, /v1/models or"
                + " /health.");
    response = client.send(to(CHAT).build(), BodyHandlers.ofString());
    assertThat(response.statusCode()).isEqualTo(405);
    assertThat(response.headers().firstValue("Allow")).contains("POST");
    response =
        client.send(
            to(CHAT)
                .header("Content-Type", "text/plain")
                .POST(HttpRequest.BodyPublishers.ofString("{" + HELLO + "}"))
                .build(),
            BodyHandlers.ofString());
    assertThat(response.statusCode()).isEqualTo(415);
  }

  @Test
  void largeRequestsAreRefused() throws Exception {
    HttpResponse<String> response = post(CHAT, "{\"user\": \"" + "x".repeat(1000) + "\"}");
    assertThat(response.statusCode()).isEqualTo(413);
    assertThat((String) get(json(response), "error", "message"))
        .isEqualTo("the body must have at most 1000 bytes.");
    response = post(CHAT, "{" + HELLO.replace("Hello", "x".repeat(100)) + "}");
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat((String) get(json(response), "error", "message"))
        .isEqualTo(
            "the prompt must have fewer tokens than the longest sequence; got 104 for 64; shorten"
                + " it, or open the generator with a larger context.");
  }

  @Test
  void tooManyRequestsAreRefused() throws Exception {
    String body = "{" + HELLO.replace("20", "40") + ", \"top_k\": 1}";
    // Steps wait for this lock, so that all requests are in progress at the same time.
    var answers = new ArrayList<CompletableFuture<Integer>>();
    synchronized (generator) {
      for (int k = 0; k < 5; k++) {
        answers.add(
            client
                .sendAsync(
                    to(CHAT)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                    BodyHandlers.ofString())
                .thenApply(HttpResponse::statusCode));
      }
      while (answers.stream().filter(CompletableFuture::isDone).count() < 2) {
        Thread.sleep(10);
      }
    }
    assertThat(answers.stream().map(CompletableFuture::join))
        .containsExactlyInAnyOrder(200, 200, 200, 503, 503);
    assertThat(post(CHAT, body).statusCode()).isEqualTo(200);
  }

  @Test
  void aClientThatLeavesEndsItsRequest() throws Exception {
    for (int k = 0; k < 5; k++) {
      try (var socket = new Socket("127.0.0.1", URI.create(server.address()).getPort())) {
        String body = "{" + HELLO + ", \"stream\": true}";
        String head =
            "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                + "Content-Length: "
                + body.length()
                + "\r\n\r\n";
        socket.getOutputStream().write((head + body).getBytes(StandardCharsets.US_ASCII));
        assertThat(socket.getInputStream().read()).isEqualTo('H');
        socket.setSoLinger(true, 0);
      }
    }
    // Some of the five are refused, and the others end when the server notices.
    while (post(CHAT, "{" + HELLO + "}").statusCode() != 200) {
      Thread.sleep(10);
    }
    while (generator.active() > 0) {
      Thread.sleep(10);
    }
  }

  @Test
  void slowAnswersEnd() throws Exception {
    stop();
    start(new ServerOptions("127.0.0.1", 0, 3, 1000, 40, Duration.ofMillis(0)));
    assertThat(post(CHAT, "{" + HELLO + "}").statusCode()).isIn(200, 504);
    HttpResponse<String> response = post(CHAT, "{" + HELLO + ", \"stream\": true}");
    assertThat(response.body()).endsWith("data: [DONE]\n\n").contains("\"finish_reason\":\"");
  }

  @Test
  void requestsInProgressMayEndWhenItStops() throws Exception {
    CompletableFuture<HttpResponse<String>> answer;
    synchronized (generator) {
      answer =
          client.sendAsync(
              to(CHAT)
                  .header("Content-Type", "application/json")
                  .POST(HttpRequest.BodyPublishers.ofString("{" + HELLO + "}"))
                  .build(),
              BodyHandlers.ofString());
      while (generator.active() == 0) {
        Thread.sleep(10);
      }
      Thread.ofVirtual().start(server::close);
      Thread.sleep(50);
    }
    assertThat(answer.join().statusCode()).isEqualTo(200);
  }

  @Test
  void addressesAndLimits() {
    int port = URI.create(server.address()).getPort();
    assertThatThrownBy(() ->
            new ChatServer(
                generator, "tiny", new ServerOptions("127.0.0.1", port, 1, 1, 1, Duration.ZERO)))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "[serve] the address must be free and of this machine; got 127.0.0.1:%s (Address"
                + " already in use); choose another --port or --host",
            port);
    refused("[serve] the port must be from 0 to 65535; got 65536.", 1 << 16, 1, 1, 1);
    refused("[serve] the number of requests must be at least 1; got 0.", 0, 0, 1, 1);
    refused("[serve] the bytes of a request must be 1 to 2^30; got 0.", 0, 1, 0, 1);
    refused("[serve] the tokens of an answer must be at least 1; got 0.", 0, 1, 1, 0);
  }

  private static void refused(String message, int port, int requests, int bytes, int tokens) {
    assertThatThrownBy(
            () -> new ServerOptions("localhost", port, requests, bytes, tokens, Duration.ZERO))
        .isInstanceOf(ShapeException.class)
        .hasMessage(message);
  }
}
