package ristretto.jmh.training;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.jmh.line.Dims;
import ristretto.jmh.peer.PeerWork;

class TrainingModelsTest {
  static TrainingLine[] lines() {
    return TrainingLine.ALL.toArray(TrainingLine[]::new);
  }

  @ParameterizedTest
  @MethodSource("lines")
  void stepsHaveALoss(TrainingLine line) {
    Dims dims = line.small();
    try (PeerWork steps =
        new TrainingServer()
            .prepare("train-" + line.name(), dims, new ristretto.jmh.peer.PeerServer.Data[0])
            .orElseThrow()) {
      steps.run();
      assertThat(steps.at(0)).isFinite();
    }
  }
}
