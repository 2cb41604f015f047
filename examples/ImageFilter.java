// Sharpens a photograph: an unsharp mask and a tone curve, fused into one kernel with the second
// pass of the blur, the clamping and the packing of pixels.
//
//   ./ristretto run examples/ImageFilter.java [IMAGE] [--quick] [--out FILE.png]
//
// IMAGE is any PNG or JPEG; without one it is examples/data/lake.jpg.

import module ristretto.expr;
import static ristretto.expr.Ops.*;
import java.awt.image.BufferedImage;
import javax.imageio.ImageIO;

static final float[] GAUSS = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
static final double SHARPNESS = 1.5;
static final float CONTRAST = 0.8f;

void main(String[] args) {
  var options = Options.of(args);
  BufferedImage photo = options.read();
  int w = photo.getWidth();
  int h = photo.getHeight();
  try (var ctx = Context.open()) {
    Tensor<I32> pixels = ctx.tensor(photo.getRGB(0, 0, w, h, null, 0, w), h, w);
    Tensor<I32> filtered = ctx.empty(I32, h, w);
    // Red, green and blue as planes of numbers from 0 to 1, with two pixels more on each side.
    Tensor<I32> shifts = ctx.tensor(new int[] {16, 8, 0}, 3, 1, 1);
    Expr<F32> planes = map(F32, pixels, shifts, (p, s) -> (p >> s & 255) / 255f);
    Tensor<I32> rows = ctx.eval(clamp(ctx.arange(I32, h + 4).minus(2), 0, h - 1));
    Tensor<I32> columns = ctx.eval(clamp(ctx.arange(I32, w + 4).minus(2), 0, w - 1));
    Tensor<F32> photoPlanes = ctx.eval(take(take(planes, rows, 1), columns, 2));
    Tensor<F32> blurredRows = ctx.empty(F32, 3, h + 4, w);

    Expr<F32> across = weighted(k -> photoPlanes.slice(all(), all(), range(k, k + w)));
    Expr<F32> blurred = weighted(k -> blurredRows.slice(all(), range(k, k + h)));
    Expr<F32> plain = photoPlanes.slice(all(), range(2, h + 2), range(2, w + 2));
    Expr<F32> sharp = plain.plus(plain.minus(blurred).times(SHARPNESS));
    Expr<F32> toned = map(sharp, v -> tone(v, CONTRAST));
    Expr<I32> packed =
        map(
            I32,
            toned.slice(at(0)),
            toned.slice(at(1)),
            toned.slice(at(2)),
            (r, g, b) -> level(r) << 16 | level(g) << 8 | level(b));

    Program filter =
        ctx.record(() -> {
          ctx.assign(blurredRows, across);
          ctx.assign(filtered, packed);
        });
    double ms = 1e3 * bestSeconds(ctx, options.quick ? 2 : 3, filter::run)[0];

    var image = new BufferedImage(w, h, BufferedImage.TYPE_INT_RGB);
    image.setRGB(0, 0, w, h, filtered.toIntArray(), 0, w);
    Path file = options.write(image);
    double before = detail(ctx, pixels);
    double after = detail(ctx, filtered);
    IO.println(
        String.format(
            Locale.ROOT,
            "%d x %d pixels in %.2f ms with %d kernels: %s",
            w,
            h,
            ms,
            filter.kernelCount(),
            file));
    IO.println(
        String.format(
            Locale.ROOT, "Neighbours differ by %.4f before and %.4f after", before, after));
    IO.println(
        String.format(
            Locale.ROOT,
            "result: width=%d height=%d kernels=%d ms=%.3f detail_before=%.4f detail_after=%.4f",
            w,
            h,
            filter.kernelCount(),
            ms,
            before,
            after));
  }
}

/// The five taps of the blur along one axis.
static Expr<F32> weighted(IntFunction<Expr<F32>> shifted) {
  Expr<F32> sum = shifted.apply(0).times(GAUSS[0]);
  for (int k = 1; k < GAUSS.length; k++) {
    sum = sum.plus(shifted.apply(k).times(GAUSS[k]));
  }
  return sum;
}

/// Tone curve in the shape of an S: darker shadows, brighter lights.
static float tone(float v, float contrast) {
  float clamped = Math.min(Math.max(v, 0f), 1f);
  float curve = clamped * clamped * (3 - 2 * clamped);
  return clamped + contrast * (curve - clamped);
}

static int level(float v) {
  return (int) (v * 255f + 0.5f);
}

/// Mean difference between the green values of neighbouring pixels.
static double detail(Context ctx, Tensor<I32> pixels) {
  Expr<F32> green = map(F32, pixels, p -> (p >> 8 & 255) / 255f);
  Expr<F32> steps = green.slice(all(), from(1)).minus(green.slice(all(), range(0, -1)));
  return ctx.eval(mean(abs(steps))).item();
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

/// Parses the image, --quick and --out FILE; other arguments end the program with exit code 2.
record Options(Path image, boolean quick, Path out) {
  static Options of(String[] args) {
    Path image = Path.of("examples", "data", "lake.jpg");
    boolean quick = false;
    Path out = Path.of("out", "filtered.png");
    int images = 0;
    for (int k = 0; k < args.length; k++) {
      if (args[k].equals("--quick")) {
        quick = true;
      } else if (args[k].equals("--out") && k + 1 < args.length) {
        out = Path.of(args[++k]);
      } else if (!args[k].startsWith("-") && images++ == 0) {
        image = Path.of(args[k]);
      } else {
        wrong("ImageFilter takes IMAGE, --quick and --out FILE.png; got " + args[k]);
      }
    }
    return new Options(image, quick, out);
  }

  BufferedImage read() {
    try {
      BufferedImage read = ImageIO.read(image.toFile());
      if (read != null) {
        return read;
      }
    } catch (IOException e) {
      wrong("cannot read " + image + ": " + e.getMessage());
    }
    wrong(image + " is not a PNG or JPEG");
    return null;
  }

  Path write(BufferedImage picture) {
    try {
      Files.createDirectories(out.toAbsolutePath().getParent());
      ImageIO.write(picture, "png", out.toFile());
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
