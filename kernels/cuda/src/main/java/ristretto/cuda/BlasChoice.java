package ristretto.cuda;

import java.util.Locale;
import ristretto.kernels.DeviceException;

/**
 * Policy for matrix products: cuBLAS or own kernels. The system property {@code
 * ristretto.cuda.blas} sets the policy.
 */
enum BlasChoice {
  /** cuBLAS for all but tiny products, if cuBLAS is installed. */
  AUTO,
  /** cuBLAS for every product that cuBLAS supports. */
  CUBLAS,
  /** Own kernels for all products. */
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
