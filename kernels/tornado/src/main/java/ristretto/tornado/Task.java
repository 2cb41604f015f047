package ristretto.tornado;

import ristretto.kernels.device.Buffer;

/** Unit of work that a launch enqueues: an entry point or a library call. */
sealed interface Task permits StepLaunch, BlasProduct {
  /**
   * Enqueues the work.
   *
   * @param buffers the kernel's buffers by argument number
   * @param scratch temporary buffers by the routine's numbers
   */
  void start(
      Accelerator.Queue queue, Buffer[] buffers, Accelerator.Memory[] scratch, long[] scalars);
}
