package ristretto.cuda;

import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import jcuda.driver.CUgraph;
import jcuda.driver.CUresult;
import jcuda.driver.CUstreamCaptureMode;
import jcuda.driver.JCudaDriver;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Launch;
import ristretto.kernels.device.Recording;

/** Sequence of launches as a CUDA graph, which one driver call starts. */
final class CudaRecording implements Recording {
  private static final Cleaner CLEANER = Cleaner.create();

  private final CudaDevice device;
  private final CudaLaunch[] launches;
  private final Buffer[] buffers;
  private final Cleaner.Cleanable cleanable;
  private final long graph;

  private CudaRecording(
      CudaDevice device, CudaLaunch[] launches, Buffer[] buffers, Resources resources) {
    this.device = device;
    this.launches = launches;
    this.buffers = buffers;
    this.graph = resources.graph.handle();
    cleanable = CLEANER.register(this, resources);
    device.recorded(resources);
  }

  /**
   * Records launches of {@code device} as a graph, under the device's lock. Returns null if a
   * launch must run by itself: if its gather indices are computed by another of the launches, since
   * they must be checked before use, or if a debug tool watches it.
   */
  static CudaRecording of(CudaDevice device, List<Launch> all, Buffer[] buffers, long[] scalars) {
    Set<Buffer> written = Collections.newSetFromMap(new IdentityHashMap<>());
    var launches = new ArrayList<CudaLaunch>();
    for (Launch launch : all) {
      if (!(launch instanceof CudaLaunch own)
          || own.isWatched()
          || own.indices(buffers).stream().anyMatch(written::contains)) {
        return null;
      }
      written.addAll(own.targets(buffers));
      launches.add(own);
    }
    var resources = new Resources(device);
    try {
      resources.capture(launches, buffers.clone(), scalars);
    } catch (RuntimeException e) {
      resources.run();
      throw e;
    }
    return new CudaRecording(
        device, launches.toArray(CudaLaunch[]::new), buffers.clone(), resources);
  }

  @Override
  public void run() {
    synchronized (device) {
      device.checkOpen("program");
      device.enter();
      for (CudaLaunch launch : launches) {
        launch.check(buffers);
      }
      device.check(Calls.launchGraph(graph, device.stream.handle()), "program");
      for (CudaLaunch launch : launches) {
        launch.changed(buffers);
      }
    }
  }

  @Override
  public void close() {
    cleanable.clean();
  }

  /**
   * Driver objects of a recording, released when the recording becomes unreachable or its device
   * closes.
   */
  static final class Resources implements Runnable {
    private final CudaDevice device;
    private final Handles.Graph graph = new Handles.Graph();
    private final List<Handles.Memory> scratch = new ArrayList<>();
    private final List<Long> scratchBytes = new ArrayList<>();
    private boolean made;
    private boolean released;

    Resources(CudaDevice device) {
      this.device = device;
    }

    /**
     * Captures the launches into a graph. Allocation during capture is an error, so all memory and
     * library handles are created before.
     */
    private void capture(List<CudaLaunch> launches, Buffer[] buffers, long[] scalars) {
      for (CudaLaunch launch : launches) {
        long[] bytes = launch.scratchBytes();
        for (int k = 0; k < bytes.length; k++) {
          if (k == scratchBytes.size()) {
            scratchBytes.add(bytes[k]);
          }
          scratchBytes.set(k, Math.max(scratchBytes.get(k), bytes[k]));
        }
        if (launch.isProduct()) {
          device.products.session();
        }
      }
      // Launches run in sequence, so all share these temporary buffers.
      long[] addresses = new long[scratchBytes.size()];
      for (int k = 0; k < addresses.length; k++) {
        scratch.add(device.scratch(scratchBytes.get(k)));
        addresses[k] = scratch.get(k).address();
      }
      var captured = new CUgraph();
      int mode = CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED;
      device.check(JCudaDriver.cuStreamBeginCapture(device.stream, mode), "record");
      int status;
      try {
        for (CudaLaunch launch : launches) {
          launch.start(buffers, addresses, scalars);
        }
      } finally {
        status = JCudaDriver.cuStreamEndCapture(device.stream, captured);
      }
      device.check(status, "record");
      status = JCudaDriver.cuGraphInstantiate(graph, captured, 0);
      JCudaDriver.cuGraphDestroy(captured);
      device.check(status, "record");
      made = status == CUresult.CUDA_SUCCESS;
    }

    @Override
    public void run() {
      synchronized (device) {
        if (released || device.closed()) {
          return;
        }
        released = true;
        device.enter();
        if (made) {
          JCudaDriver.cuGraphExecDestroy(graph);
        }
        for (int k = 0; k < scratch.size(); k++) {
          device.giveBack(scratch.get(k), scratchBytes.get(k));
        }
        device.forgotten(this);
      }
    }
  }
}
