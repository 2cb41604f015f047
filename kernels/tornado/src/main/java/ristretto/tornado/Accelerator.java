package ristretto.tornado;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import jdk.vm.ci.meta.ResolvedJavaMethod;
import ristretto.kernels.driver.SignalHandlers;
import uk.ac.manchester.tornado.api.GridScheduler;
import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.WorkerGrid3D;
import uk.ac.manchester.tornado.api.common.Access;
import uk.ac.manchester.tornado.api.enums.TornadoDeviceType;
import uk.ac.manchester.tornado.api.enums.TornadoVMBackendType;
import uk.ac.manchester.tornado.api.exceptions.TornadoBailoutRuntimeException;
import uk.ac.manchester.tornado.api.exceptions.TornadoOutOfMemoryException;
import uk.ac.manchester.tornado.api.memory.XPUBuffer;
import uk.ac.manchester.tornado.api.types.arrays.ByteArray;
import uk.ac.manchester.tornado.api.types.arrays.TornadoNativeArray;
import uk.ac.manchester.tornado.runtime.TornadoAcceleratorBackend;
import uk.ac.manchester.tornado.runtime.TornadoCoreRuntime;
import uk.ac.manchester.tornado.runtime.common.KernelStackFrame;
import uk.ac.manchester.tornado.runtime.common.TornadoInstalledCode;
import uk.ac.manchester.tornado.runtime.common.TornadoXPUDevice;
import uk.ac.manchester.tornado.runtime.common.XPUDeviceBufferState;
import uk.ac.manchester.tornado.runtime.profiler.EmptyProfiler;
import uk.ac.manchester.tornado.runtime.sketcher.SketchRequest;
import uk.ac.manchester.tornado.runtime.tasks.CompilableTask;
import uk.ac.manchester.tornado.runtime.tasks.meta.ScheduleContext;

/**
 * Device of TornadoVM, driven below TornadoVM's task API so that code is compiled once and runs on
 * any memory. Used under its own lock, since TornadoVM's devices are shared.
 */
final class Accelerator {
  /** Size in bytes of the header before the content of each TornadoVM array. */
  private static final long HEADER = TornadoNativeArray.ARRAY_HEADER;

  /** Size in bytes of the staging array for transfers. */
  private static final int PIECE = 8 << 20;

  /**
   * Largest number of work items of a kernel that is relaunched directly. TornadoVM launches larger
   * ones: on PoCL they took up to twice as long otherwise, and their launch overhead is negligible.
   */
  private static final long MOST_STARTED_AGAIN = 1 << 22;

  private static final AtomicLong NUMBERS = new AtomicLong(1L << 40);
  private static List<Accelerator> all;

  private final TornadoXPUDevice device;
  private final int backend;

  /** TornadoVM's key for compiled code. */
  private final long plan = NUMBERS.incrementAndGet();

  private ByteArray staging;
  private XPUBuffer window;

  private Accelerator(TornadoXPUDevice device, int backend) {
    this.device = device;
    this.backend = backend;
  }

  /** Returns the devices of all backends. */
  static synchronized List<Accelerator> all() {
    if (all == null) {
      Settings.apply();
      all = SignalHandlers.keep(Accelerator::find);
    }
    return all;
  }

  private static List<Accelerator> find() {
    TornadoCoreRuntime runtime = TornadoCoreRuntime.getTornadoRuntime();
    var found = new ArrayList<Accelerator>();
    for (int b = 0; b < runtime.getNumBackends(); b++) {
      for (int d = 0; d < runtime.getBackend(b).getNumDevices(); d++) {
        found.add(new Accelerator((TornadoXPUDevice) runtime.getBackend(b).getDevice(d), b));
      }
    }
    return List.copyOf(found);
  }

  /** Describes the device for users: model, type, backend of TornadoVM, platform. */
  String description() {
    return "%s, %s, %s backend, %s"
        .formatted(
            device.getPhysicalDevice().getDeviceName().strip(),
            device.getDeviceType(),
            device.getTornadoVMBackend(),
            device.getPlatformName().strip());
  }

  /** Returns cuBLAS for this device; null if it has none. */
  CuBlas cuBlas() {
    return CuBlas.of(device);
  }

  boolean processor() {
    return device.getDeviceType() == TornadoDeviceType.CPU;
  }

  boolean computesF64() {
    return device.getDeviceContext().isFP64Supported();
  }

  int units() {
    return device.getPhysicalDevice().getDeviceMaxComputeUnits();
  }

  long largestGroup() {
    return device.getPhysicalDevice().getDeviceMaxWorkGroupSize()[0];
  }

  long localMemory() {
    return device.getDeviceLocalMemorySize();
  }

  long memory() {
    return device.getMaxGlobalMemory();
  }

  long largestBuffer() {
    return device.getMaxAllocMemory() - HEADER;
  }

  /** Allocation in the device's memory. */
  static final class Memory {
    private final XPUDeviceBufferState state;

    private Memory(XPUDeviceBufferState state) {
      this.state = state;
    }

    private long handle() {
      return state.getXPUBuffer().toBuffer();
    }

    /** Address of the content, on backends whose memory has addresses. */
    long address() {
      return handle() + HEADER;
    }
  }

  /** Allocates memory; null if the device has not enough. */
  Memory allocate(long bytes) {
    var state = new XPUDeviceBufferState();
    try {
      // TornadoVM allocates the size of the batch.
      device.allocate(new ByteArray(1), bytes, state, Access.READ_WRITE);
    } catch (TornadoOutOfMemoryException e) {
      return null;
    }
    var memory = new Memory(state);
    return memory.handle() > 0 ? memory : null;
  }

  void release(Memory memory) {
    device.deallocate(memory.state);
  }

  /** In-order queue that any thread may use. */
  final class Queue {
    private final long number = NUMBERS.incrementAndGet();

    /**
     * Last thread that enqueued work. TornadoVM has one queue per thread, so another thread must
     * wait for the work of the last one.
     */
    private Thread last = Thread.currentThread();

    private int lastEvent = -1;

    private void enter() {
      Thread now = Thread.currentThread();
      if (now != last) {
        if (lastEvent >= 0) {
          device.resolveEvent(number, lastEvent).waitForEvents(number);
        }
        last = now;
        lastEvent = -1;
      }
    }

    void write(Memory memory, long offset, MemorySegment source) {
      enter();
      for (long done = 0; done < source.byteSize(); done += PIECE) {
        MemorySegment piece = source.asSlice(done, Math.min(PIECE, source.byteSize() - done));
        window(memory, offset + done, piece.byteSize());
        staging.getSegment().copyFrom(piece);
        window.enqueueWrite(number, staging, 1, 0, null, false);
        device.sync(number);
      }
    }

    void read(Memory memory, long offset, MemorySegment target) {
      enter();
      for (long done = 0; done < target.byteSize(); done += PIECE) {
        MemorySegment piece = target.asSlice(done, Math.min(PIECE, target.byteSize() - done));
        window(memory, HEADER + offset + done, piece.byteSize());
        window.read(number, staging, HEADER, 0, null, false);
        piece.copyFrom(staging.getSegment().asSlice(0, piece.byteSize()));
      }
    }

    /**
     * Launches a kernel.
     *
     * @param arguments each a {@link Memory} or a {@link Long}
     */
    void launch(Code code, Object[] arguments, long[] global, long[] local) {
      enter();
      for (int k = 0; k < arguments.length; k++) {
        code.values[k] =
            switch (arguments[k]) {
              case Memory m -> m.handle();
              case Long number -> number;
              default -> throw new IllegalArgumentException(arguments[k].toString());
            };
      }
      if (code.started
          && global[0] * global[1] * global[2] <= MOST_STARTED_AGAIN
          && device.getTornadoVMBackend() == TornadoVMBackendType.OPENCL) {
        lastEvent =
            OpenClBackend.startAgain(
                device, number, code.installed, code.set, code.values, global, local);
      } else {
        start(code, global, local);
      }
      if (!OpenClBackend.started(device, number, lastEvent)) {
        lastEvent = -1;
        throw new TornadoBailoutRuntimeException("the driver refused to start the kernel");
      }
    }

    private void start(Code code, long[] global, long[] local) {
      code.frame.reset();
      code.frame.addCallArgument(new KernelStackFrame.KernelContextArgument(), false);
      for (int k = 0; k < code.values.length; k++) {
        code.frame.addCallArgument(code.values[k], true);
        code.set[k] = code.values[k];
      }
      code.frame.setKernelContext(new HashMap<>());
      code.grid.setGlobalWork(global[0], global[1], global[2]);
      code.grid.setLocalWork(local[0], local[1], local[2]);
      lastEvent =
          code.installed.launchWithDependencies(
              number, code.frame, null, code.task.meta(), 0, null);
      if (code.grid.getLocalWork() == null) {
        throw new TornadoBailoutRuntimeException(
            "thread groups are larger than the device supports");
      }
      code.started = true;
    }

    /** Enqueues a library call, which receives the number of TornadoVM's execution plan. */
    void library(LongConsumer call) {
      enter();
      call.accept(number);
      lastEvent = device.enqueueMarker(number);
    }

    void finish() {
      enter();
      device.sync(number);
    }

    void close() {
      finish();
      device.getDeviceContext().reset(number);
    }
  }

  /** Points the transfer buffer at a region of the memory. */
  private void window(Memory memory, long offset, long bytes) {
    if (window == null) {
      staging = new ByteArray(PIECE);
      var state = new XPUDeviceBufferState();
      device.allocate(new ByteArray(1), 0, state, Access.READ_WRITE);
      window = state.getXPUBuffer();
    }
    window.setBuffer(new XPUBuffer.XPUBufferWrapper(memory.handle(), offset));
    window.setSizeSubRegion(bytes);
  }

  /** Compiled code of a method. */
  static final class Code {
    private final TornadoInstalledCode installed;
    private final CompilableTask task;
    private final WorkerGrid3D grid;
    private final KernelStackFrame frame;

    /** Values of the arguments for the next launch, and those that the driver has. */
    private final long[] values;

    private final long[] set;
    private boolean started;

    private Code(
        TornadoInstalledCode installed,
        CompilableTask task,
        WorkerGrid3D grid,
        KernelStackFrame frame,
        int arguments) {
      this.installed = installed;
      this.task = task;
      this.grid = grid;
      this.frame = frame;
      values = new long[arguments];
      set = new long[arguments];
    }
  }

  /** Compiles a static method whose parameters are the kernel context, then buffers and numbers. */
  Code compile(Method method) {
    Class<?>[] types = method.getParameterTypes();
    var arguments = new Object[types.length];
    arguments[0] = new KernelContext();
    for (int k = 1; k < types.length; k++) {
      // TornadoVM would compile a sample number into the code as a constant.
      arguments[k] = types[k].isPrimitive() ? null : sample(types[k]);
    }
    String name = "ristretto" + NUMBERS.incrementAndGet();
    var task = new CompilableTask(new ScheduleContext(name), "kernel", method, arguments);
    task.setDevice(device);
    var grid = new WorkerGrid3D(1, 1, 1);
    var scheduler = new GridScheduler(name + ".kernel", grid);
    task.setUseGridScheduler(true);
    task.setGridScheduler(scheduler);
    task.meta().setGridScheduler(scheduler);
    task.attachProfiler(new EmptyProfiler());
    sketch(task, method);
    TornadoInstalledCode installed = device.installCode(plan, task);
    if (installed == null || !installed.isValid()) {
      throw new IllegalStateException("TornadoVM installed no code");
    }
    if (device.getTornadoVMBackend() == TornadoVMBackendType.OPENCL) {
      OpenClBackend.check(installed);
    }
    var frame = device.createKernelStackFrame(plan, types.length, Access.NONE);
    return new Code(installed, task, grid, frame, types.length - 1);
  }

  private static Object sample(Class<?> type) {
    try {
      return type.getConstructor(int.class).newInstance(1);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private void sketch(CompilableTask task, Method method) {
    TornadoCoreRuntime runtime = TornadoCoreRuntime.getTornadoRuntime();
    TornadoAcceleratorBackend owner = runtime.getBackend(backend);
    var suites = owner.getSuitesProvider();
    if (device.getTornadoVMBackend() == TornadoVMBackendType.OPENCL) {
      OpenClBackend.prepare(device, suites);
    }
    ResolvedJavaMethod resolved = runtime.resolveMethod(method);
    new SketchRequest(
            resolved,
            owner.getProviders(),
            suites.getGraphBuilderSuite(),
            suites.getSketchTier(),
            task.meta().getBackendIndex(),
            task.meta().getDeviceIndex())
        .run();
  }
}
