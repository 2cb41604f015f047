package ristretto.nnet3.component.affine;

import java.util.random.RandomGenerator;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.component.NaturalGradientSettings;
import ristretto.nnet3.config.ConfigLine;

/** Per-element scale trained with natural gradient: {@code y = x * s}. */
public final class NaturalGradientPerElementScaleComponent extends PerElementScaleComponent {
  private int rank;
  private int updatePeriod;
  private float samplesHistory;
  private float alpha;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    rank = line.positive("rank", 8);
    updatePeriod = line.positive("update-period", 10);
    samplesHistory = samplesHistory(line);
    alpha = line.notNegative("alpha", 4);
    super.init(line, random);
  }

  @Override
  String fileKey() {
    return "scales";
  }

  @Override
  public void fields(Fields f) {
    updatableFields(f);
    params(f);
    isGradientField(f);
    rank = f.integer("<Rank>", rank);
    updatePeriod = f.integer("<UpdatePeriod>", updatePeriod);
    samplesHistory = f.real("<NumSamplesHistory>", samplesHistory);
    alpha = f.real("<Alpha>", alpha);
    f.oldReal("<MaxChangePerMinibatch>");
  }

  @Override
  public NaturalGradientSettings rowPreconditioning() {
    return new NaturalGradientSettings(rank, updatePeriod, samplesHistory, alpha);
  }

  @Override
  public InfoText infoText() {
    return super.infoText()
        .add("rank", rank)
        .add("update-period", updatePeriod)
        .add("num-samples-history", samplesHistory)
        .add("alpha", alpha);
  }
}
