package ristretto.opencl;

import java.util.Locale;
import ristretto.kernels.DeviceException;

/** Which products CLBlast computes. */
enum BlasChoice {
  /** Large ones on GPUs, if it is there. */
  AUTO,
  /** All that it can. */
  CLBLAST,
  /** None. */
  OWN;

  private static final String PROPERTY = "ristretto.opencl.blas";

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
        "[opencl] the products' library must be auto, clblast or own; got \""
            + text
            + "\"; correct -D"
            + PROPERTY);
  }
}
