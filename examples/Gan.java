// Trains a generative adversarial network (Goodfellow et al., 2014) on points around a ring of
// eight centers. Two optimizers of one executor each update their own network. The generated points
// are drawn to out/gan.png.
//
//   ./ristretto run examples/Gan.java [--quick]

import module ristretto.expr;
import module ristretto.symbolic;
import static ristretto.expr.Ops.*;
import static ristretto.symbolic.Layers.*;
import ristretto.symbolic.Executor;
import java.awt.image.BufferedImage;
import javax.imageio.ImageIO;

static Layer mlp(String name, long units) {
  var first = Sequential.of(new Dense(name + ".0", 64), Layers::relu);
  var second = Sequential.of(new Dense(name + ".1", 64), Layers::relu);
  return Sequential.of(first, second, new Dense(name + ".2", units));
}

/// Points near the centers, `[256, 2]`.
static Expr<F32> ring(Seed seed) {
  Expr<F32> angle = floor(uniform(F32, seed, 256).times(8)).times(Math.PI / 4);
  return stack(1, cos(angle), sin(angle)).plus(normal(F32, seed.fold(1), 256, 2).times(0.05));
}

void main(String[] args) throws IOException {
  Variable<F32> noise = Variable.input("noise", F32, -1, 8);
  Variable<F32> real = Variable.input("real", F32, -1, 2);
  var discriminator = mlp("discriminator", 1);
  Variable<F32> fake = mlp("generator", 2).of(noise);
  Variable<F32> onFake = discriminator.of(fake);
  // The cross-entropies of logits: softplus(-z) of targets 1, softplus(z) of targets 0.
  Variable<F32> lossD = mean(softplus(discriminator.of(real).neg()).plus(softplus(onFake)));
  Variable<F32> lossG = mean(softplus(onFake.neg()));

  try (var ctx = Context.open()) {
    var executor = new Executor(ctx, 1, fake, lossD, lossG);
    Optimizer optimizerD = Optimizer.adam(0.001).only("discriminator.*");
    Optimizer optimizerG = Optimizer.adam(0.001).only("generator.*");
    for (int k = 0; k < (args.length > 0 ? 1000 : 5000); k++) {
      executor.set(noise, normal(F32, Seed.of(1).fold(k), 256, 8));
      executor.set(real, ring(Seed.of(2).fold(k)));
      executor.step(lossD, optimizerD);
      executor.step(lossG, optimizerG);
    }
    var image = new BufferedImage(200, 200, BufferedImage.TYPE_BYTE_GRAY);
    var centers = new HashSet<Long>();
    var g = image.createGraphics();
    float[] points = executor.tensor(fake).toFloatArray();
    for (int k = 0; k < points.length; k += 2) {
      g.fillRect((int) (100 + 60 * points[k]), (int) (100 - 60 * points[k + 1]), 2, 2);
      centers.add(Math.round(Math.atan2(points[k + 1], points[k]) * 4 / Math.PI) & 7);
    }
    Path out = Files.createDirectories(Path.of("out"));
    ImageIO.write(image, "png", out.resolve("gan.png").toFile());
    IO.println("result: centers=" + centers.size());
  }
}
