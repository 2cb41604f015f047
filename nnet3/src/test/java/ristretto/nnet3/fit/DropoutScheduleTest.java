package ristretto.nnet3.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import ristretto.nnet3.network.Nnet;

class DropoutScheduleTest {
  @Test
  void proportionsGoStraightFromPointToPoint() {
    List<DropoutSchedule.Point> points =
        DropoutSchedule.parse("0,0@0.2,0.5@0.5,0.1").byPattern().get("*");
    double[][] wanted = {
      {0, 0}, {0.1, 0}, {0.2, 0}, {0.35, 0.25}, {0.5, 0.5}, {0.75, 0.3}, {1, 0.1}
    };
    for (double[] pair : wanted) {
      assertThat(DropoutSchedule.proportion(points, pair[0])).isCloseTo(pair[1], within(1e-9));
    }
  }

  @Test
  void thePlaceInBetweenIsTheMiddleUnlessItIsWritten() {
    assertThat(DropoutSchedule.parse("0,0.2,0").byPattern().get("*"))
        .containsExactly(
            new DropoutSchedule.Point(0, 0),
            new DropoutSchedule.Point(0.5, 0.2),
            new DropoutSchedule.Point(1, 0));
  }

  @Test
  void componentsAreNamedByPatterns() {
    Nnet nnet =
        Nnet.fromConfig(
            "test",
            """
            input-node name=input dim=3
            component name=a1 type=DropoutComponent dim=3 dropout-proportion=0
            component name=b1 type=DropoutComponent dim=3 dropout-proportion=0
            component-node name=a1 component=a1 input=input
            component-node name=b1 component=b1 input=a1
            output-node name=output input=b1
            """,
            0);
    Nnet half = DropoutSchedule.parse("*=0.2,0.4 b*=0.8,0.8").apply(nnet, 0.5);
    assertThat(half.components().get("a1").info()).contains("dropout-proportion=0.3");
    assertThat(half.components().get("b1").info()).contains("dropout-proportion=0.8");
    assertThat(DropoutSchedule.parse("").apply(nnet, 0.5)).isSameAs(nnet);
  }
}
