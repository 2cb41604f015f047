// Classifies spoken digits by softmax regression on 600 utterances, tested on 180 utterances of
// other speakers. Each utterance is eight segments of 20 features (MFCCs).
//
// A training step is written as formulas. The engine compiles it to a few kernels; for comparison,
// the step also runs with one assignment per operation.
//
//   ./ristretto run examples/Digits.java [--quick] [--data FILE.npz] [--out FILE.png]

import module ristretto.expr;
import static ristretto.expr.Ops.*;
import java.awt.image.BufferedImage;
import javax.imageio.ImageIO;

static final int STEPS = 300;
static final double RATE = 0.5;

void main(String[] args) {
  var options = Options.of(args);
  try (var ctx = Context.open()) {
    var data = ctx.loadAll(options.data);
    Tensor<F32> x = data.get("x_train").as(F32);
    Tensor<I32> y = data.get("y_train").as(I32);
    Tensor<F32> xTest = data.get("x_test").as(F32);
    Tensor<I32> yTest = data.get("y_test").as(I32);
    Tensor<F32> wanted = ctx.eval(oneHot(y, 10));
    Tensor<F32> w = ctx.zeros(F32, x.shape().dim(1), 10);
    Tensor<F32> b = ctx.zeros(F32, 10);
    Tensor<F32> error = ctx.empty(F32, wanted.shape());

    // One step of gradient descent: three assignments.
    double scale = RATE / x.shape().dim(0);
    Runnable step =
        () -> {
          ctx.assign(error, softmax(dot(x, w).plus(b), 1).minus(wanted).times(scale));
          ctx.assignSub(w, dot(x.t(), error));
          ctx.assignSub(b, sum(error, 0));
        };

    for (int k = 1; k <= STEPS; k++) {
      step.run();
      if (k == 1 || k % 50 == 0) {
        Expr<F32> logProbability = sum(wanted.times(logSoftmax(dot(x, w).plus(b), 1)), 1);
        double loss = -ctx.eval(mean(logProbability)).item();
        IO.println(
            String.format(
                Locale.ROOT,
                "step %3d  loss %.4f  train accuracy %.4f",
                k,
                loss,
                accuracy(ctx, x, y, w, b)));
      }
    }
    double trainAccuracy = accuracy(ctx, x, y, w, b);
    double testAccuracy = accuracy(ctx, xTest, yTest, w, b);
    IO.println(
        String.format(
            Locale.ROOT, "train accuracy %.4f, test accuracy %.4f", trainAccuracy, testAccuracy));
    IO.println("weights as a picture: " + options.write(picture(w)));

    Runnable unfused = unfusedStep(ctx, x, wanted, scale);
    long fusedKernels = kernels(ctx, step);
    long unfusedKernels = kernels(ctx, unfused);
    double[] seconds = bestSeconds(ctx, options.quick ? 2 : 3, step, unfused);
    IO.println(
        String.format(
            Locale.ROOT, "a step fused:   %2d kernels, %6.0f us", fusedKernels, 1e6 * seconds[0]));
    IO.println(
        String.format(
            Locale.ROOT,
            "a step unfused: %2d kernels, %6.0f us",
            unfusedKernels,
            1e6 * seconds[1]));
    IO.println(
        String.format(
            Locale.ROOT,
            "result: test_accuracy=%.4f train_accuracy=%.4f kernels_fused=%d kernels_unfused=%d"
                + " speedup=%.2f",
            testAccuracy,
            trainAccuracy,
            fusedKernels,
            unfusedKernels,
            seconds[1] / seconds[0]));
  }
}

/// Fraction of the rows of `x[n,d]` whose largest output is at the spoken digit.
static double accuracy(Context ctx, Tensor<F32> x, Tensor<I32> y, Tensor<F32> w, Tensor<F32> b) {
  Expr<I32> guess = argMax(dot(x, w).plus(b), 1).cast(I32);
  return ctx.eval(mean(guess.eq(y).cast(F64))).item();
}

/// The step as in a library without fusion: each operation has its own kernel and tensor.
static Runnable unfusedStep(Context ctx, Tensor<F32> x, Tensor<F32> wanted, double scale) {
  long n = x.shape().dim(0);
  Tensor<F32> w = ctx.zeros(F32, x.shape().dim(1), 10);
  Tensor<F32> b = ctx.zeros(F32, 10);
  Tensor<F32> product = ctx.empty(F32, n, 10);
  Tensor<F32> scores = ctx.empty(F32, n, 10);
  Tensor<F32> largest = ctx.empty(F32, n, 1);
  Tensor<F32> shifted = ctx.empty(F32, n, 10);
  Tensor<F32> powers = ctx.empty(F32, n, 10);
  Tensor<F32> sums = ctx.empty(F32, n, 1);
  Tensor<F32> probabilities = ctx.empty(F32, n, 10);
  Tensor<F32> difference = ctx.empty(F32, n, 10);
  Tensor<F32> error = ctx.empty(F32, n, 10);
  Tensor<F32> wChange = ctx.empty(F32, w.shape());
  Tensor<F32> bChange = ctx.empty(F32, b.shape());
  return () -> {
    ctx.assign(product, dot(x, w));
    ctx.assign(scores, product.plus(b));
    ctx.assign(largest, max(scores, 1).keepDims());
    ctx.assign(shifted, scores.minus(largest));
    ctx.assign(powers, exp(shifted));
    ctx.assign(sums, sum(powers, 1).keepDims());
    ctx.assign(probabilities, powers.div(sums));
    ctx.assign(difference, probabilities.minus(wanted));
    ctx.assign(error, difference.times(scale));
    ctx.assign(wChange, dot(x.t(), error));
    ctx.assign(w, w.minus(wChange));
    ctx.assign(bChange, sum(error, 0));
    ctx.assign(b, b.minus(bChange));
  };
}

/// Number of kernels that `work` launches.
static long kernels(Context ctx, Runnable work) {
  long before = ctx.stats().launches();
  work.run();
  return ctx.stats().launches() - before;
}

/// Minimum seconds of each variant. Variants take turns, so that all see the same machine load,
/// until no variant has become faster for `patience` seconds: at first the JVM is still compiling.
static double[] bestSeconds(Context ctx, double patience, Runnable... variants) {
  double[] best = new double[variants.length];
  Arrays.fill(best, Double.POSITIVE_INFINITY);
  long progress = System.nanoTime();
  while (System.nanoTime() - progress < patience * 1e9) {
    for (int k = 0; k < variants.length; k++) {
      long start = System.nanoTime();
      variants[k].run();
      ctx.synchronize();
      double seconds = (System.nanoTime() - start) / 1e9;
      if (seconds < 0.95 * best[k]) {
        progress = System.nanoTime();
      }
      best[k] = Math.min(best[k], seconds);
    }
  }
  return best;
}

/// Picture of the weights: one tile per digit, 0 to 4 above 5 to 9, with time to the right and
/// features upwards. Red marks weights for the digit, blue weights against it.
static BufferedImage picture(Tensor<F32> w) {
  int times = 8;
  int features = 20;
  int cell = 12;
  float[] weights = w.toFloatArray();
  float largest = 0;
  for (float weight : weights) {
    largest = Math.max(largest, Math.abs(weight));
  }
  int tileWidth = (times + 1) * cell;
  int tileHeight = (features + 1) * cell;
  var image =
      new BufferedImage(5 * tileWidth + cell, 2 * tileHeight + cell, BufferedImage.TYPE_INT_RGB);
  for (int digit = 0; digit < 10; digit++) {
    for (int k = 0; k < times * features; k++) {
      int left = digit % 5 * tileWidth + (1 + k / features) * cell;
      int top = digit / 5 * tileHeight + (features - k % features) * cell;
      int rgb = color(weights[k * 10 + digit] / largest);
      for (int p = 0; p < cell * cell; p++) {
        image.setRGB(left + p % cell, top + p / cell, rgb);
      }
    }
  }
  return image;
}

/// White at 0, red at 1, blue at -1.
static int color(float v) {
  int fade = (int) (255 * (1 - Math.sqrt(Math.abs(v))));
  return v > 0 ? 0xff0000 | fade << 8 | fade : fade << 16 | fade << 8 | 0xff;
}

/// Parses --quick, --data FILE and --out FILE; other arguments end the program with exit code 2.
record Options(boolean quick, Path data, Path out) {
  static Options of(String[] args) {
    boolean quick = false;
    Path data = Path.of("examples", "data", "digits.npz");
    Path out = Path.of("out", "digits.png");
    for (int k = 0; k < args.length; k++) {
      if (args[k].equals("--quick")) {
        quick = true;
      } else if (args[k].equals("--data") && k + 1 < args.length) {
        data = Path.of(args[++k]);
      } else if (args[k].equals("--out") && k + 1 < args.length) {
        out = Path.of(args[++k]);
      } else {
        wrong("Digits takes --quick, --data FILE.npz and --out FILE.png; got " + args[k]);
      }
    }
    if (!Files.isReadable(data)) {
      wrong("cannot read " + data + "; run it in the repository's folder or give --data FILE.npz");
    }
    return new Options(quick, data, out);
  }

  Path write(BufferedImage image) {
    try {
      Files.createDirectories(out.toAbsolutePath().getParent());
      ImageIO.write(image, "png", out.toFile());
    } catch (IOException e) {
      System.err.println("cannot write " + out + ": " + e.getMessage());
      System.exit(2);
    }
    return out;
  }

  private static void wrong(String message) {
    System.err.println(message);
    System.exit(2);
  }
}
