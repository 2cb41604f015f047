package ristretto.llm.serve;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import ristretto.kernels.ShapeException;
import ristretto.llm.chat.ChatFormat;
import ristretto.llm.generate.Generation;
import ristretto.llm.generate.Generator;
import ristretto.llm.generate.Request;
import ristretto.llm.json.Json;
import ristretto.llm.token.Tokenizer;

/**
 * Server with the interface of OpenAI: {@code /v1/chat/completions} and {@code /v1/completions},
 * with or without streaming, {@code /v1/models} and {@code /health}. Requests are answered together
 * by one {@link Generator}.
 */
public final class ChatServer implements AutoCloseable {
  private static final int GRACE_SECONDS = 10;

  private final Generator generator;
  private final Tokenizer tokenizer;
  private final ChatFormat format;
  private final String name;
  private final ServerOptions options;
  private final HttpServer server;
  private final ExecutorService exchanges = Executors.newVirtualThreadPerTaskExecutor();
  private final Thread worker;
  private final Semaphore work = new Semaphore(0);
  private final Semaphore room;
  private final AtomicLong number = new AtomicLong();
  private volatile boolean closing;

  /**
   * Starts a server.
   *
   * @param name name of the model in answers
   * @throws IOException if the address is in use or not of this machine
   */
  public ChatServer(Generator generator, String name, ServerOptions options) throws IOException {
    this.generator = generator;
    this.tokenizer = generator.requireTokenizer();
    this.format = generator.model().chatFormat();
    this.name = name;
    this.options = options;
    this.room = new Semaphore(options.requests());
    server = bound(options);
    server.setExecutor(exchanges);
    server.createContext("/", this::answer);
    worker = Thread.ofPlatform().name("ristretto-generator").start(this::generate);
    server.start();
  }

  private static HttpServer bound(ServerOptions options) throws IOException {
    try {
      return HttpServer.create(new InetSocketAddress(options.host(), options.port()), 0);
    } catch (SocketException e) {
      throw new IOException(
          "[serve] the address must be free and of this machine; got %s:%s (%s); choose another --port or --host"
              .formatted(options.host(), options.port(), e.getMessage()),
          e);
    }
  }

  /** Address of the interface, such as {@code http://127.0.0.1:8080/v1}. */
  public String address() {
    return "http://%s:%s/v1".formatted(options.host(), server.getAddress().getPort());
  }

  private void generate() {
    while (true) {
      if (generator.step()) {
        continue;
      }
      if (closing) {
        return;
      }
      work.acquireUninterruptibly();
      work.drainPermits();
    }
  }

  private void answer(HttpExchange exchange) {
    try (exchange) {
      try {
        route(exchange);
      } catch (Refusal e) {
        refuse(exchange, e.status(), e.getMessage());
      } catch (ShapeException e) {
        refuse(exchange, 400, e.getMessage().replaceFirst("^\\[\\w+] ", ""));
      } catch (RuntimeException e) {
        refuse(exchange, 500, "an error of the server: " + e);
      }
    } catch (IOException e) {
      // The client is gone.
    }
  }

  private void route(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    switch (path) {
      case "/health" -> {
        requireMethod(exchange, "GET");
        send(exchange, 200, Json.object("status", "ok"));
      }
      case "/v1/models" -> {
        requireMethod(exchange, "GET");
        var model = Json.object("id", name, "object", "model", "owned_by", "ristretto");
        send(exchange, 200, Json.object("object", "list", "data", List.of(model)));
      }
      case "/v1/chat/completions" -> complete(exchange, true);
      case "/v1/completions" -> complete(exchange, false);
      default ->
          throw new Refusal(
              404,
              "there is no %s; use /v1/chat/completions, /v1/completions, /v1/models or /health."
                  .formatted(path));
    }
  }

  private static void requireMethod(HttpExchange exchange, String method) {
    if (!exchange.getRequestMethod().equals(method)) {
      exchange.getResponseHeaders().set("Allow", method);
      throw new Refusal(
          405, "the method must be " + method + "; got " + exchange.getRequestMethod() + ".");
    }
  }

  private void complete(HttpExchange exchange, boolean chat) throws IOException {
    requireMethod(exchange, "POST");
    String type = exchange.getRequestHeaders().getFirst("Content-Type");
    // Pages of other sites cannot send this type from a browser without a permission.
    if (type == null || !type.strip().toLowerCase(Locale.ROOT).startsWith("application/json")) {
      throw new Refusal(415, "the Content-Type must be application/json.");
    }
    Body body = Body.of(read(exchange), chat, options.answerTokens());
    if (closing || !room.tryAcquire()) {
      exchange.getResponseHeaders().set("Retry-After", "1");
      throw new Refusal(
          503, closing ? "the server is stopping." : "the server is busy; try again later.");
    }
    try {
      var reply = new Reply(exchange, name, number.incrementAndGet(), chat, body);
      Generation generation = generator.submit(request(body, chat), reply);
      work.release();
      try {
        reply.send(generation, options.time());
      } finally {
        generation.cancel();
      }
    } finally {
      room.release();
    }
  }

  private Request request(Body body, boolean chat) {
    List<Integer> prompt =
        chat ? format.tokens(tokenizer, body.messages()) : tokenizer.prompt(body.prompt());
    return new Request(prompt, body.sampling(), body.most(), body.stops(), body.json());
  }

  private byte[] read(HttpExchange exchange) throws IOException {
    InputStream in = exchange.getRequestBody();
    byte[] text = in.readNBytes(options.bodyBytes() + 1);
    if (text.length > options.bodyBytes()) {
      throw new Refusal(413, "the body must have at most %s bytes.".formatted(options.bodyBytes()));
    }
    return text;
  }

  static void send(HttpExchange exchange, int status, Object value) throws IOException {
    byte[] text = Json.write(value).getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, text.length);
    exchange.getResponseBody().write(text);
  }

  private static void refuse(HttpExchange exchange, int status, String message) throws IOException {
    if (exchange.getResponseCode() >= 0) {
      throw new IOException("the answer has begun");
    }
    String type = status < 500 ? "invalid_request_error" : "server_error";
    var error = Json.object("message", message, "type", type, "code", status);
    send(exchange, status, Json.object("error", error));
  }

  /**
   * Stops the server: refuses new requests, lets those in progress end for up to 10 seconds, and
   * cancels the rest.
   */
  @Override
  public void close() {
    closing = true;
    server.stop(GRACE_SECONDS);
    exchanges.shutdownNow();
    work.release();
    try {
      worker.join(Duration.ofSeconds(GRACE_SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
