package ristretto.cuda;

import ristretto.kernels.device.Buffer;

/** Unit of work that a launch enqueues: a kernel function or a library call. */
sealed interface Task permits StepLaunch, BlasProduct, LtProduct, DnnConvolution, FftTransform {
  /**
   * Enqueues the work.
   *
   * @param buffers the kernel's buffers by argument number
   * @param scratch addresses of temporary buffers by the routine's numbers
   */
  void start(Buffer[] buffers, long[] scratch, long[] scalars);
}
