package ristretto.nnet3.component.dropout;

import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.config.ConfigLine;

/**
 * Base class of components that draw random numbers in training; in test mode they compute the mean
 * effect.
 */
public abstract class RandomComponent extends ComponentBase {
  boolean testMode;

  RandomComponent() {}

  /** Sets the test mode, in which no random numbers are drawn. */
  public final void setTestMode(boolean on) {
    testMode = on;
  }

  /**
   * Sets the dropout proportion.
   *
   * @return true if the type has a dropout proportion
   */
  public boolean setDropoutProportion(float proportion) {
    return false;
  }

  static float proportion(ConfigLine line, String key, float none) {
    float value = line.real(key, none);
    if (!(value >= 0 && value <= 1)) {
      throw line.error(key, key + " must be between 0 and 1");
    }
    return value;
  }
}
