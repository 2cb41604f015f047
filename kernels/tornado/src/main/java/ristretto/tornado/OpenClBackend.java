package ristretto.tornado;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collections;
import java.util.ListIterator;
import java.util.Set;
import java.util.WeakHashMap;
import jdk.graal.compiler.java.GraphBuilderPhase;
import jdk.graal.compiler.phases.BasePhase;
import jdk.graal.compiler.phases.PhaseSuite;
import jdk.graal.compiler.phases.tiers.HighTierContext;
import uk.ac.manchester.tornado.api.enums.TornadoVMBackendType;
import uk.ac.manchester.tornado.drivers.opencl.OCLDeviceContext;
import uk.ac.manchester.tornado.drivers.opencl.OCLEvent;
import uk.ac.manchester.tornado.drivers.opencl.OCLKernel;
import uk.ac.manchester.tornado.drivers.opencl.graal.OCLInstalledCode;
import uk.ac.manchester.tornado.drivers.opencl.runtime.OCLTornadoDevice;
import uk.ac.manchester.tornado.runtime.common.TornadoInstalledCode;
import uk.ac.manchester.tornado.runtime.common.TornadoXPUDevice;
import uk.ac.manchester.tornado.runtime.graal.compiler.TornadoSuitesProvider;
import uk.ac.manchester.tornado.runtime.graal.phases.TornadoLowTierContext;

/**
 * Extends TornadoVM's compiler to OpenCL C with the nodes and passes that rendered programs need.
 */
final class OpenClBackend {
  /** Suites that are already extended. */
  private static final Set<Object> DONE = Collections.newSetFromMap(new WeakHashMap<>());

  /** Number of TornadoVM's kernel arguments before a method's own. */
  private static final int OWN_ARGUMENTS = 4;

  private static final ByteBuffer NUMBER = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder());
  private static final long[] NO_OFFSET = {0, 0, 0};

  private OpenClBackend() {}

  /**
   * Adds the nodes and passes to the suites of the device, once.
   *
   * @param sketching suites that parse methods for this device
   */
  static synchronized void prepare(TornadoXPUDevice device, TornadoSuitesProvider sketching) {
    PhaseSuite<HighTierContext> builder = sketching.getGraphBuilderSuite();
    if (DONE.add(builder)) {
      var phase = (GraphBuilderPhase) builder.findPhase(GraphBuilderPhase.class, true).previous();
      phase.getGraphBuilderConfig().getPlugins().appendNodePlugin(new OpenClFunctions());
    }
    PhaseSuite<TornadoLowTierContext> low =
        ((OCLTornadoDevice) device).getBackend().getTornadoSuites().getSuites().getLowTier();
    if (DONE.add(low)) {
      ListIterator<BasePhase<? super TornadoLowTierContext>> last = low.findLastPhase();
      last.previous();
      last.add(new OpenClRepairs());
    }
  }

  /** Returns false if this is an OpenCL device whose driver rejected the command of the event. */
  static boolean started(TornadoXPUDevice device, long queue, int event) {
    return device.getTornadoVMBackend() != TornadoVMBackendType.OPENCL
        || ((OCLEvent) device.resolveEvent(queue, event)).getOclEventID() != 0;
  }

  /**
   * Relaunches a kernel that TornadoVM launched before, with changed arguments only: TornadoVM
   * itself would set all arguments and write to the device each time.
   *
   * @param before values of the previous launch; updated to the values of this one
   * @param now numbers, and addresses of memory
   */
  static synchronized int startAgain(
      TornadoXPUDevice device,
      long queue,
      TornadoInstalledCode code,
      long[] before,
      long[] now,
      long[] global,
      long[] local) {
    OCLKernel kernel = ((OCLInstalledCode) code).getKernel();
    for (int k = 0; k < now.length; k++) {
      if (now[k] != before[k]) {
        NUMBER.clear();
        kernel.setArg(OWN_ARGUMENTS + k, NUMBER.putLong(now[k]));
        before[k] = now[k];
      }
    }
    return ((OCLDeviceContext) device.getDeviceContext())
        .enqueueNDRangeKernel(queue, kernel, global.length, NO_OFFSET, global, local, null);
  }

  /**
   * Throws if the driver made no kernel. TornadoVM would go on with the invalid kernel, which
   * crashes the process.
   */
  static void check(TornadoInstalledCode code) {
    if (((OCLInstalledCode) code).getKernel().getOclKernelID() <= 0) {
      throw new IllegalStateException("the OpenCL driver created no kernel");
    }
  }
}
