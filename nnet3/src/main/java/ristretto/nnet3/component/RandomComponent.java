package ristretto.nnet3.component;

import ristretto.nnet3.ConfigLine;

/** Draws random numbers while training; in test mode it does what they do on average. */
public abstract class RandomComponent extends ComponentBase {
  boolean testMode;

  RandomComponent() {}

  /** Whether no random numbers are drawn. */
  public final boolean testMode() {
    return testMode;
  }

  /** Sets whether no random numbers are drawn. */
  public final void setTestMode(boolean on) {
    testMode = on;
  }

  /** Sets how much is dropped; whether the type drops a proportion. */
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
