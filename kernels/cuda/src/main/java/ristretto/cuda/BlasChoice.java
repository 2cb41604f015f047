package ristretto.cuda;

import java.util.Locale;
import ristretto.kernels.DeviceException;

/** Which products cuBLAS computes. */
enum BlasChoice {
  /** All but tiny ones, if it is there. */
  AUTO,
  /** All that it can. */
  CUBLAS,
  /** None. */
  OWN;

  private static final String PROPERTY = "ristretto.cuda.blas";

  static BlasChoice fromSystem() {
    String text = System.getProperty(PROPERTY);
    if (text == null || text.isBlank()) {
      return AUTO;
    }
    for (BlasChoice choice : values()) {
      if (choice.name().toLowerCase(Locale.ROOT).equals(text.trim())) {
        return choice;
      }
    }
    throw new DeviceException(
        "[cuda] the products' library must be auto, cublas or own; got \""
            + text
            + "\"; correct -D"
            + PROPERTY);
  }
}
