package ristretto.nnet3.component.convolution;

import static ristretto.expr.Ops.sum;
import static ristretto.nnet3.Property.BACKPROP_ADDS;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_INPUT;
import static ristretto.nnet3.Property.INPUT_CONTIGUOUS;
import static ristretto.nnet3.Property.OUTPUT_CONTIGUOUS;
import static ristretto.nnet3.Property.REORDERS_INDEXES;
import static ristretto.nnet3.Property.UPDATABLE;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.Index;
import ristretto.nnet3.Property;
import ristretto.nnet3.TimeOffsets;
import ristretto.nnet3.component.ConfigParameters;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.component.LinearAndBias;
import ristretto.nnet3.component.NaturalGradientSettings;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.ForwardStep;

/** Convolution over time and height; see {@link ConvolutionModel}. */
public final class TimeHeightConvolutionComponent extends LinearAndBias {
  private ConvolutionModel model;
  private float maxMemoryMb = 200;
  private boolean useNaturalGradient = true;
  private float minibatchesHistory;
  private float alphaIn;
  private float alphaOut;
  private int rankIn;
  private int rankOut;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    super.init(line, random);
    maxMemoryMb = line.real("max-memory-mb", 200);
    if (!(maxMemoryMb > 0)) {
      throw line.error("max-memory-mb", "max-memory-mb must be above 0");
    }
    model = model(line);
    String problem = model.problem();
    if (problem != null) {
      throw line.error(problem);
    }
    initParameters(line, random);
    useNaturalGradient = line.flag("use-natural-gradient", true);
    rankIn = rank(line, "rank-in", 80, linear.cols() + 1);
    rankOut = rank(line, "rank-out", 80, linear.rows());
    alphaIn = line.notNegative("alpha-in", 4);
    alphaOut = line.notNegative("alpha-out", 4);
    minibatchesHistory = line.real("num-minibatches-history", 4);
    if (!(minibatchesHistory > 1)) {
      throw line.error("num-minibatches-history", "num-minibatches-history must be above 1");
    }
  }

  private static ConvolutionModel model(ConfigLine line) {
    int filtersIn = line.positive("num-filters-in");
    int filtersOut = line.positive("num-filters-out");
    int heightIn = line.positive("height-in");
    int heightOut = line.positive("height-out");
    List<ConvolutionModel.Offset> offsets = offsets(line);
    var times = new TreeSet<Integer>();
    if (line.has("required-time-offsets")) {
      Arrays.stream(ConfigParameters.offsets(line, "required-time-offsets")).forEach(times::add);
    } else {
      offsets.forEach(o -> times.add(o.time()));
    }
    return new ConvolutionModel(
        filtersIn,
        filtersOut,
        heightIn,
        heightOut,
        line.positive("height-subsample-out", 1),
        offsets,
        List.copyOf(times));
  }

  private static List<ConvolutionModel.Offset> offsets(ConfigLine line) {
    var all = new ArrayList<ConvolutionModel.Offset>();
    if (line.has("offsets")) {
      String value = line.string("offsets");
      for (String pair : value.split(";", -1)) {
        if (!pair.matches("\\s*[+-]?[0-9]{1,9}\\s*,\\s*[+-]?[0-9]{1,9}\\s*")) {
          throw line.error("offsets", "offsets must be semicolon-separated pairs t,h");
        }
        int comma = pair.indexOf(',');
        int time = Integer.parseInt(pair.substring(0, comma).strip());
        all.add(
            new ConvolutionModel.Offset(time, Integer.parseInt(pair.substring(comma + 1).strip())));
      }
      all.sort(
          Comparator.comparingInt(ConvolutionModel.Offset::time)
              .thenComparingInt(ConvolutionModel.Offset::height));
      if (all.stream().distinct().count() < all.size()) {
        throw line.error("offsets", "offsets must be distinct");
      }
      return all;
    }
    for (int time : sorted(line, "time-offsets")) {
      for (int height : sorted(line, "height-offsets")) {
        all.add(new ConvolutionModel.Offset(time, height));
      }
    }
    return all;
  }

  private static int[] sorted(ConfigLine line, String key) {
    int[] all = ConfigParameters.offsets(line, key);
    for (int i = 1; i < all.length; i++) {
      if (all[i] < all[i - 1]) {
        throw line.error(key, key + " must be sorted");
      }
    }
    return all;
  }

  private void initParameters(ConfigLine line, RandomGenerator random) {
    int rows = model.filtersOut();
    int cols = model.filterDim();
    float stddev = line.real("param-stddev", -1);
    stddev = stddev < 0 ? inverseRoot(cols) : stddev;
    boolean unit = line.flag("init-unit", false);
    linear = gaussianMatrix(random, rows, cols, unit ? 0 : stddev);
    if (unit) {
      int zero = model.offsets().indexOf(new ConvolutionModel.Offset(0, 0));
      if (zero < 0 || model.filtersIn() != rows) {
        throw line.error(
            "init-unit",
            "init-unit needs the offset 0,0 and as many output filters as input filters");
      }
      for (int i = 0; i < rows; i++) {
        linear.set(i, zero * rows + i, 1);
      }
    }
    bias = gaussian(random, rows, 0, line.notNegative("bias-stddev", 0));
  }

  @Override
  public void fields(Fields f) {
    updatableFields(f);
    f.token("<Model>");
    model = ConvolutionModel.fields(f, model);
    linear = f.matrix("<LinearParams>", linear);
    bias = f.vector("<BiasParams>", bias);
    f.check(
        linear.rows() == model.filtersOut()
            && linear.cols() == model.filterDim()
            && bias.length == model.filtersOut(),
        String.format(
            Locale.ROOT, "<LinearParams> must be %d by %d", model.filtersOut(), model.filterDim()),
        linear);
    maxMemoryMb = f.real("<MaxMemoryMb>", maxMemoryMb);
    useNaturalGradient = f.flag("<UseNaturalGradient>", useNaturalGradient);
    minibatchesHistory = f.real("<NumMinibatchesHistory>", minibatchesHistory);
    alphaIn = f.real("<AlphaInOut>", alphaIn);
    alphaOut = f.real(alphaOut);
    rankIn = f.integer("<RankInOut>", rankIn);
    rankOut = f.integer(rankOut);
  }

  ConvolutionModel model() {
    return model;
  }

  @Override
  public int inputDim() {
    return model.inputDim();
  }

  @Override
  public int outputDim() {
    return model.outputDim();
  }

  @Override
  public Set<Property> properties() {
    return EnumSet.of(
        UPDATABLE,
        REORDERS_INDEXES,
        BACKPROP_ADDS,
        BACKPROP_NEEDS_INPUT,
        INPUT_CONTIGUOUS,
        OUTPUT_CONTIGUOUS);
  }

  @Override
  public Optional<TimeOffsets> reach() {
    return Optional.of(TimeOffsets.of(List.copyOf(model.times()), model.requiredTimes()));
  }

  @Override
  public List<Index> inputIndexes(Index output) {
    return model.times().stream().map(time -> output.at(output.t() + time, output.x())).toList();
  }

  @Override
  public boolean isComputable(Index output, Predicate<Index> available, Consumer<Index> used) {
    for (int time : model.requiredTimes()) {
      if (!available.test(output.at(output.t() + time, output.x()))) {
        return false;
      }
    }
    inputIndexes(output).stream().filter(available).forEach(used);
    return true;
  }

  @Override
  public NaturalGradientSettings gradientPreconditioning() {
    return preconditioning(rankIn, alphaIn);
  }

  @Override
  public NaturalGradientSettings columnPreconditioning() {
    return preconditioning(rankOut, alphaOut);
  }

  private NaturalGradientSettings preconditioning(int rank, float alpha) {
    return useNaturalGradient
        ? new NaturalGradientSettings(rank, 1, SAMPLES_HISTORY, minibatchesHistory, alpha)
        : null;
  }

  @Override
  public int gradientRows() {
    return linear.rows();
  }

  @Override
  public InfoText infoText() {
    InfoText info =
        super.infoText()
            .raw(" " + model.info())
            .rms("filter-params", linear.data())
            .stats("bias-params", bias)
            .add("num-params", parameterCount())
            .add("max-memory-mb", maxMemoryMb)
            .add("use-natural-gradient", useNaturalGradient ? 1 : 0);
    if (!useNaturalGradient) {
      return info;
    }
    return info.add("num-minibatches-history", minibatchesHistory)
        .add("rank-in", rankIn)
        .add("rank-out", rankOut)
        .add("alpha", alphaIn);
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    return new ConvolutionProducts(f, model)
        .forward(linear)
        .plus(f.repeated(bias, model.heightOut()));
  }

  @Override
  public void backward(BackwardStep b) {
    var products = new ConvolutionProducts(b.forward(), model);
    Tensor<F32> dy = b.dyInMemory();
    if (b.wantsParameters()) {
      b.gradient(linear.data(), products.gradient(dy));
      b.gradient(bias, sum(dy.reshape(-1, bias.length), 0));
    }
    if (b.wantsInput()) {
      b.input(products.input(linear, dy));
    }
  }
}
