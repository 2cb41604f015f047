package ristretto.nnet3.component.affine;

import java.util.random.RandomGenerator;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.component.NaturalGradientSettings;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.matrix.Matrix;

/** Affine component trained with natural gradient: {@code y = x W' + b}. */
public final class NaturalGradientAffineComponent extends AffineComponent {
  private int rankIn = 20;
  private int rankOut = 80;
  private int updatePeriod = 4;
  private float samplesHistory = 2000;
  private float alpha = 4;

  public NaturalGradientAffineComponent() {}

  public NaturalGradientAffineComponent(Matrix linear, float[] bias) {
    super(linear, bias);
  }

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    super.init(line, random);
    samplesHistory = samplesHistory(line);
    alpha = line.notNegative("alpha", 4);
    rankIn = rank(line, "rank-in", 20, inputDim());
    rankOut = rank(line, "rank-out", 80, outputDim());
    updatePeriod = line.positive("update-period", 4);
  }

  @Override
  public float[] bias(ConfigLine line, RandomGenerator random, int outputDim) {
    float stddev = line.notNegative("bias-stddev", 1);
    return gaussian(random, outputDim, line.real("bias-mean", 0), stddev);
  }

  @Override
  public void fields(Fields f) {
    // The order of fields differs from the base class, whose method is therefore not called.
    updatableFields(f);
    matrices(f);
    rankIn = f.integer("<RankIn>", rankIn);
    rankOut = f.integer("<RankOut>", rankOut);
    orthonormalConstraint = f.optionalReal("<OrthonormalConstraint>", orthonormalConstraint, 0);
    updatePeriod = f.integer("<UpdatePeriod>", updatePeriod);
    samplesHistory = f.real("<NumSamplesHistory>", samplesHistory);
    alpha = f.real("<Alpha>", alpha);
    f.oldReal("<MaxChangePerSample>");
    oldIsGradient(f);
    f.oldReal("<UpdateCount>");
    f.oldReal("<ActiveScalingCount>");
    f.oldReal("<MaxChangeScaleStats>");
  }

  @Override
  public NaturalGradientSettings inputPreconditioning() {
    return new NaturalGradientSettings(rankIn, updatePeriod, samplesHistory, alpha);
  }

  @Override
  public NaturalGradientSettings outputPreconditioning() {
    return new NaturalGradientSettings(rankOut, updatePeriod, samplesHistory, alpha);
  }

  @Override
  public InfoText infoText() {
    return super.infoText()
        .add("rank-in", rankIn)
        .add("rank-out", rankOut)
        .add("num-samples-history", samplesHistory)
        .add("update-period", updatePeriod)
        .add("alpha", alpha);
  }
}
