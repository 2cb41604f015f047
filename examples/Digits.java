// What fusion saves, and a classifier of spoken digits: softmax regression on 600 utterances,
// tested
// on 180 utterances of other speakers. Each utterance is eight segments of 20 features (MFCCs).
//
//   ./ristretto run examples/Digits.java [--quick] [--data FILE.npz] [--out DIR]

import module ristretto.expr;
import module ristretto.plot;
import static ristretto.expr.Ops.*;
import java.lang.foreign.*;

static final int STEPS = 300;
static final double RATE = 0.5;

void main(String[] args) throws Exception {
  var options = Options.of(args);
  try (var ctx = Context.open()) {
    String speed = fusion(ctx, options.quick ? 1 << 20 : 1 << 24, options.out);
    String accuracy = digits(ctx, options);
    IO.println("result: " + accuracy + " " + speed);
  }
}

/// Measures a formula of six operations: with a kernel for each, fused, and written as loops.
static String fusion(Context ctx, int n, Path out) throws Exception {
  Tensor<F32> x = ctx.linspace(F32, -8, 8, n), g = ctx.full(F32, 0.5, n), r = ctx.ones(F32, n);
  Tensor<F32> y = ctx.empty(F32, n);
  Expr<F32> formula = x.div(exp(x.neg()).plus(1)).times(g).plus(r);
  Runnable fused = () -> ctx.assign(y, formula);

  Tensor<F32> t = ctx.empty(F32, n);
  Runnable unfused =
      () -> {
        ctx.assign(t, x.neg());
        ctx.assign(t, exp(t));
        ctx.assign(t, t.plus(1));
        ctx.assign(t, x.div(t));
        ctx.assign(t, t.times(g));
        ctx.assign(t, t.plus(r));
      };

  IO.println("y = x / (1 + exp(-x)) * g + r with " + n + " floats on " + ctx.device());
  var times = new LinkedHashMap<String, Double>();
  times.put("a kernel per operation", bench("a kernel per operation", unfused).median());
  times.put("fused", bench("fused", fused).median());
  float[] xs = x.toFloatArray(), gs = g.toFloatArray(), rs = r.toFloatArray(), ys = new float[n];
  times.put("Java loop", bench("Java loop", () -> javaLoop(xs, gs, rs, ys)).median());
  Runnable c = cLoop(xs, gs, rs, ys);
  if (c != null) {
    times.put("C, gcc -O3, OpenMP", bench("C, gcc -O3, OpenMP", c).median());
  }

  double longest = Collections.max(times.values());
  times.forEach((name, seconds) -> {
    String bar = "#".repeat((int) Math.max(1, Math.rint(50 * seconds / longest)));
    IO.println(String.format(Locale.ROOT, "%22s %-50s %8.2f ms", name, bar, 1e3 * seconds));
  });
  Path chart = out.resolve("fusion.png");
  double[] milliseconds = times.values().stream().mapToDouble(v -> 1e3 * v).toArray();
  Plot.bars(List.copyOf(times.keySet()), milliseconds)
      .title("x / (1 + exp(-x)) * g + r, " + n + " floats")
      .xLabel("milliseconds")
      .size(800, 300)
      .save(chart);
  IO.println("the chart: " + chart + "; the kernel that was generated for the formula:");
  Plan plan = ctx.explain(y, formula);
  plan.ir().lines().filter(line -> line.contains("%")).forEach(IO::println);
  long kernels = ctx.stats().launches();
  unfused.run();
  kernels = ctx.stats().launches() - kernels;
  return String.format(
      Locale.ROOT,
      "kernels_fused=%s kernels_unfused=%s speedup=%.2f",
      plan.kernelCount(),
      kernels,
      times.get("a kernel per operation") / times.get("fused"));
}

/// Trains and tests the classifier.
static String digits(Context ctx, Options options) {
  var data = ctx.loadAll(options.data);
  Tensor<F32> x = data.get("x_train").as(F32), xTest = data.get("x_test").as(F32);
  Tensor<I32> y = data.get("y_train").as(I32), yTest = data.get("y_test").as(I32);
  Tensor<F32> w = ctx.zeros(F32, 160, 10), b = ctx.zeros(F32, 10);
  Tensor<F32> wanted = ctx.eval(oneHot(y, 10)), error = ctx.empty(F32, wanted.shape());
  for (int k = 1; k <= STEPS; k++) {
    Expr<F32> difference = softmax(dot(x, w).plus(b), 1).minus(wanted);
    ctx.assign(error, difference.times(RATE / x.shape().dim(0)));
    ctx.assignSub(w, dot(x.t(), error));
    ctx.assignSub(b, sum(error, 0));
    if (k == 1 || k % 100 == 0) {
      Expr<F32> likelihood = sum(wanted.times(logSoftmax(dot(x, w).plus(b), 1)), 1);
      double loss = -ctx.eval(mean(likelihood)).item();
      IO.println(String.format(Locale.ROOT, "step %3d  loss %.4f", k, loss));
    }
  }
  Path picture = options.out.resolve("digits.png");
  var tiles = new Plot[10];
  for (int d = 0; d < 10; d++) {
    Expr<F32> tile = w.slice(all(), at(d)).reshape(8, 20).t();
    tiles[d] = Plot.heatMap(tile).title("\"" + d + "\"").xLabel("segment").yLabel("feature");
  }
  Plot.grid(2, 5, tiles).title("weights of each digit").size(1800, 1000).save(picture);
  IO.println("the weights as a picture: " + picture);
  return String.format(
      Locale.ROOT,
      "test_accuracy=%.4f train_accuracy=%.4f",
      accuracy(ctx, xTest, yTest, w, b),
      accuracy(ctx, x, y, w, b));
}

/// Fraction of the rows of `x[n,160]` whose largest output is at the spoken digit.
static double accuracy(Context ctx, Tensor<F32> x, Tensor<I32> y, Tensor<F32> w, Tensor<F32> b) {
  Expr<I32> guess = argMax(dot(x, w).plus(b), 1).cast(I32);
  return ctx.eval(mean(guess.eq(y).cast(F64))).item();
}

static void javaLoop(float[] x, float[] g, float[] r, float[] y) {
  for (int k = 0; k < y.length; k++) {
    y[k] = x[k] / (1 + (float) Math.exp(-x[k])) * g[k] + r[k];
  }
}

/// The loop in C, or null without gcc.
static Runnable cLoop(float[] x, float[] g, float[] r, float[] y) throws Exception {
  String source =
      """
      #include <math.h>
      void loop(long n, const float *x, const float *g, const float *r, float *y) {
        #pragma omp parallel for simd
        for (long k = 0; k < n; k++) y[k] = x[k] / (1 + expf(-x[k])) * g[k] + r[k];
      }
      """;
  Path folder = Files.createTempDirectory("digits");
  Path file = Files.writeString(folder.resolve("loop.c"), source);
  Path library = folder.resolve("loop.so");
  String options = "-O3 -march=native -ffast-math -fopenmp -shared -fPIC";
  String[] command = ("gcc " + options + " -o " + library + " " + file + " -lm").split(" ");
  try {
    if (new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() != 0) {
      return null;
    }
    var where = SymbolLookup.libraryLookup(library, Arena.global()).find("loop").orElseThrow();
    var pointer = ValueLayout.ADDRESS;
    var type = FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG, pointer, pointer, pointer, pointer);
    var loop = Linker.nativeLinker().downcallHandle(where, type, Linker.Option.critical(true));
    var arrays = Stream.of(x, g, r, y).map(MemorySegment::ofArray).toList();
    return () -> {
      try {
        loop.invoke((long) y.length, arrays.get(0), arrays.get(1), arrays.get(2), arrays.get(3));
      } catch (Throwable e) {
        throw new IllegalStateException(e);
      }
    };
  } catch (IOException _) {
    return null;
  } finally {
    Files.deleteIfExists(library);
    Files.delete(file);
    Files.delete(folder);
  }
}

/// Parses --quick, --data FILE and --out DIR; other arguments end the program with exit code 2.
record Options(boolean quick, Path data, Path out) {
  static Options of(String[] args) throws IOException {
    var words = new ArrayDeque<String>(List.of(args));
    boolean quick = false;
    Path data = Path.of("examples", "data", "digits.npz");
    Path out = Path.of("out");
    while (!words.isEmpty()) {
      String word = words.poll();
      if (word.equals("--quick")) {
        quick = true;
      } else if (word.equals("--data") && !words.isEmpty()) {
        data = Path.of(words.poll());
      } else if (word.equals("--out") && !words.isEmpty()) {
        out = Path.of(words.poll());
      } else {
        wrong("Digits takes --quick, --data FILE.npz and --out DIR; got " + word);
      }
    }
    if (!Files.isReadable(data)) {
      wrong("cannot read " + data + "; run it in the repository's folder or give --data FILE.npz");
    }
    Files.createDirectories(out);
    return new Options(quick, data, out);
  }

  private static void wrong(String message) {
    System.err.println(message);
    System.exit(2);
  }
}
