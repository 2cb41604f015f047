package ristretto.kernels.cpu;

import java.util.Optional;
import ristretto.kernels.ir.Kernel;

/**
 * A library that computes convolutions on processors; a {@link java.util.ServiceLoader} service.
 */
public interface ConvolutionLibrary {
  /** Its name and version. */
  String name();

  /** Loads it. Answers why it cannot be used and what to do about that; empty if it can. */
  Optional<String> problem();

  /**
   * Prepares a convolution of its kind of sizes; empty where it has no code for it, or none that is
   * better than products with windows. The kernel's operands and name do not matter.
   */
  Optional<ConvolutionRoutine> routine(Kernel.Convolution kernel);
}
