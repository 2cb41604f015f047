package ristretto.nnet3.cli.chain;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.UnaryOperator;
import ristretto.nnet3.Index;
import ristretto.nnet3.chain.ChainExample;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.options.UsageException;
import ristretto.nnet3.cli.tool.CopyExamples;
import ristretto.nnet3.cli.tool.ExampleKind;
import ristretto.nnet3.cli.tool.OutputTargets;
import ristretto.nnet3.egs.NnetIo;

/** Copies examples of chain models. */
public final class ChainCopyEgs extends CopyExamples<ChainExample> {
  private static final int ALL = -1;

  private final Option<Integer> truncate =
      options.integer(
          "truncate-deriv-weights",
          0,
          "Number of output frames at the start and at the end whose derivatives get a weight of"
              + " 0");
  private boolean warned;

  public ChainCopyEgs() {
    super(ExampleKind.CHAIN);
  }

  @Override
  protected UnaryOperator<ChainExample> select(Random random, CommandLog log) {
    if (truncate.get() < 0) {
      throw new UsageException(
          String.format(
              Locale.ROOT,
              "[options] --truncate-deriv-weights must be 0 or more; got %d; leave it out for no"
                  + " frames.",
              truncate.get()));
    }
    return example -> {
      ChainExample part =
          left.get() == ALL && right.get() == ALL ? example : withContext(example, log);
      ChainExample shifted = shift.get() == 0 ? part : part.shifted(shift.get());
      return truncate.get() == 0
          ? shifted
          : new ChainExample(
              shifted.inputs(), shifted.outputs().stream().map(this::truncated).toList());
    };
  }

  /** Removes rows of the inputs beyond the contexts; i-vectors stay. */
  private ChainExample withContext(ChainExample example, CommandLog log) {
    IntSummaryStatistics output = times(example.outputs().getFirst().indexes());
    var inputs = new ArrayList<NnetIo>();
    for (NnetIo input : example.inputs()) {
      if (input.name().equals("ivector")) {
        inputs.add(input);
        continue;
      }
      IntSummaryStatistics times = times(input.indexes());
      int from = left.get() == ALL ? times.getMin() : output.getMin() - left.get();
      int to = right.get() == ALL ? times.getMax() : output.getMax() + right.get();
      if (!warned && (times.getMin() > from || times.getMax() < to)) {
        warned = true;
        log.warning(
            "An example has contexts of %d and %d frames only (logged once).",
            output.getMin() - times.getMin(), times.getMax() - output.getMax());
      }
      inputs.add(input.between(from, to));
    }
    return new ChainExample(inputs, example.outputs());
  }

  private static IntSummaryStatistics times(List<Index> indexes) {
    return indexes.stream().mapToInt(Index::t).summaryStatistics();
  }

  private ChainExample.Output truncated(ChainExample.Output output) {
    int sequences = output.supervision().sequences();
    int frames = output.supervision().frames();
    if (frames < 2L * truncate.get() + 1) {
      throw new UsageException(
          String.format(
              Locale.ROOT,
              "[options] --truncate-deriv-weights must leave at least one frame of %d; got %d; give"
                  + " at most %d.",
              frames,
              truncate.get(),
              (frames - 1) / 2));
    }
    float[] weights = output.derivativeWeights().clone();
    if (weights.length == 0) {
      weights = new float[sequences * frames];
      Arrays.fill(weights, 1);
    }
    Arrays.fill(weights, 0, truncate.get() * sequences, 0);
    Arrays.fill(weights, (frames - truncate.get()) * sequences, weights.length, 0);
    return output.withDerivativeWeights(weights);
  }

  @Override
  protected ChainExample weighted(ChainExample example, float factor) {
    return change(example, output -> output.weighted(factor));
  }

  @Override
  protected ChainExample renamed(ChainExample example, String name) {
    return change(example, output -> output.renamed(name));
  }

  private static ChainExample change(
      ChainExample example, UnaryOperator<ChainExample.Output> change) {
    return new ChainExample(
        example.inputs(),
        OutputTargets.change(example.outputs(), ChainExample.Output::name, change));
  }
}
