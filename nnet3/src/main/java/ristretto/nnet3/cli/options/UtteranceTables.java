package ristretto.nnet3.cli.options;

import java.util.List;
import ristretto.nnet3.decode.UtteranceOutputs;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.TableWriter;
import ristretto.nnet3.matrix.Matrix;

/** Options of commands that write the outputs of utterances. */
public final class UtteranceTables {
  private final UtteranceInputs inputs;
  private final Option<Boolean> exp;
  private final Option<Boolean> usePriors;
  private final Option<Boolean> onlyFinite;

  public UtteranceTables(ParseOptions options) {
    onlyFinite = options.onlyFinite();
    inputs = new UtteranceInputs(options);
    exp = options.bool("apply-exp", false, "Write the exponential of the output");
    usePriors =
        options.bool(
            "use-priors", false, "Subtract the logarithms of the priors; the model must be a .mdl");
  }

  public EvaluationModel model(String rxfilename, CommandLog log) {
    return EvaluationModel.load(rxfilename, usePriors.get(), onlyFinite.get(), log);
  }

  /** Takes the exponential of an output, in place, if the option says so. */
  private void finish(Matrix output) {
    float[] data = output.data();
    for (int k = 0; exp.get() && k < data.length; k++) {
      data[k] = (float) Math.exp(data[k]);
    }
  }

  /** Number of utterances whose outputs were written. */
  private int done;

  private long frames;

  /** Reads all utterances, computes and writes their outputs, and returns the exit code. */
  public int run(
      List<String> arguments,
      EvaluationModel model,
      UtteranceOutputs computer,
      float scale,
      CommandLog log) {
    long start = System.nanoTime();
    int failed;
    try (var writer = TableWriter.open(arguments.get(2), Holder.MATRIX)) {
      failed =
          inputs.run(
              arguments.get(1),
              _ -> true,
              computer,
              log,
              next -> {
                model.score(next.output(), scale);
                finish(next.output());
                writer.write(next.utterance().key(), next.output());
                frames += next.utterance().features().rows();
                done++;
              });
      if (done > 0) {
        writer.commit();
      }
    }
    UtteranceInputs.tell(done, failed, frames, start, log);
    return done > 0 ? 0 : 1;
  }
}
