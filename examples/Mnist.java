// Classifies digits with a multi-layer perceptron or LeNet on images of 28 by 28 pixels.
//
// With --data, it reads the files of MNIST, packed or unpacked. Without --data, it draws digits
// with the fonts of the JDK, rotated, sheared, scaled, shifted and noisy: 60,000 for training and
// 10,000 for testing, from a seeded generator.
//
//   ./ristretto run examples/Mnist.java [--model mlp|lenet] [--data DIR] [--epochs N] [--out DIR]
// [--quick]

import module ristretto.symbolic;
import module ristretto.expr;
import static ristretto.expr.Ops.*;
import static ristretto.symbolic.Layers.*;
import ristretto.symbolic.Executor;
import java.awt.Font;
import java.awt.GraphicsEnvironment;
import java.awt.RenderingHints;
import java.awt.geom.AffineTransform;
import java.awt.image.BufferedImage;
import java.awt.image.DataBufferByte;

static final int SIZE = 28;
static final int BATCH = 100;

void main(String[] args) {
  var options = Options.of(args);
  Dataset train =
      options.data == null ? drawn(1, options.quick ? 2_000 : 60_000) : options.mnist("train");
  Dataset test =
      options.data == null ? drawn(2, options.quick ? 500 : 10_000) : options.mnist("t10k");

  Variable<F32> images = Variable.input("images", F32, -1, SIZE, SIZE);
  Variable<I32> labels = Variable.input("labels", I32, -1);
  Variable<F32> logits = options.model.equals("mlp") ? mlp(images) : lenet(images);
  Variable<F32> loss = softmaxCrossEntropy(logits, labels);

  try (var ctx = Context.open()) {
    long steps = options.epochs * (train.size() / BATCH);
    var optimizer = Optimizer.adamW(Schedule.cosine(0.002, steps), 0.9, 0.999, 1e-8, 0.01);
    var trainer = new Trainer(new Executor(ctx, 1, logits, loss), loss, optimizer);
    trainer.metrics(new ConfusionMatrix(logits, labels));
    trainer.validation(new Batcher(test, 1000));
    if (options.out != null) {
      trainer.checkpoints(options.out).report("Digits: " + options.model, options.out);
    }
    // With --out, training continues where an earlier run was interrupted.
    var epochs = new AtomicInteger();
    trainer.afterEpoch(_ -> epochs.incrementAndGet());
    long start = System.nanoTime();
    History history =
        trainer.train(new Batcher(train, BATCH).shuffled(1).dropLast(), options.epochs);
    double seconds = (System.nanoTime() - start) / 1e9;
    IO.println(
        String.format(
            Locale.ROOT,
            "result: test_accuracy=%.4f samples_per_second=%.0f",
            history.last("valid_accuracy"),
            epochs.get() * (double) train.size() / seconds));
  }
}

/// Perceptron with layers of 784, 128, 64 and 10 units.
static Variable<F32> mlp(Variable<F32> images) {
  Variable<F32> h1 = relu(dense("fc1", flatten(images), 128));
  Variable<F32> h2 = relu(dense("fc2", h1, 64));
  return dense("fc3", h2, 10);
}

/// LeNet-5 (LeCun et al., 1998) with ReLU and max pooling instead of the original functions.
static Variable<F32> lenet(Variable<F32> images) {
  Variable<F32> x = reshape(images, -1, 1, SIZE, SIZE);
  Variable<F32> c1 = maxPool(relu(conv("c1", x, 6, Window.of(5, 5).padding(2, 2))), pairs());
  Variable<F32> c2 = maxPool(relu(conv("c2", c1, 16, Window.of(5, 5))), pairs());
  Variable<F32> h1 = relu(dense("fc1", flatten(c2), 120));
  Variable<F32> h2 = relu(dense("fc2", h1, 84));
  return dense("fc3", h2, 10);
}

static Window pairs() {
  return Window.of(2, 2).stride(2, 2);
}

/// Data set of `n` random digits.
static Dataset drawn(long seed, int n) {
  var fonts = fonts();
  var random = new SplittableRandom(seed);
  byte[] pixels = new byte[n * SIZE * SIZE];
  int[] labels = new int[n];
  var image = new BufferedImage(SIZE, SIZE, BufferedImage.TYPE_BYTE_GRAY);
  byte[] raster = ((DataBufferByte) image.getRaster().getDataBuffer()).getData();
  var g = image.createGraphics();
  g.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
  for (int k = 0; k < n; k++) {
    labels[k] = k % 10;
    Arrays.fill(raster, (byte) 0);
    var font = fonts.get(random.nextInt(fonts.size()));
    var shape =
        font.createGlyphVector(g.getFontRenderContext(), Integer.toString(labels[k])).getOutline();
    var box = shape.getBounds2D();
    var place = new AffineTransform();
    place.translate(SIZE / 2.0 + random.nextDouble(-2, 2), SIZE / 2.0 + random.nextDouble(-2, 2));
    place.rotate(random.nextDouble(-0.25, 0.25));
    place.shear(random.nextDouble(-0.2, 0.2), 0);
    double scale = random.nextDouble(17, 23) / box.getHeight();
    place.scale(scale * random.nextDouble(0.8, 1.2), scale);
    place.translate(-box.getCenterX(), -box.getCenterY());
    g.fill(place.createTransformedShape(shape));
    for (int p = 0; p < raster.length; p++) {
      double light = (raster[p] & 0xff) + 25 * random.nextGaussian();
      pixels[k * raster.length + p] = (byte) Math.clamp(Math.round(light), 0, 255);
    }
  }
  return new Images(pixels, labels);
}

/// All fonts that draw ten different digits, with their italic and bold styles, ordered by name.
static List<Font> fonts() {
  System.setProperty("java.awt.headless", "true");
  var fonts = new ArrayList<Font>();
  var names = GraphicsEnvironment.getLocalGraphicsEnvironment().getAvailableFontFamilyNames();
  for (String name : names) {
    for (int style : new int[] {Font.PLAIN, Font.BOLD, Font.ITALIC}) {
      var font = new Font(name, style, 100);
      if (font.canDisplayUpTo("0123456789") < 0) {
        fonts.add(font);
      }
    }
  }
  if (fonts.isEmpty()) {
    wrong("no font with digits was found: install one, such as fonts-dejavu, or give --data DIR");
  }
  return fonts;
}

/// Data set whose pixels are stored as bytes and read as numbers from 0 to 1.
record Images(byte[] pixels, int[] labels) implements Dataset {
  @Override
  public List<Dataset.Field> fields() {
    return List.of(
        new Dataset.Field("images", F32, Shape.of(SIZE, SIZE)),
        new Dataset.Field("labels", I32, Shape.of()));
  }

  @Override
  public long size() {
    return labels.length;
  }

  @Override
  public void read(int field, long example, MemorySegment to) {
    if (field == 1) {
      to.set(ValueLayout.JAVA_INT_UNALIGNED, 0, labels[(int) example]);
      return;
    }
    for (int p = 0; p < SIZE * SIZE; p++) {
      float light = (pixels[(int) example * SIZE * SIZE + p] & 0xff) / 255f;
      to.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, p, light);
    }
  }
}

/// Parses the command line; unknown arguments end the program with exit code 2.
record Options(String model, Path data, int epochs, Path out, boolean quick) {
  static Options of(String[] args) {
    String model = "lenet";
    Path data = null;
    Path out = null;
    int epochs = 0;
    boolean quick = false;
    for (int k = 0; k < args.length; k++) {
      boolean more = k + 1 < args.length;
      if (args[k].equals("--quick")) {
        quick = true;
      } else if (args[k].equals("--model")
          && more
          && List.of("mlp", "lenet").contains(args[k + 1])) {
        model = args[++k];
      } else if (args[k].equals("--data") && more) {
        data = Path.of(args[++k]);
      } else if (args[k].equals("--out") && more) {
        out = Path.of(args[++k]);
      } else if (args[k].equals("--epochs") && more && args[k + 1].matches("[1-9]\\d{0,3}")) {
        epochs = Integer.parseInt(args[++k]);
      } else {
        wrong(
            "Mnist takes --model mlp|lenet, --data DIR, --epochs N, --out DIR and --quick; got "
                + String.join(" ", args));
      }
    }
    return new Options(
        model, data, epochs > 0 ? epochs : quick || data == null ? 2 : 8, out, quick);
  }

  /// The files of a part of MNIST, under the names that they are published with.
  Dataset mnist(String part) {
    return Dataset.idx(file(part + "-images-idx3-ubyte"), file(part + "-labels-idx1-ubyte"));
  }

  private Path file(String name) {
    Path packed = data.resolve(name + ".gz");
    return Files.exists(packed) ? packed : data.resolve(name);
  }
}

static void wrong(String message) {
  System.err.println(message);
  System.exit(2);
}
