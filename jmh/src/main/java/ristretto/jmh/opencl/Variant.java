package ristretto.jmh.opencl;

import static org.jocl.CL.clEnqueueNDRangeKernel;

import java.util.List;
import org.jocl.cl_command_queue;
import org.jocl.cl_kernel;

/** One way to do a line: kernel functions with their arguments set, started in order. */
record Variant(String name, List<Start> starts) {
  /**
   * @param local items of a group; null to leave it to the driver
   */
  record Start(cl_kernel kernel, long[] global, long[] local) {}

  void start(cl_command_queue queue) {
    for (int k = 0; k < starts.size(); k++) {
      Start s = starts.get(k);
      clEnqueueNDRangeKernel(queue, s.kernel, 1, null, s.global, s.local, 0, null, null);
    }
  }
}
