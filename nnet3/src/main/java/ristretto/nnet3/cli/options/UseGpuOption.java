package ristretto.nnet3.cli.options;

/**
 * Kaldi's option {@code --use-gpu} of training commands, accepted with a warning that the option
 * has no effect.
 */
public final class UseGpuOption {
  private final Option<String> useGpu;

  public UseGpuOption(ParseOptions options) {
    useGpu = options.string("use-gpu", "", "Has no effect");
  }

  public void tell(CommandLog log) {
    if (!useGpu.get().isEmpty()) {
      log.warning("The option --%s has no effect.", useGpu.name);
    }
  }
}
