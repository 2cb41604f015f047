package ristretto.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.JCudaDriver;
import ristretto.kernels.KernelException;
import ristretto.kernels.debug.Debug;
import ristretto.kernels.debug.Launches;
import ristretto.kernels.debug.Passes;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Launch;
import ristretto.kernels.driver.IndexCheck;
import ristretto.kernels.driver.Work;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.source.KernelSource;
import ristretto.kernels.source.Reach;
import ristretto.kernels.source.Routine;

/** A kernel's routine with its sizes: some kernel functions, started one after the other. */
final class CudaLaunch implements Launch {
  private static final Cleaner CLEANER = Cleaner.create();

  private final CudaDevice device;
  private final String name;
  private final Kernel watched;
  private final Reach reach;
  private final Routine routine;
  private final long[] scratchBytes;
  private final Handles.Memory[] scratch;
  private final long[] scratchAddresses;
  private final int[] targets;
  private final long operations;
  private final boolean counted;
  private Programs.Program program;
  private Task[] steps = {};
  private IndexCheck[] checks = {};
  private boolean fresh;

  CudaLaunch(CudaDevice device, Kernel kernel) {
    this(device, kernel, true);
  }

  /**
   * @param counted it is no part of another launch
   */
  private CudaLaunch(CudaDevice device, Kernel kernel, boolean counted) {
    this.device = device;
    this.counted = counted;
    this.name = kernel.name();
    this.watched = Launches.watched(name) ? kernel : null;
    this.operations = Work.operations(kernel);
    reach = Reach.of(kernel);
    Task product = device.products.task(kernel);
    long start = System.nanoTime();
    routine =
        switch (product) {
          case BlasProduct p -> p.routine();
          case LtProduct p -> p.routine();
          case null, default -> KernelSource.render(kernel, device.target, reach);
        };
    Passes.timed(name, "render", start);
    if (Debug.on(Debug.SOURCE, name)) {
      System.err.println("[code] " + name + "\n" + routine.program());
    }
    Debug.dump(name, name + ".cu", routine.program().getBytes(StandardCharsets.UTF_8));
    scratchBytes = routine.scratch().stream().mapToLong(b -> b).toArray();
    scratch = new Handles.Memory[scratchBytes.length];
    scratchAddresses = new long[scratchBytes.length];
    targets = routine.targets().stream().mapToInt(t -> t).toArray();
    checks =
        reach.gathers().stream()
            .map(read ->
                new IndexCheck(device, search -> new CudaLaunch(device, search, false), read))
            .toArray(IndexCheck[]::new);
    if (product != null) {
      steps = new Task[] {product};
    } else if (!routine.steps().isEmpty()) {
      synchronized (device) {
        device.checkOpen(name);
        device.enter();
        compile(kernel);
      }
    }
  }

  private void compile(Kernel kernel) {
    var key = new Programs.Key(routine.program(), Work.features(kernel));
    fresh = !device.programs.contains(key);
    long start = System.nanoTime();
    program = device.programs.get(key, name, device.cached);
    Passes.timed(name, fresh ? "compile" : "find", start);
    long constants = constants();
    Arena arena = Arena.ofAuto();
    var all = new ArrayList<Task>();
    for (Routine.Step step : routine.steps()) {
      long function = program.function(step.entry()).handle();
      all.add(new StepLaunch(device, name, step, function, constants, arena));
    }
    steps = all.toArray(Task[]::new);
  }

  /** The address of the routine's block, which lives as long as this launch. */
  private long constants() {
    if (routine.constants().isEmpty()) {
      return 0;
    }
    long[] values = routine.constants().stream().mapToLong(v -> v).toArray();
    Buffer block = device.allocate(8L * values.length);
    CLEANER.register(this, block::close);
    device.write(block, 0, MemorySegment.ofArray(values));
    return ((CudaBuffer) block).address();
  }

  @Override
  public void run(Buffer[] buffers, long[] scalars) {
    synchronized (device) {
      device.checkOpen(name);
      device.enter();
      check(buffers);
      if (watched == null) {
        start(buffers, scalars);
      } else {
        observe(buffers, scalars);
      }
      changed(buffers);
    }
  }

  /** What must hold before each run: buffers that are open and suffice, indices within bounds. */
  void check(Buffer[] buffers) {
    for (int k = 0; k < reach.buffers(); k++) {
      // An argument number that the kernel does not use may be anything.
      if (reach.required(k) > 0) {
        check(k, buffers[k]);
      }
    }
    for (IndexCheck check : checks) {
      check.check(buffers);
    }
  }

  /** After each run. */
  void changed(Buffer[] buffers) {
    for (int target : targets) {
      if (buffers[target] instanceof CudaBuffer b) {
        b.changed();
      }
    }
    if (counted) {
      device.launched();
    }
  }

  /** The buffers whose content decides before a run whether it may be. */
  List<Buffer> indices(Buffer[] buffers) {
    return reach.gathers().stream().map(read -> buffers[read.gather().buffer()]).toList();
  }

  List<Buffer> targets(Buffer[] buffers) {
    return Arrays.stream(targets).mapToObj(k -> buffers[k]).toList();
  }

  /** Someone looks at each run. */
  boolean isWatched() {
    return watched != null;
  }

  long[] scratchBytes() {
    return scratchBytes;
  }

  boolean isProduct() {
    return steps.length > 0 && !(steps[0] instanceof StepLaunch);
  }

  private void check(int argument, Buffer buffer) {
    CudaBuffer own = device.own(buffer, name);
    own.open(name);
    if (own.bytes() < reach.required(argument)) {
      throw new KernelException(
          "["
              + name
              + "] a buffer must hold what the kernel's maps reach; got "
              + own.bytes()
              + " bytes for argument "
              + argument
              + ", which needs "
              + reach.required(argument)
              + "; this is a bug of Ristretto, please report it");
    }
  }

  private void start(Buffer[] buffers, long[] scalars) {
    int taken = 0;
    try {
      for (; taken < scratch.length; taken++) {
        scratch[taken] = device.scratch(scratchBytes[taken]);
        scratchAddresses[taken] = scratch[taken].address();
      }
      start(buffers, scratchAddresses, scalars);
    } finally {
      // Later work comes later in the stream too.
      while (taken > 0) {
        taken--;
        device.giveBack(scratch[taken], scratchBytes[taken]);
      }
    }
  }

  /**
   * Puts the work on the stream, and no more.
   *
   * @param scratch addresses of temporary memory
   */
  void start(Buffer[] buffers, long[] scratch, long[] scalars) {
    for (Task step : steps) {
      step.start(buffers, scratch, scalars);
    }
  }

  /** With the time that the GPU took. */
  private void observe(Buffer[] buffers, long[] scalars) {
    var before = new CUevent();
    var after = new CUevent();
    JCudaDriver.cuEventCreate(before, CUevent_flags.CU_EVENT_DEFAULT);
    JCudaDriver.cuEventCreate(after, CUevent_flags.CU_EVENT_DEFAULT);
    try {
      device.check(JCudaDriver.cuStreamSynchronize(device.stream), name);
      long start = System.nanoTime();
      device.check(JCudaDriver.cuEventRecord(before, device.stream), name);
      start(buffers, scalars);
      device.check(JCudaDriver.cuEventRecord(after, device.stream), name);
      device.check(JCudaDriver.cuEventSynchronize(after), name);
      float[] millis = new float[1];
      device.check(JCudaDriver.cuEventElapsedTime(millis, before, after), name);
      Launches.done(this, watched, start, (long) (millis[0] * 1e6), fresh);
      fresh = false;
    } finally {
      JCudaDriver.cuEventDestroy(before);
      JCudaDriver.cuEventDestroy(after);
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public long bytes() {
    return reach.bytes();
  }

  @Override
  public long operations() {
    return operations;
  }

  @Override
  public String source() {
    return routine.program();
  }
}
