package ristretto.nnet3.cli.chain;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.chain.ChainExample;
import ristretto.nnet3.chain.ChainSupervision;
import ristretto.nnet3.chain.NormalizeSupervision;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.options.UsageException;
import ristretto.nnet3.cli.tool.ExampleKind;
import ristretto.nnet3.cli.tool.Tool;

/** Adds the costs of the normalization FST to examples. */
public final class ChainNormalizeEgs extends Tool {
  private final Option<Float> scale =
      options.real("normalization-fst-scale", 1f, "Factor of the costs of the normalization FST");

  public ChainNormalizeEgs() {
    super(
        "nnet3-chain-normalize-egs",
        """
        Adds the costs of the normalization FST to examples of chain models, which were made by
        nnet3-chain-get-egs without one, or by nnet3-chain-e2e-get-egs.

        Usage:  nnet3-chain-normalize-egs [options] <normalization-fst> <egs-rspecifier> <egs-wspecifier>
        e.g.:
        nnet3-chain-normalize-egs dir/normalization.fst ark:train_in.cegs ark:train_out.cegs
        """,
        3,
        3);
  }

  @Override
  public int run(List<String> arguments, CommandLog log) {
    NormalizeSupervision normalization = load(arguments.get(0), scale.get());
    int written = 0;
    int errors = 0;
    try (var from = ExampleKind.CHAIN.reader(arguments.get(1));
        var to = ExampleKind.CHAIN.writer(arguments.get(2))) {
      while (from.next()) {
        Optional<ChainExample> normalized = normalized(normalization, from.key(), from.value());
        if (normalized.isPresent()) {
          to.write(from.key(), normalized.get());
          written++;
        } else {
          log.warning(
              "For example %s, FST was empty after composing with normalization FST. This should be"
                  + " extremely rare (a few per corpus, at most)",
              from.key());
          errors++;
        }
      }
      if (written > 0) {
        to.commit();
      }
    }
    log.info("Added normalization to %d egs; had errors on %d", written, errors);
    return written == 0 ? 1 : 0;
  }

  static NormalizeSupervision load(String rxfilename, float scale) {
    if (!(scale >= 0) || Float.isInfinite(scale)) {
      throw new UsageException(
          "[options] --normalization-fst-scale must not be negative; got %s; correct it."
              .formatted(scale));
    }
    return NormalizeSupervision.load(rxfilename, scale);
  }

  private static Optional<ChainExample> normalized(
      NormalizeSupervision normalization, String key, ChainExample example) {
    var outputs = new ArrayList<ChainExample.Output>();
    for (ChainExample.Output output : example.outputs()) {
      if (output.supervision().sequences() != 1) {
        throw new ShapeException(
            String.format(
                Locale.ROOT,
                "[egs] examples must have one sequence to be normalized; got %d in '%s'; normalize"
                    + " before merging.",
                output.supervision().sequences(),
                key));
      }
      Optional<ChainSupervision> weighted = normalization.apply(output.supervision());
      if (weighted.isEmpty()) {
        return Optional.empty();
      }
      outputs.add(output.with(weighted.get()));
    }
    return Optional.of(new ChainExample(example.inputs(), outputs));
  }
}
