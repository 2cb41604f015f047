package ristretto.llm.command;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import ristretto.expr.Context;
import ristretto.llm.LanguageModel;
import ristretto.llm.generate.Generator;
import ristretto.llm.generate.GeneratorOptions;
import ristretto.llm.serve.ChatServer;
import ristretto.llm.serve.ServerOptions;

/** The command {@code serve}: a server with the interface of OpenAI. */
@Command(
    name = "./ristretto serve",
    sortOptions = false,
    separator = " ",
    description = "Serves a model with the interface of OpenAI until Ctrl-C or SIGTERM.")
public final class Serve implements Callable<Integer> {
  @Mixin private ModelOptions model = new ModelOptions();

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      description = "address to listen on; default: 127.0.0.1, which other machines cannot reach")
  private String host = ServerOptions.DEFAULT.host();

  @Option(names = "--port", paramLabel = "N", description = "port; default: 8080")
  private int port = ServerOptions.DEFAULT.port();

  @Option(
      names = "--parallel",
      paramLabel = "N",
      description = "most answers that are generated together; default: 8")
  private int parallel = 8;

  @Option(
      names = "--cache-tokens",
      paramLabel = "TOKENS",
      description = "tokens of all conversations that are kept; default: 4 times --context")
  private Integer cacheTokens;

  @Option(
      names = "--requests",
      paramLabel = "N",
      description = "most requests at a time, including those that wait; default: 128")
  private int requests = ServerOptions.DEFAULT.requests();

  @Option(
      names = "--body-bytes",
      paramLabel = "N",
      description = "most bytes of a request; default: 1048576")
  private int bodyBytes = ServerOptions.DEFAULT.bodyBytes();

  @Option(
      names = "--tokens",
      paramLabel = "N",
      description = "most tokens of an answer; default: 4096")
  private int most = ServerOptions.DEFAULT.answerTokens();

  @Option(
      names = "--time-limit",
      paramLabel = "SECONDS",
      description = "most time of a request; default: 600")
  private int seconds = (int) ServerOptions.DEFAULT.time().toSeconds();

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "show this text")
  boolean help;

  /** Runs the command. */
  public static void main(String[] args) {
    Commands.run(new Serve(), args);
  }

  @Override
  public Integer call() throws IOException {
    // Connections of clients that send or read too slowly are closed.
    System.setProperty("sun.net.httpserver.maxReqTime", "30");
    System.setProperty("sun.net.httpserver.maxRspTime", Integer.toString(seconds + 10));
    var stop = new CountDownLatch(1);
    var stopped = new CountDownLatch(1);
    try (Context ctx = model.open()) {
      LanguageModel opened = LanguageModel.open(ctx, model.file);
      GeneratorOptions one = model.sizes(opened);
      int kept = cacheTokens == null ? Math.multiplyExact(4, one.longest()) : cacheTokens;
      var generator = new Generator(opened, one.sequences(parallel).cacheTokens(kept));
      var options =
          new ServerOptions(host, port, requests, bodyBytes, most, Duration.ofSeconds(seconds));
      String name = model.file.getFileName().toString().replaceFirst("\\.gguf$", "");
      try (ChatServer server = new ChatServer(generator, name, options)) {
        Runtime.getRuntime()
            .addShutdownHook(
                new Thread(() -> {
                  stop.countDown();
                  await(stopped);
                }));
        System.err.println("ristretto: " + name + " at " + server.address() + "; Ctrl-C stops");
        await(stop);
        System.err.println("ristretto: stopping; requests in progress have 10 s");
      }
    } finally {
      stopped.countDown();
    }
    return 0;
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
