package ristretto.jmh.opencl;

import static org.jocl.CL.clEnqueueNDRangeKernel;

import java.util.List;
import org.jocl.cl_command_queue;
import org.jocl.cl_kernel;

/** Implementation of a line: kernel functions with their arguments set, launched in order. */
record Variant(String name, List<Start> starts) {
  /**
   * Launch of a kernel function.
   *
   * @param local size of a work-group; null for the driver's choice
   */
  record Start(cl_kernel kernel, long[] global, long[] local) {}

  void start(cl_command_queue queue) {
    for (int k = 0; k < starts.size(); k++) {
      Start s = starts.get(k);
      clEnqueueNDRangeKernel(queue, s.kernel, 1, null, s.global, s.local, 0, null, null);
    }
  }
}
