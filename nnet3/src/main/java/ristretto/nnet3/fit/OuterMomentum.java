package ristretto.nnet3.fit;

import java.nio.file.Path;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.network.Nnet;
import ristretto.symbolic.optim.OuterStep;

/**
 * Nesterov momentum of averages (DiLoCo, Douillard et al., 2023): the change of the parameters from
 * one average to the next is taken as a gradient. Statistics are averaged only. The velocity after
 * each iteration is in a file, so that an interrupted training continues with it.
 */
final class OuterMomentum {
  private final Path folder;
  private final OuterStep how;

  OuterMomentum(Path folder, OuterStep how) {
    this.folder = folder;
    this.how = how;
  }

  /**
   * Makes the outer step.
   *
   * @param iteration number of the iteration, from 1: the first one has no average
   * @param before the network before the iteration
   * @param average average of the trained networks, which gets other parameters
   */
  void step(int iteration, Nnet before, Nnet average) {
    if (how.isPlain()) {
      return;
    }
    float[] start = FlatParameters.of(before);
    float[] velocity = velocity(iteration, start.length);
    float[] parameters = FlatParameters.of(average);
    how.apply(start, parameters, 0, start.length, velocity, 0);
    FlatParameters.replace(average, parameters);
    KaldiOutput.write(file(iteration + 1).toString(), true, out -> out.writeVector(velocity));
  }

  /** Removes the velocity two before an iteration. */
  void tidy(int iteration) {
    FitFiles.remove(file(iteration - 2));
  }

  private float[] velocity(int iteration, int length) {
    if (iteration <= 1) {
      return new float[length];
    }
    try (KaldiInput in = KaldiInput.open(file(iteration).toString())) {
      return in.readVector();
    }
  }

  private Path file(int iteration) {
    return folder.resolve("velocity-" + iteration + ".vec");
  }
}
