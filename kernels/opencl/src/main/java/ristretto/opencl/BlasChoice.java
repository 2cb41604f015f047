package ristretto.opencl;

import java.util.Locale;
import ristretto.kernels.DeviceException;

/**
 * Policy for matrix products: CLBlast or own kernels. The system property {@code
 * ristretto.opencl.blas} sets the policy.
 */
enum BlasChoice {
  /** CLBlast for large products on GPUs, if CLBlast is installed. */
  AUTO,
  /** CLBlast for every product that CLBlast supports. */
  CLBLAST,
  /** Own kernels for all products. */
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
