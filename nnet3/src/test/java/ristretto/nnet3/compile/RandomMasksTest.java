package ristretto.nnet3.compile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.step.DeviceParameters;

/** Masks of components that drop something while training. */
class RandomMasksTest {
  private final Context context = Context.open("cpu");
  private final DeviceParameters deviceParameters = new DeviceParameters(context);

  @AfterEach
  void close() {
    context.close();
  }

  private static Nnet nnet(String component, int dim) {
    return Nnet.fromConfig(
        "masks",
        String.format(
                Locale.ROOT,
                "input-node name=input dim=%d\ncomponent name=mask %s\n",
                dim,
                component)
            + "component-node name=mask component=mask input=input\n"
            + "output-node name=output input=mask\n",
        1);
  }

  private static ComputationRequest request(int sequences, int frames, boolean derivatives) {
    return ComputationRequest.parse(
        "r",
        String.format(
            Locale.ROOT,
            "input input has-deriv=%d\n"
                + "range n=0:%d t=0:%d\n"
                + "output output has-deriv=%1$d\n"
                + "range n=0:%2$d t=0:%3$d\n",
            derivatives ? 1 : 0,
            sequences,
            frames));
  }

  private static Matrix ones(int rows, int columns) {
    var m = new Matrix(rows, columns);
    Arrays.fill(m.data(), 1);
    return m;
  }

  /** Output for ones: rows of one sequence after rows of the other. */
  private float[] mask(String component, int dim, int sequences, int frames) {
    Computation computation =
        Computation.compile(
            nnet(component, dim), request(sequences, frames, false), deviceParameters);
    return computation.run(Map.of("input", ones(sequences * frames, dim))).get("output").data();
  }

  private static double mean(float[] values) {
    double sum = 0;
    for (float v : values) {
      sum += v;
    }
    return sum / values.length;
  }

  @Test
  void dropoutDropsAProportionOfElements() {
    float[] mask = mask("type=DropoutComponent dim=50 dropout-proportion=0.3", 50, 20, 20);
    assertThat(mask).containsOnly(0, 1);
    assertThat(mean(mask)).isCloseTo(0.7, within(0.02));
  }

  @Test
  void dropoutPerFrameDropsRows() {
    float[] mask =
        mask(
            "type=DropoutComponent dim=5 dropout-proportion=0.3 dropout-per-frame=true", 5, 40, 40);
    for (int k = 0; k < mask.length; k++) {
      assertThat(mask[k]).isEqualTo(mask[k - k % 5]);
    }
    assertThat(mean(mask)).isCloseTo(0.7, within(0.05));
  }

  @Test
  void generalDropoutHasOneRowASequenceAndMeanOne() {
    float[] mask = mask("type=GeneralDropoutComponent dim=60 dropout-proportion=0.2", 60, 40, 7);
    for (int k = 0; k < mask.length; k++) {
      int first = k / (7 * 60) * 7 * 60;
      assertThat(mask[k]).isEqualTo(mask[first + k % 60]).isIn(0f, 1.25f);
    }
    assertThat(mean(mask)).isCloseTo(1, within(0.05));
    assertThat(Arrays.copyOfRange(mask, 0, 60)).isNotEqualTo(Arrays.copyOfRange(mask, 420, 480));
  }

  @Test
  void generalDropoutChangesWithItsPeriodAndRepeatsItsBlocks() {
    float[] mask =
        mask(
            "type=GeneralDropoutComponent dim=60 block-dim=30 time-period=5 dropout-proportion=0.5",
            60,
            1,
            10);
    for (int k = 0; k < mask.length; k++) {
      assertThat(mask[k]).isEqualTo(mask[k / 300 * 300 + k % 30]);
    }
    assertThat(Arrays.copyOfRange(mask, 0, 30)).isNotEqualTo(Arrays.copyOfRange(mask, 300, 330));
  }

  @Test
  void generalDropoutIsEvenAroundOneIfContinuous() {
    float[] mask =
        mask(
            "type=GeneralDropoutComponent dim=50 dropout-proportion=0.2 continuous=true",
            50,
            80,
            1);
    double square = 0;
    for (float v : mask) {
      assertThat(v).isBetween(0.6f, 1.4f);
      square += (v - 1) * (v - 1);
    }
    assertThat(mean(mask)).isCloseTo(1, within(0.01));
    assertThat(square / mask.length).isCloseTo(0.8 * 0.8 / 12, within(0.003));
  }

  /**
   * Counts of zeros and runs: between none and the maximum, in as many runs on the circle as
   * specified.
   */
  @Test
  void specAugmentZeroesBandsOfColumns() {
    for (int regions = 1; regions <= 3; regions++) {
      float[] mask =
          mask(
              "type=GeneralDropoutComponent dim=40 dropout-proportion=0"
                  + " specaugment-max-proportion=0.5 specaugment-max-regions="
                  + regions,
              40,
              400,
              1);
      assertThat(mask).containsOnly(0, 1);
      var widths = new int[41];
      int most = 0;
      for (int n = 0; n < 400; n++) {
        int zeros = 0;
        int runs = 0;
        for (int c = 0; c < 40; c++) {
          boolean zero = mask[n * 40 + c] == 0;
          zeros += zero ? 1 : 0;
          runs += zero && mask[n * 40 + (c + 39) % 40] == 1 ? 1 : 0;
        }
        widths[zeros]++;
        most = Math.max(most, runs);
      }
      assertThat(Arrays.stream(widths).skip(21).sum()).isZero();
      assertThat(Arrays.stream(widths).limit(21)).allMatch(count -> count > 2 && count < 60);
      assertThat(mean(mask)).isCloseTo(0.75, within(0.02));
      if (regions == 1) {
        assertThat(most).isEqualTo(1);
      } else {
        assertThat(most).isGreaterThan(1);
      }
    }
  }

  @Test
  void ofTwoMasksNotBothAreZero() {
    String config =
        """
        input-node name=input dim=2
        component name=mask type=DropoutMaskComponent output-dim=2 dropout-proportion=0.4
        component-node name=mask component=mask input=input
        component name=both type=NoOpComponent dim=2
        component-node name=both component=both input=Sum(mask, Scale(0, input))
        output-node name=output input=both
        """;
    Nnet nnet = Nnet.fromConfig("masks", config, 1);
    float[] mask =
        Computation.compile(nnet, request(50, 40, false), deviceParameters)
            .run(Map.of("input", ones(2000, 2)))
            .get("output")
            .data();
    int[] zeros = new int[2];
    for (int k = 0; k < mask.length; k += 2) {
      assertThat(mask[k] + mask[k + 1]).isGreaterThan(0);
      zeros[0] += mask[k] == 0 ? 1 : 0;
      zeros[1] += mask[k + 1] == 0 ? 1 : 0;
    }
    assertThat(zeros[0] / 2000.0).isCloseTo(0.4, within(0.04));
    assertThat(zeros[1] / 2000.0).isCloseTo(0.4, within(0.04));
  }

  /** Zeroed runs of at most four frames between kept ones of at most twelve. */
  @Test
  void timeMasksKeepAndZeroRunsInTurn() {
    float[] mask =
        mask(
            "type=SpecAugmentTimeMaskComponent dim=3 zeroed-proportion=0.25 time-mask-max-frames=4",
            3,
            100,
            60);
    assertThat(mask).containsOnly(0, 1);
    var zeroed = new int[61];
    var kept = new int[61];
    int firstKept = 0;
    for (int n = 0; n < 100; n++) {
      int start = 0;
      firstKept += mask[n * 180] == 1 ? 1 : 0;
      for (int t = 0; t < 60; t++) {
        int at = (n * 60 + t) * 3;
        assertThat(mask[at + 1]).isEqualTo(mask[at]);
        assertThat(mask[at + 2]).isEqualTo(mask[at]);
        if (t > 0 && mask[at] != mask[at - 3]) {
          (mask[at - 3] == 0 ? zeroed : kept)[t - start]++;
          start = t;
        }
      }
    }
    assertThat(Arrays.stream(zeroed).skip(5).sum()).isZero();
    assertThat(Arrays.stream(kept).skip(13).sum()).isZero();
    int all = Arrays.stream(zeroed).sum();
    for (int k = 1; k <= 4; k++) {
      assertThat(zeroed[k] / (double) all).isCloseTo(0.25, within(0.08));
    }
    // A mean of 2.5 frames zeroed and 6.5 kept, but that three of four begin with zeroed ones.
    assertThat(mean(mask)).isCloseTo(6.5 / 9, within(0.04));
    assertThat(firstKept / 100.0).isCloseTo(0.25, within(0.15));
  }

  /** Each of several sequences of different lengths has its own runs. */
  @Test
  void timeMasksAreEachSequencesOwn() {
    ComputationRequest ragged =
        ComputationRequest.parse(
            "r",
            """
            input input has-deriv=0
            range n=0:1 t=0:40
            range n=1:2 t=0:50
            output output has-deriv=0
            range n=0:1 t=0:40
            range n=1:2 t=0:50
            """);
    Nnet nnet = nnet("type=SpecAugmentTimeMaskComponent dim=1 zeroed-proportion=0.5", 1);
    float[] mask =
        Computation.compile(nnet, ragged, deviceParameters)
            .run(Map.of("input", ones(90, 1)))
            .get("output")
            .data();
    float[] first = Arrays.copyOfRange(mask, 0, 40);
    float[] second = Arrays.copyOfRange(mask, 40, 80);
    assertThat(mask).containsOnly(0, 1);
    assertThat(second).isNotEqualTo(first);
  }

  @Test
  void masksAreOthersAtEachRunAndTheSameWithTheSameSeed() {
    Nnet nnet = nnet("type=DropoutComponent dim=50 dropout-proportion=0.5", 50);
    Computation computation = Computation.compile(nnet, request(4, 4, false), deviceParameters);
    Matrix ones = ones(16, 50);
    deviceParameters.seed(7);
    float[] first = computation.run(Map.of("input", ones)).get("output").data();
    float[] second = computation.run(Map.of("input", ones)).get("output").data();
    deviceParameters.seed(7);
    float[] again = computation.run(Map.of("input", ones)).get("output").data();
    assertThat(second).isNotEqualTo(first);
    assertThat(again).isEqualTo(first);
  }

  @Test
  void nodesHaveMasksOfTheirOwn() {
    String config =
        """
        input-node name=input dim=50
        component name=a type=DropoutComponent dim=50 dropout-proportion=0.5
        component-node name=a component=a input=input
        component-node name=b component=a input=input
        output-node name=output input=Append(a, b)
        """;
    Nnet nnet = Nnet.fromConfig("masks", config, 1);
    float[] both =
        Computation.compile(nnet, request(1, 1, false), deviceParameters)
            .run(Map.of("input", ones(1, 50)))
            .get("output")
            .data();
    assertThat(Arrays.copyOf(both, 50)).isNotEqualTo(Arrays.copyOfRange(both, 50, 100));
  }

  @Test
  void derivativesPassWhatTheMaskKept() {
    for (String component :
        new String[] {
          "type=DropoutComponent dim=8 dropout-proportion=0.5",
          "type=GeneralDropoutComponent dim=8 dropout-proportion=0.5 time-period=2",
          "type=SpecAugmentTimeMaskComponent dim=8 zeroed-proportion=0.5 time-mask-max-frames=3"
        }) {
      Computation computation =
          Computation.compile(nnet(component, 8), request(3, 12, true), deviceParameters);
      for (int run = 0; run < 3; run++) {
        float[] kept = computation.run(Map.of("input", ones(36, 8))).get("output").data();
        float[] dx = computation.backward(Map.of("output", ones(36, 8))).get("input").data();
        assertThat(dx).as(component).isEqualTo(kept).contains(0);
      }
    }
  }

  /** Steps of a recurrence, and all of them at once in the backward pass, draw the same. */
  @Test
  void stepsOfARecurrenceHaveTheNodesMask() {
    String config =
        """
        input-node name=input dim=8
        component name=drop type=DropoutComponent dim=8 dropout-proportion=0.5
        component-node name=drop component=drop input=Sum(input, Scale(0.0, IfDefined(Offset(drop, -1))))
        output-node name=output input=drop
        """;
    Nnet nnet = Nnet.fromConfig("masks", config, 1);
    Computation computation = Computation.compile(nnet, request(3, 12, true), deviceParameters);
    float[] kept = computation.run(Map.of("input", ones(36, 8))).get("output").data();
    float[] dx = computation.backward(Map.of("output", ones(36, 8))).get("input").data();
    assertThat(kept).containsOnly(0, 1);
    assertThat(dx).isEqualTo(kept);
    assertThat(Arrays.copyOfRange(kept, 0, 8)).isNotEqualTo(Arrays.copyOfRange(kept, 8, 16));
  }
}
