package ristretto.opencl;

import org.jocl.cl_command_queue;
import org.jocl.cl_mem;
import ristretto.kernels.device.Buffer;

/** Unit of work that a launch enqueues: a kernel function or a library call. */
sealed interface Task permits StepLaunch, BlasProduct {
  /**
   * Enqueues the work.
   *
   * @param buffers the kernel's buffers by argument number
   * @param scratch temporary buffers by the routine's numbers
   */
  void start(cl_command_queue queue, Buffer[] buffers, cl_mem[] scratch, long[] scalars);
}
