package ristretto.nnet3.tool;

/** Kaldi's option of commands that train: accepted, and a warning says that it has no effect. */
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
