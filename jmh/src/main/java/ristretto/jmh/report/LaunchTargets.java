package ristretto.jmh.report;

/** Targets for launches and start-up. */
public final class LaunchTargets {
  /** Assignment of a cached expression of ten nodes, in microseconds above the bare loop. */
  public static final double CACHED_MICROS = 3;

  /** Run of a recorded expression of ten nodes, in microseconds above the bare loop. */
  public static final double RECORDED_MICROS = 0.5;

  /** Launch on an OpenCL device, in microseconds above a launch by bare calls. */
  public static final double OPENCL_MICROS = 15;

  /** Host time of an assignment of a cached expression on an NVIDIA GPU, in microseconds. */
  public static final double CUDA_MICROS = 8;

  /**
   * Time per kernel of a recorded program of a hundred kernels on an NVIDIA GPU, in microseconds.
   */
  public static final double CUDA_PROGRAM_MICROS = 2.5;

  /** First run of a kernel in a warm process, in milliseconds. */
  public static final double FIRST_KERNEL_MILLIS = 30;

  /** First sigmoid of a million elements in a new process, in milliseconds. */
  public static final double COLD_SIGMOID_MILLIS = 150;

  /** First Black-Scholes of a million elements in a new process, in milliseconds. */
  public static final double COLD_BLACK_SCHOLES_MILLIS = 300;

  /** Time until a new process runs at full speed, in seconds. */
  public static final double FULL_SPEED_SECONDS = 2;

  /** Duration of {@code ./ristretto run} of an unchanged script of three lines, in seconds. */
  public static final double SCRIPT_SECONDS = 0.7;

  private LaunchTargets() {}
}
