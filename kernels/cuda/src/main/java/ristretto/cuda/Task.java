package ristretto.cuda;

import ristretto.kernels.device.Buffer;

/** One piece of what a launch puts on the stream. */
sealed interface Task permits StepLaunch, BlasProduct, LtProduct, DnnConvolution {
  /**
   * @param buffers by the kernel's argument numbers
   * @param scratch addresses, by the routine's numbers of temporary buffers
   */
  void start(Buffer[] buffers, long[] scratch, long[] scalars);
}
