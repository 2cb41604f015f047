// Heat spreads through a plate with a hot upper edge and cold other edges. Each step adds to each
// inner point a fraction of the difference from its neighbours; the neighbours are shifted views of
// the same tensor, which is updated in place.
//
// The target overlaps its operands, so the engine computes into a temporary first, as the printed
// plan shows. At the end the middle has a quarter of the hot edge's temperature.
//
//   ./ristretto run examples/HeatEquation.java [--quick] [--out FILE.png]

import module ristretto.expr;
import static ristretto.expr.Ops.*;
import java.awt.image.BufferedImage;
import javax.imageio.ImageIO;

void main(String[] args) {
  var options = Options.of(args);
  int n = options.quick ? 33 : 129;
  int steps = options.quick ? 3_000 : 40_000;
  try (var ctx = Context.open()) {
    Tensor<F32> u = ctx.zeros(F32, n, n);
    ctx.assign(u.slice(at(0)), scalar(F32, 1));

    Tensor<F32> inner = u.slice(range(1, -1), range(1, -1));
    Tensor<F32> up = u.slice(range(0, -2), range(1, -1));
    Tensor<F32> down = u.slice(from(2), range(1, -1));
    Tensor<F32> left = u.slice(range(1, -1), range(0, -2));
    Tensor<F32> right = u.slice(range(1, -1), from(2));
    Expr<F32> change = up.plus(down).plus(left).plus(right).minus(inner.times(4)).times(0.24);

    Program step = ctx.record(() -> ctx.assignAdd(inner, change));
    IO.println(step);
    Tensor<F32> middle = u.slice(at(n / 2), at(n / 2));
    long start = System.nanoTime();
    for (int k = 1; k <= steps; k++) {
      step.run();
      if (k % (steps / 5) == 0) {
        IO.println(String.format(Locale.ROOT, "step %,7d  middle %.5f", k, middle.item()));
      }
    }
    double us = (System.nanoTime() - start) / 1e3 / steps;

    Path file = options.write(picture(u, n, Math.max(1, 512 / n)));
    IO.println(
        String.format(
            Locale.ROOT,
            "%d x %d points, %.1f us a step with %d kernels: %s",
            n,
            n,
            us,
            step.kernelCount(),
            file));
    IO.println(
        String.format(
            Locale.ROOT,
            "result: middle=%.5f steps=%d kernels=%d us_per_step=%.2f",
            middle.item(),
            steps,
            step.kernelCount(),
            us));
  }
}

/// Black, red, yellow, white, with lines of equal temperature.
static BufferedImage picture(Tensor<F32> u, int n, int scale) {
  float[] heat = u.toFloatArray();
  var image = new BufferedImage(n * scale, n * scale, BufferedImage.TYPE_INT_RGB);
  for (int y = 0; y < n * scale; y++) {
    for (int x = 0; x < n * scale; x++) {
      float v = heat[y / scale * n + x / scale] * 3;
      int rgb = level(v) << 16 | level(v - 1) << 8 | level(v - 2);
      image.setRGB(x, y, rgb);
    }
  }
  return image;
}

static int level(float v) {
  return (int) (255 * Math.clamp(v, 0f, 1f));
}

/// Parses --quick and --out FILE; other arguments end the program with exit code 2.
record Options(boolean quick, Path out) {
  static Options of(String[] args) {
    boolean quick = false;
    Path out = Path.of("out", "heat.png");
    for (int k = 0; k < args.length; k++) {
      if (args[k].equals("--quick")) {
        quick = true;
      } else if (args[k].equals("--out") && k + 1 < args.length) {
        out = Path.of(args[++k]);
      } else {
        System.err.println("HeatEquation takes --quick and --out FILE.png; got " + args[k]);
        System.exit(2);
      }
    }
    return new Options(quick, out);
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
}
