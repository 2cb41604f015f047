package ristretto.jmh.llm;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.ToDoubleFunction;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.llm.LanguageModel;
import ristretto.llm.generate.Generation;
import ristretto.llm.generate.Generator;
import ristretto.llm.generate.GeneratorOptions;
import ristretto.llm.generate.Request;
import ristretto.llm.generate.Sampling;
import ristretto.llm.gguf.Gguf;

/**
 * Measures a model in this process and prints a line. Arguments: the device, the file, and the
 * number of rounds.
 */
final class LanguageServer {
  static final int PROMPT = 512;
  static final int BATCH = 16;
  private static final int SHORT_PROMPT = 16;
  private static final int TOKENS = 48;
  private static final long READ_BYTES = 256L << 20;
  private static final long READ_NANOS = 3_000_000_000L;

  private final Generator generator;
  private final Random random = new Random(1);

  private LanguageServer(LanguageModel model) {
    var sizes = new GeneratorOptions(BATCH, PROMPT + 64, 2 * (PROMPT + 64) + BATCH * 80, PROMPT);
    generator = new Generator(model, sizes);
  }

  public static void main(String[] args) {
    Path file = Path.of(args[1]);
    int rounds = Integer.parseInt(args[2]);
    try (Context ctx = Context.open(args[0])) {
      long start = System.nanoTime();
      LanguageModel model = LanguageModel.open(ctx, file);
      var server = new LanguageServer(model);
      server.submit(1, SHORT_PROMPT, 1).getFirst().await();
      double first = (System.nanoTime() - start) / 1e6;
      double decode = best(rounds, s -> s.decode(1), server);
      double prefill = best(rounds, LanguageServer::prefill, server);
      double batch = best(rounds, s -> s.decode(BATCH), server);
      System.out.printf(
          Locale.ROOT,
          "%.1f %.3f %.3f %.3f %d %.3f%n",
          first,
          decode,
          prefill,
          batch,
          bytesOfToken(file),
          readSpeed(ctx));
    }
  }

  private static double best(
      int rounds, ToDoubleFunction<LanguageServer> measured, LanguageServer server) {
    double best = 0;
    for (int k = 0; k <= rounds; k++) {
      double speed = measured.applyAsDouble(server);
      // The first round compiles.
      best = k == 0 ? 0 : Math.max(best, speed);
    }
    return best;
  }

  private List<Generation> submit(int requests, int prompt, int tokens) {
    var all = new ArrayList<Generation>();
    int known = Math.toIntExact(generator.model().network().vocabulary());
    for (int k = 0; k < requests; k++) {
      List<Integer> some = random.ints(prompt, 3, known).boxed().toList();
      all.add(generator.submit(new Request(some, Sampling.GREEDY, tokens), _ -> {}));
    }
    return all;
  }

  private static int written(List<Generation> all) {
    return all.stream().mapToInt(g -> g.tokens().size()).sum();
  }

  /** Tokens a second of requests that are written together. */
  private double decode(int requests) {
    List<Generation> all = submit(requests, SHORT_PROMPT, TOKENS);
    while (all.stream().anyMatch(g -> g.tokens().isEmpty() && g.ending().isEmpty())) {
      generator.step();
    }
    int before = written(all);
    long start = System.nanoTime();
    while (generator.step()) {}
    return (written(all) - before) / ((System.nanoTime() - start) / 1e9);
  }

  /** Tokens a second of a prompt. */
  private double prefill() {
    List<Generation> all = submit(1, PROMPT, 1);
    long start = System.nanoTime();
    while (generator.step()) {}
    return all.getFirst().request().prompt().size() / ((System.nanoTime() - start) / 1e9);
  }

  /** Bytes of weights that a token reads: all but the table, unless it is also the output. */
  private static long bytesOfToken(Path file) {
    try (Gguf gguf = Gguf.open(file)) {
      boolean tied = !gguf.tensors().containsKey("output.weight");
      return gguf.tensors().values().stream()
          .filter(t -> tied || !t.name().equals("token_embd.weight"))
          .mapToLong(t -> t.data().byteSize())
          .sum();
    }
  }

  /** Speed at which the device reads memory, in bytes a second. */
  private static double readSpeed(Context ctx) {
    Tensor<F32> much = ctx.ones(Ops.F32, READ_BYTES / 4);
    double best = 0;
    long end = System.nanoTime() + READ_NANOS;
    for (long start = System.nanoTime(); start < end; ) {
      ctx.eval(Ops.sum(much)).item();
      long now = System.nanoTime();
      best = Math.max(best, READ_BYTES / ((now - start) / 1e9));
      start = now;
    }
    return best;
  }
}
