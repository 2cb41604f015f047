package ristretto.opencl;

import org.jocl.cl_command_queue;
import org.jocl.cl_mem;
import ristretto.kernels.device.Buffer;

/** One piece of what a launch puts on the queue. */
sealed interface Task permits StepLaunch, BlasProduct {
  /**
   * @param buffers by the kernel's argument numbers
   * @param scratch by the routine's numbers of temporary buffers
   */
  void start(cl_command_queue queue, Buffer[] buffers, cl_mem[] scratch, long[] scalars);
}
