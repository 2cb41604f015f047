package ristretto.nnet3.cli;

import java.util.Random;
import java.util.function.UnaryOperator;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.tool.CopyExamples;
import ristretto.nnet3.cli.tool.ExampleKind;
import ristretto.nnet3.cli.tool.OutputTargets;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.egs.NnetIo;

/** Copies examples of nnet3. */
final class CopyEgs extends CopyExamples<NnetExample> {
  CopyEgs() {
    super(ExampleKind.NNET3);
  }

  private final Option<String> frame =
      options.string("frame", "", "Time of the only output frame to keep, or 'random'");

  @Override
  protected UnaryOperator<NnetExample> select(Random random, CommandLog log) {
    return new SelectFrames(frame.get(), left.get(), right.get(), shift.get(), random, log)::apply;
  }

  @Override
  protected NnetExample weighted(NnetExample example, float factor) {
    return change(example, io -> io.scaled(factor));
  }

  @Override
  protected NnetExample renamed(NnetExample example, String name) {
    return change(example, io -> io.renamed(name));
  }

  private static NnetExample change(NnetExample example, UnaryOperator<NnetIo> change) {
    return new NnetExample(OutputTargets.change(example.io(), NnetIo::name, change));
  }
}
