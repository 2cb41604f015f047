// The Mandelbrot set: a Java method with a loop is compiled to one kernel over all pixels.
//
//   ./ristretto run examples/Mandelbrot.java [--quick] [--out FILE.png]

import module ristretto.expr;
import static ristretto.expr.Ops.*;
import java.awt.image.BufferedImage;
import javax.imageio.ImageIO;

void main(String[] args) {
  var options = Options.of(args);
  int width = options.quick ? 480 : 1920;
  int height = width * 9 / 16;
  int limit = options.quick ? 300 : 2000;
  double span = 2.4; // of the imaginary axis
  try (var ctx = Context.open()) {
    double half = span / 2 * width / height;
    Tensor<F32> re = ctx.linspace(F32, -0.7 - half, -0.7 + half, width);
    Tensor<F32> im = ctx.linspace(F32, span / 2, -span / 2, height).unsqueeze(1);
    Tensor<F32> steps = ctx.empty(F32, height, width);
    Tensor<I32> colors = ctx.empty(I32, height, width);

    // A row of real parts and a column of imaginary parts broadcast to a picture.
    long before = ctx.stats().launches();
    long start = System.nanoTime();
    ctx.assign(steps, map(re, im, (x, y) -> escape(x, y, limit)));
    ctx.assign(colors, map(I32, steps, n -> color(n, limit)));
    int[] pixels = colors.toIntArray();
    double seconds = (System.nanoTime() - start) / 1e9;
    long kernels = ctx.stats().launches() - before;

    var image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
    image.setRGB(0, 0, width, height, pixels, 0, width);
    Path file = options.write(image);

    double inside = ctx.eval(mean(steps.ge(limit).cast(F64))).item();
    double area = inside * span * 2 * half;
    IO.println(
        String.format(
            Locale.ROOT,
            "%d x %d pixels, at most %d steps each, in %.2f s with %d kernels: %s",
            width,
            height,
            limit,
            seconds,
            kernels,
            file));
    IO.println(
        String.format(
            Locale.ROOT, "The set's area is about %.3f (1.507 by large computations)", area));
    IO.println(
        String.format(
            Locale.ROOT, "result: area=%.4f kernels=%d seconds=%.3f", area, kernels, seconds));
  }
}

/// Number of steps until z -> z*z + c leaves the circle of radius 16, with a fraction for smooth
/// colors; `limit` if z stays inside.
static float escape(float re, float im, int limit) {
  float x = 0;
  float y = 0;
  for (int n = 0; n < limit; n++) {
    float xx = x * x;
    float yy = y * y;
    if (xx + yy > 256f) {
      float log = (float) Math.log(xx + yy) * 0.5f;
      return n + 1 - (float) (Math.log(log) / Math.log(2));
    }
    y = 2 * x * y + im;
    x = xx - yy + re;
  }
  return limit;
}

/// Colors: black inside, three waves of light outside.
static int color(float steps, int limit) {
  if (steps >= limit) {
    return 0;
  }
  float t = 0.16f * (float) Math.sqrt(Math.max(steps, 0f));
  return wave(t * 5 + 3.3f) << 16 | wave(t * 5 + 3.9f) << 8 | wave(t * 5 + 4.7f);
}

static int wave(float t) {
  return (int) (127.5f - 127.5f * (float) Math.cos(t));
}

/// Parses --quick and --out FILE; other arguments end the program with exit code 2.
record Options(boolean quick, Path out) {
  static Options of(String[] args) {
    boolean quick = false;
    Path out = Path.of("out", "mandelbrot.png");
    for (int k = 0; k < args.length; k++) {
      if (args[k].equals("--quick")) {
        quick = true;
      } else if (args[k].equals("--out") && k + 1 < args.length) {
        out = Path.of(args[++k]);
      } else {
        System.err.println("Mandelbrot takes --quick and --out FILE.png; got " + args[k]);
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
