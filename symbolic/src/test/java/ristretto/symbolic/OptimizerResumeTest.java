package ristretto.symbolic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F32;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.expr.Context;
import ristretto.expr.type.F32;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.optim.Optimizer;

/** Resuming with several optimizers, which take over the states of their parameters. */
class OptimizerResumeTest {
  private static final Context CTX = Context.open();

  @TempDir private Path folder;

  @AfterAll
  static void close() {
    CTX.close();
  }

  private final Variable<F32> g = Variable.parameter("g.w", F32, Initializer.constant(3), 2);
  private final Variable<F32> d = Variable.parameter("d.w", F32, Initializer.constant(5), 3);
  private final Variable<F32> ofG = Layers.sum(g.times(g)).times(Layers.mean(d));
  private final Variable<F32> ofD = Layers.sum(d.times(d)).times(Layers.mean(g));

  private Executor executor() {
    return new Executor(CTX, ofG, ofD);
  }

  private Path file() {
    return folder.resolve("gan.safetensors");
  }

  private static Optimizer generator() {
    return Optimizer.adam(0.1).only("g.*");
  }

  private static Optimizer discriminator() {
    return Optimizer.adam(0.02).only("d.*");
  }

  private float[] values(Executor executor) {
    float[] a = executor.tensor(g).toFloatArray();
    float[] b = executor.tensor(d).toFloatArray();
    return new float[] {a[0], a[1], b[0], b[1], b[2]};
  }

  /** The discriminator steps first after the checkpoint, the generator before it. */
  @Test
  void optimizersWithoutNamesTakeTheStatesOfTheirParameters() {
    var whole = executor();
    Optimizer first = generator();
    Optimizer second = discriminator();
    for (int k = 0; k < 3; k++) {
      whole.step(ofG, first);
      whole.step(ofD, second);
    }
    whole.step(ofG, first);
    whole.save(file());
    assertThat(CTX.loadMetadata(file()))
        .containsEntry("executor/updated/adam", "g.w")
        .containsEntry("executor/updated/adam.2", "d.w");
    var resumed = executor();
    assertThat(resumed.restore(file())).isEmpty();
    // States that no optimizer has taken over are saved again, with their parameters.
    resumed.save(file());
    resumed = executor();
    resumed.restore(file());
    Optimizer again = discriminator();
    Optimizer other = generator();
    for (int k = 0; k < 3; k++) {
      resumed.step(ofD, again);
      resumed.step(ofG, other);
      whole.step(ofD, second);
      whole.step(ofG, first);
    }
    assertThat(values(resumed)).isEqualTo(values(whole));
    resumed.save(file());
    assertThat(CTX.loadAll(file()).keySet().stream().filter(n -> n.endsWith("/updates")))
        .containsExactlyInAnyOrder("optimizer/adam/updates", "optimizer/adam.2/updates");
  }

  @Test
  void oneOptimizerOfAllParametersAndOneOfAPart() {
    var whole = executor();
    Optimizer all = Optimizer.adam(0.1);
    Optimizer part = discriminator();
    whole.step(ofG, all);
    whole.step(ofD, part);
    whole.save(file());
    var resumed = executor();
    resumed.restore(file());
    resumed.step(ofD, discriminator());
    resumed.step(ofG, Optimizer.adam(0.1));
    whole.step(ofD, part);
    whole.step(ofG, all);
    assertThat(values(resumed)).isEqualTo(values(whole));
  }

  @Test
  void statesThatFitEquallyNeedNames() {
    Variable<F32> onlyG = Layers.sum(g.times(g));
    Variable<F32> onlyD = Layers.sum(d.times(d));
    var whole = new Executor(CTX, onlyG, onlyD);
    Optimizer first = Optimizer.adam(0.1);
    Optimizer second = Optimizer.adam(0.02);
    whole.step(onlyG, first);
    whole.step(onlyD, second);
    whole.step(onlyG, first);
    whole.save(file());
    var resumed = new Executor(CTX, onlyG, onlyD);
    resumed.restore(file());
    assertThatThrownBy(() -> resumed.step(onlyD, Optimizer.adam(0.02)))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[step] a restored state must belong to one optimizer; got adam and adam.2 for the same"
                + " parameters; restrict the optimizers with only(...) when the checkpoint is made,"
                + " or name them as in the file, with named(\"adam\") and named(\"adam.2\").");
    // Nothing has been taken over: the advice works.
    resumed.step(onlyD, Optimizer.adam(0.02).named("adam.2"));
    resumed.step(onlyG, Optimizer.adam(0.1).named("adam"));
    whole.step(onlyD, second);
    whole.step(onlyG, first);
    assertThat(values(resumed)).isEqualTo(values(whole));
    // With only, the states of the file are told apart too.
    var restricted = new Executor(CTX, onlyG, onlyD);
    restricted.restore(file());
    restricted.step(onlyD, discriminator());
    restricted.step(onlyG, generator());
    assertThat(values(restricted)).isEqualTo(values(whole));
  }

  @Test
  void optimizersInUseOfOtherParameters() {
    var saved = executor();
    saved.step(ofG, generator());
    saved.step(ofD, discriminator());
    saved.save(file());
    var swapped = executor();
    swapped.step(ofD, discriminator());
    swapped.step(ofG, generator());
    float[] before = values(swapped);
    assertThatThrownBy(() -> swapped.restore(file()))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[restore] an optimizer must update parameters that the one of its name in the file has"
                + " updated; got adam of d.w f32[3], and "
                + file()
                + ", where it has updated g.w; name the optimizers with named(...) when the"
                + " checkpoint is made, or restore before their first steps.");
    assertThat(values(swapped)).isEqualTo(before);
  }

  @Test
  void aNewOptimizerOfOtherParametersDoesNotWarn() {
    var saved = executor();
    Optimizer optimizer = generator();
    saved.step(ofG, optimizer);
    saved.save(file());
    var bytes = new ByteArrayOutputStream();
    PrintStream before = System.err;
    System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    float[] expected = values(saved);
    var resumed = executor();
    try {
      resumed.restore(file());
      resumed.step(ofD, Optimizer.adam(0).only("d.*"));
      resumed.step(ofD, Optimizer.sgd(0).only("d.*").named("another"));
    } finally {
      System.setErr(before);
    }
    assertThat(bytes.toString(StandardCharsets.UTF_8)).isEmpty();
    assertThat(values(resumed)).isEqualTo(expected);
    // The state of the generator is still there.
    resumed.step(ofG, generator());
    saved.step(ofG, optimizer);
    assertThat(values(resumed)).isEqualTo(values(saved));
  }

  /** Files without the names of parameters: one state goes on, several need names. */
  @Test
  void filesWithoutParametersOfOptimizers() {
    var saved = executor();
    Optimizer first = generator();
    saved.step(ofG, first);
    saved.save(file());
    stripNames();
    var resumed = executor();
    resumed.restore(file());
    resumed.step(ofG, generator());
    saved.step(ofG, first);
    assertThat(values(resumed)).isEqualTo(values(saved));
    saved.step(ofD, discriminator());
    saved.save(file());
    stripNames();
    var two = executor();
    two.restore(file());
    assertThatThrownBy(() -> two.step(ofD, discriminator()))
        .isInstanceOf(ShapeException.class)
        .hasMessageStartingWith("[step] a restored state must belong to one optimizer; got adam");
  }

  private void stripNames() {
    var notes = new LinkedHashMap<>(CTX.loadMetadata(file()));
    notes.keySet().removeIf(key -> key.startsWith("executor/updated/"));
    CTX.saveAll(file(), CTX.loadAll(file()), notes);
  }
}
