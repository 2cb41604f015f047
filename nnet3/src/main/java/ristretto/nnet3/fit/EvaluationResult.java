package ristretto.nnet3.fit;

import java.util.List;
import java.util.Locale;
import ristretto.nnet3.edit.EditLog;
import ristretto.nnet3.edit.NetworkEdits;
import ristretto.nnet3.network.Nnet;

/**
 * Measures of a network on examples, in evaluation mode.
 *
 * @param objective average objective
 * @param measures other averages, such as the accuracy
 */
record EvaluationResult(double objective, List<Double> measures) {
  /** Copy of a network with batch normalization and dropout in test mode. */
  static Nnet inTestMode(Nnet nnet) {
    return new NetworkEdits(nnet, EditLog.NONE)
        .setBatchNormTestMode(true)
        .setDropoutTestMode(true)
        .collapse()
        .nnet();
  }

  /** Objective and measures by their names. */
  String words(List<String> names) {
    var words = new StringBuilder(number(objective));
    for (int m = 0; m < names.size(); m++) {
      words.append(", ").append(names.get(m)).append(' ').append(number(measures.get(m)));
    }
    return words.toString();
  }

  static String number(double value) {
    return String.format(Locale.ROOT, "%.4f", value);
  }
}
