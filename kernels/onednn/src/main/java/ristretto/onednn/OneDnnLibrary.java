package ristretto.onednn;

import java.util.Optional;
import ristretto.kernels.cpu.convolution.ConvolutionLibrary;
import ristretto.kernels.cpu.convolution.ConvolutionRoutine;
import ristretto.kernels.ir.Kernel;

/** oneDNN as convolution library of the cpu device. */
public final class OneDnnLibrary implements ConvolutionLibrary {
  @Override
  public String name() {
    return "oneDNN " + OneDnn.version();
  }

  @Override
  public Optional<String> problem() {
    return OneDnnFiles.problem();
  }

  @Override
  public Optional<ConvolutionRoutine> routine(Kernel.Convolution kernel) {
    if (!RoutineBuilder.suits(kernel)) {
      return Optional.empty();
    }
    int threads = OneDnn.alone();
    try {
      return new RoutineBuilder(kernel).build();
    } finally {
      OneDnn.restore(threads);
    }
  }
}
