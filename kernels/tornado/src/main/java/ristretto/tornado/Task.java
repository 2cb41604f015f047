package ristretto.tornado;

import ristretto.kernels.device.Buffer;

/** One piece of what a launch puts on the queue. */
sealed interface Task permits StepLaunch, BlasProduct {
  /**
   * @param buffers by the kernel's argument numbers
   * @param scratch by the routine's numbers of temporary buffers
   */
  void start(
      Accelerator.Queue queue, Buffer[] buffers, Accelerator.Memory[] scratch, long[] scalars);
}
