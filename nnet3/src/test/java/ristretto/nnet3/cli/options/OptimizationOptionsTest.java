package ristretto.nnet3.cli.options;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import ristretto.expr.option.Optimization;
import ristretto.nnet3.LoweringOptions;
import ristretto.nnet3.Rematerialization;

class OptimizationOptionsTest {
  private final ParseOptions options = new ParseOptions("nnet3-test", "usage");
  private final OptimizationOptions optimizations = new OptimizationOptions(options);
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private OptimizationOptions given(String... words) {
    options.read(
        Arrays.asList(words),
        new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8));
    return optimizations;
  }

  @Test
  void eachLeavesOutOne() {
    assertThat(optimizations.without()).isEmpty();
    assertThat(optimizations.lowering()).isEqualTo(LoweringOptions.DEFAULT);
    assertThat(given("--optimization.move-sizing-commands=false").without())
        .containsExactly(Optimization.LIFETIMES);
    assertThat(given("--optimization.allocate-from-other=false").without())
        .containsExactly(Optimization.LIFETIMES, Optimization.SHARE_MEMORY);
    assertThat(given("--optimization.initialize-undefined=false").without())
        .containsExactly(
            Optimization.LIFETIMES, Optimization.SHARE_MEMORY, Optimization.LEAVE_UNDEFINED);
    assertThat(given("--optimization.consolidate-model-update=false").lowering())
        .isEqualTo(
            new LoweringOptions(
                Rematerialization.CHEAP, false, true, true, LoweringOptions.AUTOMATIC));
    assertThat(given("--optimization.snip-row-ops=false").lowering())
        .isEqualTo(
            new LoweringOptions(
                Rematerialization.CHEAP, false, true, false, LoweringOptions.AUTOMATIC));
    assertThat(given("--optimization.optimize-looped-computation=false").lowering())
        .isEqualTo(new LoweringOptions(Rematerialization.CHEAP, false, true, false, 0));
    assertThat(given("--optimization.propagate-in-place=false").lowering())
        .isEqualTo(
            new LoweringOptions(Rematerialization.CHEAP, false, true, false, 0, false, true));
    assertThat(given("--optimization.backprop-in-place=false").lowering())
        .isEqualTo(
            new LoweringOptions(Rematerialization.CHEAP, false, true, false, 0, false, false));
  }

  @Test
  void oneLeavesOutAll() {
    given("--optimization.optimize=false", "--optimization.memory-compression-level=2");
    assertThat(optimizations.without()).isEqualTo(EnumSet.allOf(Optimization.class));
    assertThat(optimizations.lowering())
        .isEqualTo(
            new LoweringOptions(Rematerialization.PRODUCTS, false, false, false, 0, false, false));
  }

  @Test
  void memoryIsSavedFromLevelTwoOn() {
    assertThat(given("--optimization.memory-compression-level=0").lowering().rematerialization())
        .isEqualTo(Rematerialization.NOTHING);
    assertThat(given("--optimization.memory-compression-level=1").lowering())
        .isEqualTo(LoweringOptions.DEFAULT);
    assertThat(given("--optimization.memory-compression-level=2").lowering())
        .isEqualTo(LoweringOptions.SMALL);
  }

  @Test
  void whatChangesNothingSaysSo() {
    var log = new CommandLog("nnet3-test", new PrintStream(err, true, StandardCharsets.UTF_8));
    given("--optimization.convert-addition=true", "--optimization.extend-matrices=false");
    optimizations.tell(log);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .isEqualToNormalizingNewlines(
            """
            LOG (nnet3-test) The option --optimization.convert-addition changes nothing: the first write of a matrix never adds.
            LOG (nnet3-test) The option --optimization.extend-matrices changes nothing: matrices are not merged; readers compute their operands.
            """);
  }
}
