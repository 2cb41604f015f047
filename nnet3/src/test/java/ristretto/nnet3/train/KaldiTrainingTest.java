package ristretto.nnet3.train;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.nnet3.DerivativeTimes;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.network.Nnet;

/**
 * Trains small networks beside Kaldi's {@code nnet3-train} (commit f4007661, on a processor). A
 * folder of the resource has a config, the network that Kaldi made of it, {@code 0.raw}, and what
 * became of that after 1, 2 and 5 minibatches of {@code examples/minibatches.egs}, and after 20,
 * which are these four times, without limits of changes. Folders {@code repair-*} have the average
 * of the two networks that Kaldi makes with self-repair or without; {@code times-*} are trained
 * with derivatives of times 1 to 3, {@code backstitch-*} with steps back of 0.3, {@code momentum-*}
 * with a momentum of 0.5 and changes of 0.05 at most.
 */
class KaldiTrainingTest {
  private static final Map<String, Map<String, byte[]>> CASES = Vectors.read("training.tar.gz");

  /**
   * Noise limit: if derivatives have fewer dimensions than the estimate has rank, Kaldi's
   * eigenvalues in single precision are noise, from 3e-4 of the greatest on.
   */
  private static final double NOISY = 0.02;

  private static final double FIRST = 1e-4;

  @TempDir private Path folder;

  static Stream<String> names() {
    return CASES.keySet().stream().filter(name -> !name.equals("examples"));
  }

  @ParameterizedTest
  @MethodSource("names")
  void changesAreKaldis(String name) throws IOException {
    Nnet first = model(name, "0.raw");
    List<NnetExample> minibatches = minibatches();
    try (Context context = Context.open("cpu")) {
      var trainer =
          new NnetTrainer(context, first, options(name))
              .derivativeTimes(
                  _ -> name.startsWith("times-") ? new DerivativeTimes(1, 3) : DerivativeTimes.ALL);
      int count = CASES.get(name).containsKey("20.raw") ? 20 : minibatches.size();
      for (int k = 1; k <= count; k++) {
        trainer.train(minibatches.get((k - 1) % minibatches.size()));
        if (CASES.get(name).containsKey(k + ".raw")) {
          Nnet kaldis = model(name, k + ".raw");
          Nnet ours = trainer.nnet();
          for (String component : first.components().keySet()) {
            if (first.components().get(component) instanceof UpdatableComponent) {
              double off = off(component, first, kaldis, ours);
              assertThat(off)
                  .as("%s after %d: %s", name, k, component)
                  .isLessThan(k == 1 ? FIRST : NOISY);
            }
          }
        }
      }
    }
  }

  private static TrainingOptions options(String name) {
    if (name.startsWith("momentum-")) {
      return TrainingOptions.DEFAULT.with(0.05, 0.5, 1);
    }
    TrainingOptions unlimited = TrainingOptions.DEFAULT.with(0, 0, 1);
    return name.startsWith("backstitch-") ? unlimited.withBackstitch(0.3, 1) : unlimited;
  }

  /** Distance of the changes from Kaldi's, relative to Kaldi's. */
  private static double off(String component, Nnet first, Nnet kaldis, Nnet ours) {
    List<float[]> from = parameters(first, component);
    List<float[]> to = parameters(kaldis, component);
    List<float[]> is = parameters(ours, component);
    double worst = 0;
    for (int p = 0; p < from.size(); p++) {
      double change = 0;
      double off = 0;
      for (int k = 0; k < from.get(p).length; k++) {
        change += Math.pow(to.get(p)[k] - from.get(p)[k], 2);
        off += Math.pow(to.get(p)[k] - is.get(p)[k], 2);
      }
      worst = Math.max(worst, off == 0 ? 0 : Math.sqrt(off / change));
    }
    return worst;
  }

  private static List<float[]> parameters(Nnet nnet, String name) {
    return ((UpdatableComponent) nnet.components().get(name)).parameters();
  }

  private Nnet model(String name, String file) throws IOException {
    Path to = folder.resolve(file);
    Files.write(to, CASES.get(name).get(file));
    return Nnet.load(to.toString());
  }

  private List<NnetExample> minibatches() throws IOException {
    Path to = folder.resolve("egs");
    Files.write(to, CASES.get("examples").get("minibatches.egs"));
    var all = new ArrayList<NnetExample>();
    try (var in = TableReader.open("ark:" + to, NnetExample.HOLDER)) {
      while (in.next()) {
        all.add(in.value());
      }
    }
    return all;
  }
}
