package ristretto.nnet3.train;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import ristretto.nnet3.Index;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.egs.NnetIo;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.matrix.SparseMatrix;
import ristretto.nnet3.matrix.SparseVector;

/** Minibatches of two classes of rows that no line parts: those with a norm below 1, and others. */
public final class RingExamples {
  /** A small network for them. */
  public static final String CONFIG =
      """
      input-node name=input dim=4
      component name=a type=NaturalGradientAffineComponent input-dim=12 output-dim=24 max-change=0.75 l2-regularize=0.001
      component name=r type=RectifiedLinearComponent dim=24 self-repair-scale=1e-05
      component name=n type=BatchNormComponent dim=24
      component name=l type=LinearComponent input-dim=24 output-dim=8 orthonormal-constraint=1.0
      component name=b type=NaturalGradientAffineComponent input-dim=8 output-dim=2 param-stddev=0.1 bias-stddev=0
      component name=s type=LogSoftmaxComponent dim=2
      component-node name=a component=a input=Append(Offset(input, -1), input, Offset(input, 1))
      component-node name=r component=r input=a
      component-node name=n component=n input=r
      component-node name=l component=l input=n
      component-node name=b component=b input=l
      component-node name=s component=s input=b
      output-node name=output input=s
      """;

  private RingExamples() {}

  /** A minibatch of {@code sequences} sequences of four frames. */
  public static NnetExample minibatch(Random random, int sequences) {
    var features = new Matrix(sequences * 6, 4);
    List<Index> in = new ArrayList<>();
    List<Index> out = new ArrayList<>();
    List<SparseVector> targets = new ArrayList<>();
    for (int n = 0; n < sequences; n++) {
      for (int t = -1; t < 5; t++) {
        int row = in.size();
        in.add(new Index(n, t));
        double norm = 0;
        for (int c = 0; c < 4; c++) {
          float x = (float) random.nextGaussian() * 0.6f;
          features.set(row, c, x);
          norm += x * x;
        }
        if (t >= 0 && t < 4) {
          out.add(new Index(n, t));
          targets.add(new SparseVector(2, new int[] {norm < 1 ? 0 : 1}, new float[] {1}));
        }
      }
    }
    return new NnetExample(
        List.of(
            new NnetIo("input", in, features),
            new NnetIo("output", out, new SparseMatrix(targets))));
  }
}
