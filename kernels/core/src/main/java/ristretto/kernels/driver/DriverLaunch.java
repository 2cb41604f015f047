package ristretto.kernels.driver;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import ristretto.kernels.KernelException;
import ristretto.kernels.debug.Debug;
import ristretto.kernels.debug.Passes;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Launch;
import ristretto.kernels.device.LaunchLog;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.VerifyKernel;
import ristretto.kernels.source.KernelSource;
import ristretto.kernels.source.Reach;
import ristretto.kernels.source.Routine;
import ristretto.kernels.source.Target;

/**
 * Launch of a kernel's routine with its sizes: one or several entry points, started in order.
 *
 * @param <M> the driver's handle of memory
 */
public abstract class DriverLaunch<M> implements Launch {
  /** Releases resources of launches that are no longer reachable. */
  protected static final Cleaner CLEANER = Cleaner.create();

  /** Name of the kernel, for messages. */
  protected final String name;

  /** Entry points and their launches. */
  protected final Routine routine;

  private final DriverDevice<M> device;
  private final Kernel watched;
  private final Reach reach;
  private final long operations;
  private final boolean counted;
  private final IndexCheck[] checks;
  private final int[] targets;
  private final long[] scratchBytes;
  private final Object[] scratch;
  private boolean fresh;

  /**
   * Renders a kernel, or takes the routine of a library call.
   *
   * @param target properties of the device for which the kernel is rendered
   * @param ending extension of the file to which the source is dumped
   * @param product library call that replaces the kernel; null if the kernel is rendered
   * @param counted true if this launch is not part of another one
   */
  protected DriverLaunch(
      DriverDevice<M> device,
      Kernel kernel,
      Target target,
      String ending,
      Routine product,
      boolean counted) {
    assert VerifyKernel.check(kernel, "planning") == kernel;
    this.device = device;
    this.counted = counted;
    this.name = kernel.name();
    this.watched = LaunchLog.watched(name) ? kernel : null;
    this.operations = Work.operations(kernel);
    reach = Reach.of(kernel);
    routine = product == null ? render(kernel, target, ending) : product;
    targets = routine.targets().stream().mapToInt(t -> t).toArray();
    scratchBytes = routine.scratch().stream().mapToLong(b -> b).toArray();
    scratch = new Object[scratchBytes.length];
    checks =
        reach.gathers().stream()
            .map(read -> new IndexCheck(device, this::part, read))
            .toArray(IndexCheck[]::new);
  }

  private Routine render(Kernel kernel, Target target, String ending) {
    long start = System.nanoTime();
    Routine rendered = KernelSource.render(kernel, target, reach);
    Passes.timed(name, "render", start);
    if (Debug.on(Debug.SOURCE, name)) {
      System.err.println("[code] " + name + "\n" + rendered.program());
    }
    Debug.dump(name, name + ending, rendered.program().getBytes(StandardCharsets.UTF_8));
    return rendered;
  }

  // ---- driver-specific operations ------------------------------------------------------------

  /** Returns a launch of {@code kernel} that is part of this one and not counted. */
  protected abstract Launch part(Kernel kernel);

  /** Enqueues the work; temporary memory is {@link #scratch(int)}. */
  protected abstract void start(Buffer[] buffers, long[] scalars);

  /** Runs the launch alone on the device, and returns its time in nanoseconds. */
  protected long time(Buffer[] buffers, long[] scalars) {
    device.finish(name);
    long start = System.nanoTime();
    startWithScratch(buffers, scalars);
    device.finish(name);
    return System.nanoTime() - start;
  }

  // ---- common operations ---------------------------------------------------------------------

  /** Returns the routine's program, compiled or from the cache. */
  protected final <P> P program(DriverPrograms<P> programs, Kernel kernel) {
    String source = routine.program();
    fresh = !programs.contains(source);
    long start = System.nanoTime();
    P program = programs.get(source, name, Work.features(kernel), device.cached());
    Passes.timed(name, fresh ? "compile" : "find", start);
    return program;
  }

  /**
   * Uploads the routine's constants; their memory stays valid as long as this launch is reachable.
   * Returns null if there are none.
   */
  protected final M constants() {
    if (routine.constants().isEmpty()) {
      return null;
    }
    long[] values = routine.constants().stream().mapToLong(v -> v).toArray();
    Buffer block = device.allocate(8L * values.length);
    CLEANER.register(this, block::close);
    device.write(block, 0, MemorySegment.ofArray(values));
    return device.own(block, name).memory();
  }

  @Override
  public final void run(Buffer[] buffers, long[] scalars) {
    synchronized (device.lock) {
      check(buffers);
      if (watched == null) {
        startWithScratch(buffers, scalars);
      } else {
        long start = System.nanoTime();
        long nanos = time(buffers, scalars);
        LaunchLog.done(this, watched, start, nanos, fresh);
        fresh = false;
      }
      changed(buffers);
    }
  }

  /** Checks that buffers are open and large enough, and that gathered indices are in range. */
  @Override
  public final void check(Buffer[] buffers) {
    synchronized (device.lock) {
      device.checkOpen(name);
      device.enter();
      for (int k = 0; k < reach.buffers(); k++) {
        // An argument that the kernel does not access may be any value.
        if (reach.required(k) > 0) {
          check(k, buffers[k]);
        }
      }
      for (IndexCheck check : checks) {
        check.check(buffers);
      }
    }
  }

  private void check(int argument, Buffer buffer) {
    DriverBuffer<M> own = device.own(buffer, name);
    own.open(name);
    if (own.bytes() < reach.required(argument)) {
      throw new KernelException(
          ("[%s] a buffer must be as large as the kernel's index maps require; got %s bytes for"
                  + " argument %s, which needs %s; this is a bug of Ristretto, please report it")
              .formatted(name, own.bytes(), argument, reach.required(argument)));
    }
  }

  /** Updates buffer versions and counters after a run. */
  public final void changed(Buffer[] buffers) {
    for (int target : targets) {
      if (buffers[target] instanceof DriverBuffer<?> b) {
        b.changed();
      }
    }
    if (counted) {
      device.launched();
    }
  }

  /** Starts the launch with scratch memory for its duration. */
  protected final void startWithScratch(Buffer[] buffers, long[] scalars) {
    int taken = 0;
    try {
      for (; taken < scratch.length; taken++) {
        scratch[taken] = device.scratch(scratchBytes[taken]);
      }
      start(buffers, scalars);
    } finally {
      // Scratch is free at once, because later work comes later in the queue. Returning scratch in
      // reverse order gives the next launch the same memory, so its arguments stay the same.
      while (--taken >= 0) {
        device.giveBack(scratch(taken), scratchBytes[taken]);
      }
    }
  }

  /** Returns scratch memory number {@code k} of a launch that is being started. */
  @SuppressWarnings("unchecked")
  protected final M scratch(int k) {
    return (M) scratch[k];
  }

  /** Sizes in bytes of the scratch memory. */
  public final long[] scratchBytes() {
    return scratchBytes.clone();
  }

  /** Returns the index buffers, whose content is checked before a run. */
  public final List<Buffer> indices(Buffer[] buffers) {
    return reach.gathers().stream().map(read -> buffers[read.gather().buffer()]).toList();
  }

  /** Returns the buffers that are written. */
  public final List<Buffer> targets(Buffer[] buffers) {
    return Arrays.stream(targets).mapToObj(k -> buffers[k]).toList();
  }

  /** Returns true if each run is timed and reported. */
  public final boolean isWatched() {
    return watched != null;
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final long bytes() {
    return reach.bytes();
  }

  @Override
  public final long operations() {
    return operations;
  }

  @Override
  public final String source() {
    return routine.program();
  }
}
