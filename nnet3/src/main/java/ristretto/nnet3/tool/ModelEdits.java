package ristretto.nnet3.tool;

import ristretto.nnet3.ConfigLine;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.component.EditLog;
import ristretto.nnet3.component.Edits;
import ristretto.nnet3.io.KaldiInput;

/** Common options of nnet3-copy and nnet3-am-copy, and the edits of a network that they request. */
final class ModelEdits {
  private final Option<Float> learningRate;
  private final Option<Float> scale;
  private final Option<String> nnetConfig;
  private final Option<String> editsConfig;
  private final Option<String> edits;
  private final Option<Boolean> prepareForTest;

  ModelEdits(Options options) {
    learningRate =
        options.real(
            "learning-rate",
            -1,
            "Learning rate of all updatable components, each times its factor, unless negative");
    nnetConfig =
        options.string(
            "nnet-config", "", "Config file that adds or replaces parts, as for nnet3-init");
    editsConfig =
        options.string(
            "edits-config", "", "File of edits such as 'remove-orphans', done after --nnet-config");
    edits =
        options.string("edits", "", "Edits with semicolons between them, such as 'remove-orphans'");
    scale = options.real("scale", 1, "What parameters and statistics are multiplied by");
    prepareForTest =
        options.bool(
            "prepare-for-test",
            false,
            "Use statistics in batch normalization and no dropout, and merge components");
  }

  /** Applies the config of {@code --nnet-config} to a network, if given. */
  Nnet withConfig(Nnet nnet) {
    String file = nnetConfig.get();
    return file.isEmpty() ? nnet : nnet.withConfig(file, KaldiInput.text(file, "a config"), 0);
  }

  /** Starts edits of a network and sets its learning rate, if given. */
  Edits begin(Nnet nnet, Log log) {
    var changed = new Edits(nnet, heard(log));
    return learningRate.get() >= 0 ? changed.setLearningRate(learningRate.get()) : changed;
  }

  /** Multiplies parameters and statistics by {@code --scale}. */
  void scale(Edits changed) {
    changed.scale(scale.get());
  }

  /** Applies the edits of {@code --edits-config}, then those of {@code --edits}. */
  void edit(Edits changed) {
    String file = editsConfig.get();
    if (!file.isEmpty()) {
      changed.apply(ConfigLine.parse(file, KaldiInput.text(file, "a config")));
    }
    changed.apply(ConfigLine.parse("--edits", edits.get().replace(';', '\n')));
  }

  /**
   * Prepares the network for evaluation if {@code --prepare-for-test} is set; returns true if so.
   */
  boolean prepare(Edits changed) {
    if (prepareForTest.get()) {
      changed.prepareForTest();
    }
    return prepareForTest.get();
  }

  static EditLog heard(Log log) {
    return new EditLog() {
      @Override
      public void info(String text) {
        log.info("%s", text);
      }

      @Override
      public void warning(String text) {
        log.warning("%s", text);
      }
    };
  }
}
