package ristretto.kernels.cpu.convolution;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import ristretto.kernels.debug.Debug;
import ristretto.kernels.debug.Warnings;
import ristretto.kernels.device.Choice;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.scalar.ScalarType;

/** Choice of the code for a device's convolutions: a library, or products with windows. */
public final class ConvolutionChoice {
  static final String PROPERTY = "ristretto.cpu.dnn";

  /** Most routines kept; routines of other sizes are prepared again. */
  private static final int MOST = 512;

  private static final AtomicBoolean TOLD = new AtomicBoolean();

  private final boolean wanted;

  private final Map<Sizes, Optional<ConvolutionRoutine>> routines =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Sizes, Optional<ConvolutionRoutine>> eldest) {
          return size() > MOST;
        }
      };

  /** Cache key of routines. */
  private record Sizes(
      Kernel.Convolution.Made made,
      Kernel.Convolution.Windows windows,
      Longs images,
      Longs filters) {}

  /** Installed library, searched for once. */
  private static final class Found {
    static final Optional<ConvolutionLibrary> LIBRARY =
        ServiceLoader.load(ConvolutionLibrary.class, ConvolutionLibrary.class.getClassLoader())
            .findFirst();
    static final Optional<String> PROBLEM =
        LIBRARY.isEmpty()
            ? Optional.of("the module ristretto-onednn is missing; add it")
            : LIBRARY.get().problem();
  }

  /** Reason why the library cannot be used, if any. */
  static Optional<String> problem() {
    return Found.PROBLEM;
  }

  public ConvolutionChoice() {
    wanted = Choice.named("[cpu] the convolution library", PROPERTY, "auto", "own").equals("auto");
  }

  /** Returns the library's routine for a convolution; empty if the library does not compute it. */
  public Optional<ConvolutionRoutine> routine(Kernel.Convolution k) {
    if (!wanted || k.type() != ScalarType.F32) {
      return Optional.empty();
    }
    if (Found.PROBLEM.isPresent()) {
      tell(() -> missing(Found.PROBLEM.get()), true);
      return Optional.empty();
    }
    ConvolutionLibrary library = Found.LIBRARY.orElseThrow();
    tell(() -> "[cpu] convolutions by " + library.name(), false);
    synchronized (routines) {
      return routines.computeIfAbsent(
          new Sizes(k.made(), k.windows(), k.images(), k.filters()), _ -> choose(library, k));
    }
  }

  private static Optional<ConvolutionRoutine> choose(
      ConvolutionLibrary library, Kernel.Convolution k) {
    Optional<ConvolutionRoutine> routine = library.routine(k);
    Debug.log(
        Debug.DEVICES,
        () ->
            "[cpu] "
                + k.name()
                + routine
                    .map(r -> " by " + r.words())
                    .orElse(" runs as a matrix product, which is faster"));
    return routine;
  }

  /** Text of the warning that convolutions run as matrix products. */
  static String missing(String problem) {
    return ("[cpu] convolutions run as matrix products, several times slower than with oneDNN,"
            + " because %s, or set -D%s=own")
        .formatted(problem, PROPERTY);
  }

  private static void tell(Supplier<String> text, boolean warning) {
    if (TOLD.compareAndSet(false, true)) {
      if (warning) {
        Warnings.warn("ristretto.cpu", text.get());
      } else {
        Debug.log(Debug.DEVICES, text);
      }
    }
  }
}
