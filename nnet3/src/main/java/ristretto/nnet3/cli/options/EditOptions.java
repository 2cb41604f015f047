package ristretto.nnet3.cli.options;

import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.edit.EditLog;
import ristretto.nnet3.edit.NetworkEdits;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.network.Nnet;

/** Common options of nnet3-copy and nnet3-am-copy, and the edits of a network that they request. */
public final class EditOptions {
  private final Option<Float> learningRate;
  private final Option<Float> scale;
  private final Option<String> nnetConfig;
  private final Option<String> editsConfig;
  private final Option<String> edits;
  private final Option<Boolean> prepareForTest;

  public EditOptions(ParseOptions options) {
    learningRate =
        options.real(
            "learning-rate",
            -1,
            "If not negative, learning rate of all updatable components, times each one's factor");
    nnetConfig =
        options.string(
            "nnet-config",
            "",
            "Config file that adds or replaces components and nodes, as for nnet3-init");
    editsConfig =
        options.string(
            "edits-config",
            "",
            "File of edits such as 'remove-orphans', applied after --nnet-config");
    edits = options.string("edits", "", "Semicolon-separated edits, such as 'remove-orphans'");
    scale = options.real("scale", 1, "Factor of all parameters and statistics");
    prepareForTest =
        options.bool(
            "prepare-for-test",
            false,
            "Put batch normalization in test mode, disable dropout, and merge components");
  }

  /** Applies the config of {@code --nnet-config} to a network, if given. */
  public Nnet withConfig(Nnet nnet) {
    String file = nnetConfig.get();
    return file.isEmpty() ? nnet : nnet.withConfig(file, KaldiInput.text(file, "a config"), 0);
  }

  /** Starts edits of a network and sets its learning rate, if given. */
  public NetworkEdits begin(Nnet nnet, CommandLog log) {
    var changed = new NetworkEdits(nnet, heard(log));
    return learningRate.get() >= 0 ? changed.setLearningRate(learningRate.get()) : changed;
  }

  /** Multiplies parameters and statistics by {@code --scale}. */
  public void scale(NetworkEdits changed) {
    changed.scale(scale.get());
  }

  /** Applies the edits of {@code --edits-config}, then those of {@code --edits}. */
  public void edit(NetworkEdits changed) {
    String file = editsConfig.get();
    if (!file.isEmpty()) {
      changed.apply(ConfigLine.parse(file, KaldiInput.text(file, "a config")));
    }
    changed.apply(ConfigLine.parse("--edits", edits.get().replace(';', '\n')));
  }

  /**
   * Prepares the network for evaluation if {@code --prepare-for-test} is set; returns true if so.
   */
  public boolean prepare(NetworkEdits changed) {
    if (prepareForTest.get()) {
      changed.prepareForTest();
    }
    return prepareForTest.get();
  }

  static EditLog heard(CommandLog log) {
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
