package ristretto.nnet3.cli.chain;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import ristretto.expr.Context;
import ristretto.kernels.FileException;
import ristretto.nnet3.chain.ChainLoss;
import ristretto.nnet3.chain.ChainObjective;
import ristretto.nnet3.chain.ChainSupervision;
import ristretto.nnet3.chain.DenominatorGraph;
import ristretto.nnet3.cli.options.ChainFlags;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.text.Failures;

/** Computes the chain objective of given network outputs, and its derivatives. */
public final class ChainEval extends Tool {
  private final ChainFlags chain = new ChainFlags(options);

  public ChainEval() {
    super(
        "nnet3-chain-eval",
        """
        Computes the chain objective (lattice-free MMI) of network outputs. Writes numbers to
        out-dir/result.json, and derivatives and posteriors to out-dir/matrices.txt. The outputs are
        one matrix with the row frame * sequences + sequence for each frame of each sequence.

        Usage:  nnet3-chain-eval [options] <den-fst> <supervision> <nnet-output> <out-dir>
        e.g.
        nnet3-chain-eval --leaky-hmm-coefficient=0.1 den.fst sup.bin nnet-output.txt out
        See also: nnet3-eval
        """,
        4,
        4);
  }

  @Override
  public int run(List<String> arguments, CommandLog log) {
    DenominatorGraph graph = DenominatorGraph.load(arguments.get(0));
    ChainSupervision supervision = ChainSupervision.load(arguments.get(1));
    Matrix output = Holder.GENERAL_MATRIX.load(arguments.get(2)).toMatrix();
    Path folder = folder(arguments.get(3));
    try (Context context = Context.open()) {
      ChainObjective result = new ChainLoss(context, graph, chain.get()).of(supervision, output);
      KaldiOutput.write(
          folder.resolve("result.json").toString(), false, out -> out.writeText(json(result)));
      var matrices = new LinkedHashMap<String, Matrix>();
      matrices.put("deriv", result.derivative());
      if (!Arrays.equals(result.penalizedDerivative().data(), result.derivative().data())) {
        matrices.put("deriv-with-penalty", result.penalizedDerivative());
      }
      matrices.put("xent-deriv", result.xentDerivative());
      matrices.put("den-posteriors", result.denominatorPosteriors());
      matrices.put("num-posteriors", result.numeratorPosteriors());
      KaldiOutput.write(
          folder.resolve("matrices.txt").toString(),
          false,
          out -> {
            out.exactText();
            out.writeText("initial-probs ");
            out.writeVector(graph.initialProbabilities());
            matrices.forEach((name, matrix) -> {
              out.writeText(name + " ");
              out.writeMatrix(matrix);
            });
          });
      log.info(
          "Objective %s over weight %s, %s per frame.",
          result.objective(), result.weight(), result.objective() / result.weight());
    }
    return 0;
  }

  private static String json(ChainObjective result) {
    return """
    {
     "objf": %s,
     "l2_term": %s,
     "weight": %s,
     "den_logprob": %s,
     "num_logprob": %s,
     "den_ok": %b,
     "num_ok": %b
    }
    """
        .formatted(
            number(result.objective()),
            number(result.l2Term()),
            number(result.weight()),
            number(result.denominatorLogProb()),
            number(result.numeratorLogProb()),
            result.denominatorOk(),
            result.numeratorOk());
  }

  /** JSON has no infinite numbers and no NaN, which become strings. */
  private static String number(double v) {
    if (Double.isFinite(v)) {
      return Double.toString(v);
    }
    return Double.isNaN(v) ? "\"nan\"" : v > 0 ? "\"inf\"" : "\"-inf\"";
  }

  private static Path folder(String name) {
    try {
      return Files.createDirectories(Path.of(name));
    } catch (IOException e) {
      throw new FileException(
          String.format(
              Locale.ROOT,
              "[nnet3-chain-eval] the last argument must be a folder, or the path of a new one; got"
                  + " %s (%s); give another.",
              name,
              Failures.why(e)),
          e);
    }
  }
}
