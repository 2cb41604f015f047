// Classifies images with a residual network (He et al., 2016) whose parameters have the names of
// torchvision's ResNet, so that executor.load reads its weights.
//
// Without a folder, it draws circles, squares, triangles and stars; with --data, it reads the
// images of DIR/train and DIR/valid, which have a folder for each class.
//
//   ./ristretto run examples/ResNet.java [--data DIR] [--quick]

import module ristretto.expr;
import module ristretto.symbolic;
import static ristretto.expr.Ops.*;
import static ristretto.symbolic.Layers.*;
import ristretto.symbolic.Executor;
import java.awt.Color;
import java.awt.Polygon;
import java.awt.geom.AffineTransform;
import java.awt.image.BufferedImage;
import javax.imageio.ImageIO;

static final int SIZE = 24;
static final int BATCH = 20;

/// Network of two blocks per width; each width after the first halves height and width.
static Variable<F32> resnet(Variable<F32> images, long classes, long... widths) {
  Variable<F32> y = relu(conv("conv1", "bn1", images, widths[0], 3, 1));
  for (int k = 0; k < widths.length; k++) {
    y = block("layer" + (k + 1) + ".0", y, widths[k], k == 0 ? 1 : 2);
    y = block("layer" + (k + 1) + ".1", y, widths[k], 1);
  }
  return dense("fc", mean(y, 2, 3), classes);
}

/// Two convolutions, added to their input; the input of a block with strides is projected.
static Variable<F32> block(String name, Variable<F32> v, long width, long stride) {
  Variable<F32> y = relu(conv(name + ".conv1", name + ".bn1", v, width, 3, stride));
  Variable<F32> z = conv(name + ".conv2", name + ".bn2", y, width, 3, 1);
  String down = name + ".downsample.";
  return relu(z.plus(stride == 1 ? v : conv(down + "0", down + "1", v, width, 1, stride)));
}

/// Convolution without bias, then batch normalization.
static <T> Variable<T> conv(String conv, String norm, Variable<T> v, long n, long size, long step) {
  var window = Window.of(size, size).stride(step).padding(size / 2);
  return new BatchNorm(norm).of(new Conv(conv, n, window).bias(false).of(v));
}

void main(String[] args) throws IOException {
  boolean quick = List.of(args).contains("--quick");
  int given = List.of(args).indexOf("--data") + 1;
  Path folder =
      given > 0 && given < args.length
          ? Path.of(args[given])
          : drawn(Path.of("out", quick ? "few-shapes" : "shapes"), quick ? 60 : 300);
  var train = ImageFolder.of(folder.resolve("train"), SIZE, SIZE).padded(2).flipped();
  var valid = ImageFolder.of(folder.resolve("valid"), SIZE, SIZE).classes(train.classes());

  Variable<F32> image = Variable.input("image", F32, -1, 3, SIZE, SIZE);
  Variable<I32> label = Variable.input("label", I32, -1);
  Variable<F32> logits = resnet(image, train.classes().size(), 8, 16, 32);
  Variable<F32> loss = softmaxCrossEntropy(logits, label);
  try (var ctx = Context.open()) {
    var executor = new Executor(ctx, 1, logits, loss);
    int epochs = quick ? 2 : 6;
    var rate = Schedule.cosine(0.01, epochs * (train.size() / BATCH));
    var trainer = new Trainer(executor, loss, Optimizer.adamW(rate));
    trainer.metrics(new ConfusionMatrix(logits, label)).validation(new Batcher(valid, 50));
    trainer.report("ResNet", Path.of("out", "resnet"));
    History history = trainer.train(new Batcher(train, BATCH).shuffled(1).dropLast(), epochs);
    IO.println(
        String.format(
            Locale.ROOT,
            "result: valid_accuracy=%.4f parameters=%d",
            history.last("valid_accuracy"),
            executor.summary().parameters()));
  }
}

/// Draws shapes of random colours, sizes, places and angles, and returns their folder.
static Path drawn(Path folder, int perClass) throws IOException {
  var random = new SplittableRandom(1);
  for (String part : List.of("train", "valid")) {
    for (int corners : new int[] {3, 4, 5, 40}) {
      String name = Map.of(3, "triangle", 4, "square", 5, "star", 40, "circle").get(corners);
      Path of = Files.createDirectories(folder.resolve(part).resolve(name));
      for (int k = 0; k < (part.equals("train") ? perClass : 25); k++) {
        ImageIO.write(picture(corners, random), "png", of.resolve(k + ".png").toFile());
      }
    }
  }
  return folder;
}

/// Picture of a regular polygon; with five corners, a star.
static BufferedImage picture(int corners, SplittableRandom random) {
  var shape = new Polygon();
  for (int k = 0; k < corners; k++) {
    double angle = 2 * Math.PI * (corners == 5 ? 2 * k : k) / corners;
    shape.addPoint((int) (100 * Math.cos(angle)), (int) (100 * Math.sin(angle)));
  }
  var image = new BufferedImage(SIZE, SIZE, BufferedImage.TYPE_INT_RGB);
  var g = image.createGraphics();
  g.setColor(Color.getHSBColor((float) random.nextDouble(), 0.5f, 0.3f));
  g.fillRect(0, 0, SIZE, SIZE);
  var place = new AffineTransform();
  place.translate(random.nextDouble(10, SIZE - 10), random.nextDouble(10, SIZE - 10));
  place.rotate(random.nextDouble(2 * Math.PI));
  double scale = random.nextDouble(0.07, 0.11);
  place.scale(scale, scale);
  g.setColor(Color.getHSBColor((float) random.nextDouble(), 0.5f, 1));
  g.fill(place.createTransformedShape(shape));
  g.dispose();
  return image;
}
