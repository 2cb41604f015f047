package ristretto.nnet3.features;

import java.util.Locale;
import ristretto.nnet3.ComputationException;

/**
 * Options of mel-frequency cepstral coefficients; named as Kaldi's.
 *
 * @param cepstra number of coefficients; {@code --num-ceps}
 * @param useEnergy true for the logarithm of the energy in place of the first coefficient
 * @param energyFloor least energy; 0 for none
 * @param rawEnergy true for the energy before preemphasis and windowing
 * @param lifter constant that scales the coefficients; 0 for none
 * @param htkCompatible true for the energy, or the first coefficient, in the last place
 */
public record MfccOptions(
    FrameOptions frames,
    MelOptions mel,
    int cepstra,
    boolean useEnergy,
    double energyFloor,
    boolean rawEnergy,
    double lifter,
    boolean htkCompatible) {
  /** Kaldi's default options. */
  public static final MfccOptions DEFAULT =
      new MfccOptions(FrameOptions.DEFAULT, MelOptions.DEFAULT, 13, true, 0, true, 22, false);

  /** Checks the options. */
  public MfccOptions {
    if (cepstra < 1 || cepstra > mel.bands()) {
      throw new ComputationException(
          String.format(
              Locale.ROOT,
              "[features] --num-ceps must be from 1 to --num-mel-bins; got %d of %d; correct it.",
              cepstra,
              mel.bands()));
    }
  }

  /** Returns the scaled cosines, one row per band and one column per coefficient. */
  float[] cosines() {
    int bands = mel.bands();
    var all = new float[bands * cepstra];
    for (int c = 0; c < cepstra; c++) {
      double scale = c == 0 ? Math.sqrt(1.0 / bands) : Math.sqrt(2.0 / bands);
      double lifted = lifter == 0 ? 1 : 1 + 0.5 * lifter * Math.sin(Math.PI * c / lifter);
      for (int b = 0; b < bands; b++) {
        all[b * cepstra + c] = (float) (lifted * scale * Math.cos(Math.PI / bands * (b + 0.5) * c));
      }
    }
    return all;
  }
}
