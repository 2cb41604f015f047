package ristretto.kernels.cpu.convolution;

import java.util.Optional;
import ristretto.kernels.ir.Kernel;

/**
 * Library that computes convolutions on the processor; a {@link java.util.ServiceLoader} service.
 */
public interface ConvolutionLibrary {
  /** Returns the name and version of the library. */
  String name();

  /**
   * Loads the library. Returns the reason why the library cannot be used and a remedy; empty if it
   * can.
   */
  Optional<String> problem();

  /**
   * Prepares a convolution of the kernel's kind and sizes; the kernel's operands and name are
   * ignored. Empty if the library has no code for it, or none faster than products with windows.
   */
  Optional<ConvolutionRoutine> routine(Kernel.Convolution kernel);
}
