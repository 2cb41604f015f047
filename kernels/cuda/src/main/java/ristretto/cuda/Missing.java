package ristretto.cuda;

/** Messages about missing drivers, GPUs and libraries, with remedies. */
final class Missing {
  private static final String NEED_DRIVER =
      "; for an NVIDIA GPU, install its driver (version 525 or later), and start containers with"
          + " --gpus all";

  private Missing() {}

  static String driver(String file) {
    return "no CUDA driver found (" + file + ")" + NEED_DRIVER;
  }

  static String gpu() {
    return "the CUDA driver finds no GPU" + NEED_DRIVER;
  }

  static String jcuda(String trouble) {
    return "JCuda's library for the CUDA driver does not load ("
        + trouble
        + "); put jcuda-natives for this platform beside jcuda on the class path or module path, or"
        + " use a device such as opencl";
  }

  static String answer(String answer) {
    return "the CUDA driver reports "
        + answer
        + "; see whether nvidia-smi shows the GPU, and update the driver if it does";
  }

  static String version(String version) {
    return "the driver is for CUDA "
        + version
        + ", and CUDA 12.0 is the oldest that works; update it to version 525 or later";
  }

  /**
   * Returns the message about a missing compiler.
   *
   * @param gpu name of the GPU
   * @param capability compute capability, such as "9.0"
   */
  static String compiler(String gpu, String capability) {
    return ("no compiler for %s (compute capability %s) found: neither NVRTC (libnvrtc.so.12 or"
            + " .13) nor nvcc; install one, for example with pip install"
            + " nvidia-cuda-nvrtc-cu12, and name its folder in RISTRETTO_CUDA_LIBRARIES if it"
            + " is not found")
        .formatted(gpu, capability);
  }
}
