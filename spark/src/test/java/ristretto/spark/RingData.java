package ristretto.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.TableWriter;
import ristretto.nnet3.matrix.Matrix;

/** Utterances of 40 frames; a frame is of class 0 if it lies within a circle. */
final class RingData {
  private static final String CONFIG =
      """
      input-node name=input dim=4
      component name=a type=NaturalGradientAffineComponent input-dim=12 output-dim=24 max-change=0.75
      component name=r type=RectifiedLinearComponent dim=24 self-repair-scale=1e-05
      component name=n type=BatchNormComponent dim=24
      component name=b type=NaturalGradientAffineComponent input-dim=24 output-dim=2
      component name=s type=LogSoftmaxComponent dim=2
      component-node name=a component=a input=Append(Offset(input, -1), input, Offset(input, 1))
      component-node name=r component=r input=a
      component-node name=n component=n input=r
      component-node name=b component=b input=n
      component-node name=s component=s input=b
      output-node name=output input=s
      """;

  private RingData() {}

  /** Writes feats, ali and ring.config to a folder. */
  static void write(Path folder, int utterances) throws IOException {
    Files.writeString(folder.resolve("ring.config"), CONFIG);
    var random = new Random(1);
    try (var feats = TableWriter.open("ark:" + folder.resolve("feats"), Holder.MATRIX);
        var ali = TableWriter.open("ark:" + folder.resolve("ali"), Holder.INTS)) {
      for (int u = 0; u < utterances; u++) {
        var rows = new Matrix(40, 4);
        var classes = new int[40];
        for (int t = 0; t < 40; t++) {
          double norm = 0;
          for (int c = 0; c < 4; c++) {
            float x = (float) random.nextGaussian() * 0.6f;
            rows.set(t, c, x);
            norm += x * x;
          }
          classes[t] = norm < 1 ? 0 : 1;
        }
        feats.write("u" + u, rows);
        ali.write("u" + u, classes);
      }
      feats.commit();
      ali.commit();
    }
  }
}
