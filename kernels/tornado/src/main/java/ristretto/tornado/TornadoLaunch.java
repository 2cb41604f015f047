package ristretto.tornado;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
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
import uk.ac.manchester.tornado.api.exceptions.TornadoBailoutRuntimeException;
import uk.ac.manchester.tornado.api.exceptions.TornadoRuntimeException;

/** A kernel's routine with its sizes: some entry points, started one after the other. */
final class TornadoLaunch implements Launch {
  private static final Cleaner CLEANER = Cleaner.create();

  private final TornadoDevice device;
  private final String name;
  private final Kernel watched;
  private final Reach reach;
  private final Routine routine;
  private final List<Task> steps = new ArrayList<>();
  private final List<IndexCheck> checks = new ArrayList<>();
  private final long operations;
  private final boolean counted;
  private boolean fresh;

  TornadoLaunch(TornadoDevice device, Kernel kernel) {
    this(device, kernel, true);
  }

  /**
   * @param counted it is no part of another launch
   */
  private TornadoLaunch(TornadoDevice device, Kernel kernel, boolean counted) {
    this.device = device;
    this.counted = counted;
    this.name = kernel.name();
    this.watched = Launches.watched(name) ? kernel : null;
    this.operations = Work.operations(kernel);
    reach = Reach.of(kernel);
    long start = System.nanoTime();
    routine = render(kernel);
    Passes.timed(name, "render", start);
    if (Debug.on(Debug.SOURCE, name)) {
      System.err.println("[code] " + name + "\n" + routine.program());
    }
    Debug.dump(name, name + ".java", routine.program().getBytes(StandardCharsets.UTF_8));
    reach
        .gathers()
        .forEach(read ->
            checks.add(new IndexCheck(device, k -> new TornadoLaunch(device, k, false), read)));
    if (!routine.steps().isEmpty()) {
      synchronized (device.accelerator) {
        device.checkOpen(name);
        compile(kernel);
      }
    }
  }

  private Routine render(Kernel kernel) {
    if (kernel instanceof Kernel.Gemm k && device.library != null && device.library.takes(k)) {
      var product = new BlasProduct(device.library, k);
      steps.add(product);
      return product.routine();
    }
    return KernelSource.render(kernel, device.target, reach);
  }

  private void compile(Kernel kernel) {
    var key = new Programs.Key(routine.program(), Work.features(kernel));
    fresh = !device.programs.contains(key);
    long start = System.nanoTime();
    Programs.Program program = device.programs.get(key, name, device.cached);
    Passes.timed(name, fresh ? "compile" : "find", start);
    Accelerator.Memory constants = constants();
    for (Routine.Step step : routine.steps()) {
      Accelerator.Code code = program.entries().get(step.entry());
      steps.add(new StepLaunch(step, code, constants, device.empty()));
    }
  }

  /** The routine's block, which lives as long as this launch. */
  private Accelerator.Memory constants() {
    if (routine.constants().isEmpty()) {
      return null;
    }
    long[] values = routine.constants().stream().mapToLong(v -> v).toArray();
    Buffer block = device.allocate(8L * values.length);
    CLEANER.register(this, block::close);
    device.write(block, 0, MemorySegment.ofArray(values));
    return ((TornadoBuffer) block).memory();
  }

  @Override
  public void run(Buffer[] buffers, long[] scalars) {
    synchronized (device.accelerator) {
      device.checkOpen(name);
      for (int k = 0; k < reach.buffers(); k++) {
        // An argument number that the kernel does not use may be anything.
        if (reach.required(k) > 0) {
          check(k, buffers[k]);
        }
      }
      for (IndexCheck check : checks) {
        check.check(buffers);
      }
      if (watched == null) {
        start(buffers, scalars);
      } else {
        observe(buffers, scalars);
      }
      for (int target : routine.targets()) {
        if (buffers[target] instanceof TornadoBuffer b) {
          b.changed();
        }
      }
      if (counted) {
        device.launched();
      }
    }
  }

  private void check(int argument, Buffer buffer) {
    TornadoBuffer own = device.own(buffer, name);
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
    List<Long> sizes = routine.scratch();
    var scratch = new Accelerator.Memory[sizes.size()];
    int taken = 0;
    try {
      for (; taken < scratch.length; taken++) {
        scratch[taken] = device.scratch(sizes.get(taken));
      }
      for (Task step : steps) {
        step.start(device.queue, buffers, scratch, scalars);
      }
    } catch (TornadoBailoutRuntimeException | TornadoRuntimeException e) {
      throw Failure.of(name, device.name(), e);
    } finally {
      // Later work comes later in the queue too.
      while (taken > 0) {
        taken--;
        device.giveBack(scratch[taken], sizes.get(taken));
      }
    }
  }

  private void observe(Buffer[] buffers, long[] scalars) {
    device.queue.finish();
    long start = System.nanoTime();
    start(buffers, scalars);
    device.queue.finish();
    Launches.done(this, watched, start, System.nanoTime() - start, fresh);
    fresh = false;
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
