package ristretto.nnet3.tool;

/**
 * Kaldi's option {@code --use-gpu} of training commands, accepted with a warning that the option
 * has no effect.
 */
final class ComputationOptions {
  private final Option<String> useGpu;

  ComputationOptions(Options options) {
    useGpu = options.string("use-gpu", "", "Has no effect");
  }

  void tell(Log log) {
    if (!useGpu.get().isEmpty()) {
      log.warning("The option --%s has no effect.", useGpu.name);
    }
  }
}
