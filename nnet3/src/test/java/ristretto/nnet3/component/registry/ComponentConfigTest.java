package ristretto.nnet3.component.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ristretto.nnet3.Component;
import ristretto.nnet3.component.affine.AffineComponent;
import ristretto.nnet3.config.ConfigException;
import ristretto.nnet3.config.ConfigLine;

class ComponentConfigTest {
  private static Component create(String text) {
    ConfigLine line = ConfigLine.of("test", text);
    Component component =
        ComponentTypes.create(line.string("type") + "Component", line, new SplittableRandom(1));
    line.refuseUnused();
    return component;
  }

  @Test
  void thereAreFortySixTypes() {
    assertThat(ComponentTypes.names()).hasSize(46);
  }

  /** Kaldi's defaults, where they are not those of every type. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Normalize dim=4 block-dim=2 add-log-stddev=true|input-dim=4, output-dim=6, target-rms=1,"
            + " add-log-stddev=true, block-dim=2",
        "NaturalGradientAffine input-dim=9 output-dim=300|rank-in=5, rank-out=80,"
            + " num-samples-history=2000, update-period=4, alpha=4",
        "Tdnn input-dim=9 output-dim=3 time-offsets=-1,2 use-bias=false|time-offsets=-1,2,",
        "Tdnn input-dim=9 output-dim=3 time-offsets=0|rank-in=5, rank-out=2,"
            + " num-samples-history=2000, update-period=4, alpha-in=4, alpha-out=4",
        "PerElementScale dim=3|scales-min=1, scales-max=1, scales-{mean,stddev}=1,0",
        "ScaleAndOffset dim=6 block-dim=3|rank=20, block-size=3, scales-{mean,stddev}=1,0",
        "ClipGradient dim=3|clipping-threshold=15, clipped-proportion=0,"
            + " self-repair-clipped-proportion-threshold=0.01, self-repair-target=0,"
            + " self-repair-scale=1",
        "BackpropTruncation dim=3|recurrence-interval=1, clipping-threshold=30,"
            + " clipped-proportion=0, zeroing-threshold=15, zeroing-interval=20",
        "RestrictedAttention key-dim=4 value-dim=3 num-left-inputs=2"
            + " num-right-inputs=1|input-dim=15, output-dim=7, num-heads=1, time-stride=1,",
        "GruNonlinearity cell-dim=4 recurrent-dim=2|input-dim=16, output-dim=8,",
        "GruNonlinearity cell-dim=4|input-dim=16, output-dim=8,",
        "LstmNonlinearity cell-dim=4 use-dropout=true|input-dim=23, output-dim=8,",
        "SpecAugmentTimeMask dim=3|zeroed-proportion=0.25, time-mask-max-frames=10",
      })
  void defaultsAreKaldis(String line, String info) {
    assertThat(create("type=" + line).info()).contains(info);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Sigmoid dim=6 block-dim=4|block-dim must divide 6; got '4'.",
        "Affine input-dim=3 output-dim=2 bias-mean=1|every key of this line must be known; got"
            + " 'bias-mean'.",
        "Affine input-dim=3 output-dim=2 learning-rate=-1|learning-rate must not be negative; got"
            + " '-1'.",
        "Affine matrix=/none|matrix must name a file with a matrix ([kaldi] a file to read must"
            + " exist; got /none (no such file); check the path.); got '/none'.",
        "FixedScale scales=/none|scales must name a file with a vector ([kaldi] a file to read must"
            + " exist; got /none (no such file); check the path.); got '/none'.",
        "Linear input-dim=3 output-dim=2 rank-in=0|rank-in must be at least 1, or negative for the"
            + " default; got '0'.",
        "Linear input-dim=3 output-dim=2 num-samples-history=0|num-samples-history must be above 0,"
            + " below 1e6; got '0'.",
        "Tdnn input-dim=3 output-dim=2 time-offsets=1,1|time-offsets must be distinct"
            + " comma-separated whole numbers; got '1,1'.",
        "Tdnn input-dim=3 output-dim=2 time-offsets=0,,1|time-offsets must be distinct"
            + " comma-separated whole numbers; got '0,,1'.",
        "Tdnn input-dim=3 output-dim=2 time-offsets=0:1|time-offsets must be distinct"
            + " comma-separated whole numbers; got '0:1'.",
        "Affine input-dim=30000 output-dim=200000|a matrix of a component must have fewer than"
            + " 2147483648 elements; got more.",
        "Permute column-map=0,2|column-map must have each column's number once; got '0,2'.",
        "SumGroup sizes=1,0|sizes must be numbers above 0; got '1,0'.",
        "ElementwiseProduct input-dim=3 output-dim=3|output-dim must be less than input-dim; got"
            + " '3'.",
        "Normalize dim=3 target-rms=0|target-rms must be above 0; got '0'.",
        "BatchNorm dim=3 epsilon=0|epsilon must be above 0; got '0'.",
        "Dropout dim=3|this line needs dropout-proportion=...; got none.",
        "Dropout dim=3 dropout-proportion=2|dropout-proportion must be between 0 and 1; got '2'.",
        "GeneralDropout dim=3 continuous=true specaugment-max-proportion=0.1|continuous and"
            + " specaugment-max-proportion exclude each other; got 'true'.",
        "SpecAugmentTimeMask dim=3 time-mask-max-frames=1|time-mask-max-frames must be at least 2;"
            + " got '1'.",
        "BackpropTruncation dim=3 scale=0|scale must be above 0; got '0'.",
        "LstmNonlinearity cell-dim=2 self-repair-scale=1|self-repair-scale must be between 0 and"
            + " 0.1; got '1'.",
        "GruNonlinearity cell-dim=2 recurrent-dim=3|recurrent-dim must be between 1 and cell-dim;"
            + " got '3'.",
        "StatisticsPooling input-dim=3 input-period=2 left-context=1 right-context=2|left-context"
            + " must be a multiple of input-period; got '1'.",
        "StatisticsPooling input-dim=3 left-context=0 right-context=0|right-context must be a"
            + " multiple of input-period, and the contexts not both 0; got '0'.",
        "StatisticsPooling input-dim=4 left-context=0 right-context=9"
            + " output-stddevs=true|input-dim must be 1 + 2 n for output-stddevs; got '4'.",
        "StatisticsPooling input-dim=3 left-context=0 right-context=9"
            + " variance-floor=1|variance-floor must be above 0, below 1; got '1'.",
        "StatisticsPooling input-dim=3 left-context=0 right-context=9"
            + " num-log-count-features=-1|num-log-count-features must not be negative; got '-1'.",
        "RestrictedAttention key-dim=4 value-dim=3 num-left-inputs=1 num-right-inputs=2"
            + " time-stride=1000000000|time-stride times the number of inputs must be at most"
            + " 1073741824; got '1000000000'.",
        "RestrictedAttention key-dim=4 value-dim=3 num-left-inputs=-1 num-right-inputs=1"
            + "|num-left-inputs must not be negative; got '-1'.",
        "RestrictedAttention key-dim=4 value-dim=3 num-left-inputs=1 num-right-inputs=1"
            + " num-left-inputs-required=2|num-left-inputs-required must be at most 1; got '2'.",
        "RestrictedAttention key-dim=4 value-dim=3 num-left-inputs=0"
            + " num-right-inputs=0|there must be inputs to the left or right; got '0'.",
        "RestrictedAttention key-dim=4 value-dim=3 num-left-inputs=1 num-right-inputs=0"
            + " key-scale=2|key-scale must be above 0, at most 1; got '2'.",
        "Maxpooling input-x-dim=5 input-y-dim=1 input-z-dim=1 pool-x-size=2 pool-y-size=1"
            + " pool-z-size=1 pool-x-step=2 pool-y-step=1 pool-z-step=1|input dimension minus pool"
            + " size must be a non-negative multiple of the step, which must not exceed the pool"
            + " size, in x, y and z; got other sizes.",
        "Convolution input-x-dim=5 input-y-dim=1 input-z-dim=1 filt-x-dim=2 filt-y-dim=1"
            + " filt-x-step=2 filt-y-step=1 num-filters=1|input dimension minus filter size must be"
            + " a non-negative multiple of the step, in x and y; got other sizes.",
        "Convolution input-x-dim=5 input-y-dim=1 input-z-dim=1 filt-x-dim=2 filt-y-dim=1"
            + " filt-x-step=1 filt-y-step=1 num-filters=1 input-vectorization-order=xyz|the order"
            + " must be zyx or yzx; got 'xyz'.",
        "TimeHeightConvolution num-filters-in=1 num-filters-out=1 height-in=3 height-out=4"
            + " time-offsets=0 height-offsets=0|each output height must read an input at a required"
            + " time; height 3 does not.",
        "TimeHeightConvolution num-filters-in=1 num-filters-out=1 height-in=3 height-out=3"
            + " time-offsets=0 height-offsets=0,5|each offset must read some input; 0,5 does not.",
        "TimeHeightConvolution num-filters-in=1 num-filters-out=1 height-in=3 height-out=3"
            + " time-offsets=0 height-offsets=0 required-time-offsets=1|required time offsets must"
            + " be among the offsets.",
        "TimeHeightConvolution num-filters-in=1 num-filters-out=1 height-in=3 height-out=3"
            + " time-offsets=1,0 height-offsets=0|time-offsets must be sorted; got '1,0'.",
        "TimeHeightConvolution num-filters-in=1 num-filters-out=1 height-in=3 height-out=3"
            + " offsets=0;1|offsets must be semicolon-separated pairs t,h; got '0;1'.",
        "TimeHeightConvolution num-filters-in=1 num-filters-out=1 height-in=3 height-out=3"
            + " offsets=0,0;0,0|offsets must be distinct; got '0,0;0,0'.",
        "TimeHeightConvolution num-filters-in=1 num-filters-out=2 height-in=3 height-out=3"
            + " offsets=0,0 init-unit=true|init-unit needs the offset 0,0 and as many output"
            + " filters as input filters; got 'true'.",
        "TimeHeightConvolution num-filters-in=1 num-filters-out=2 height-in=3 height-out=3"
            + " offsets=0,0 max-memory-mb=0|max-memory-mb must be above 0; got '0'.",
        "TimeHeightConvolution num-filters-in=1 num-filters-out=2 height-in=3 height-out=3"
            + " offsets=0,0 num-minibatches-history=1|num-minibatches-history must be above 1; got"
            + " '1'.",
      })
  void wrongSettingsAreRefused(String line, String rule) {
    assertThatThrownBy(() -> create("type=" + line))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("[config] " + rule + " At test:1\n  type=" + line + "\n  ");
  }

  @Test
  void partsOfCompositesAreChecked() {
    String start = "type=Composite num-components=2 component1='type=NoOpComponent dim=3' ";
    refusedAt(
        start + "component2='type=NoOpComponent dim=4'",
        "a part's input dimension must be the output dimension of the part before, 3; got"
            + " 'type=NoOpComponent dim=4'.",
        "type=NoOpComponent dim=4");
    refusedAt(
        start + "component2='type=NopComponent dim=3'",
        "a part's type must be known; got 'NopComponent'; did you mean 'NoOpComponent'?",
        "NopComponent");
    refusedAt(
        start + "component2='type=DropoutComponent dim=3 dropout-proportion=0'",
        "a part must be simple, not random and not composite; got 'DropoutComponent'.",
        "DropoutComponent");
    refusedAt(
        start + "component2='type=NoOpComponent dim=x'",
        "dim must be a whole number; got 'x'.",
        "x'");
  }

  private static void refusedAt(String line, String rule, String place) {
    assertThatThrownBy(() -> create(line))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "[config] "
                + rule
                + " At test:1\n  "
                + line
                + "\n  "
                + " ".repeat(line.lastIndexOf(place))
                + "^");
  }

  @Test
  void copiesAreScaledAndAddedOnTheirOwn() {
    Component a = create("type=Affine input-dim=2 output-dim=1 param-stddev=0 bias-stddev=1");
    Component b = a.copy();
    b.scale(3);
    assertThat(((AffineComponent) b).bias[0]).isEqualTo(3 * ((AffineComponent) a).bias[0]);
    b.add(-2, a);
    assertThat(((AffineComponent) b).bias[0])
        .isEqualTo(((AffineComponent) a).bias[0], org.assertj.core.api.Assertions.within(1e-6f));
    b.scale(0);
    assertThat(((AffineComponent) b).bias[0]).isZero();
  }
}
