package ristretto.opencl;

import static org.jocl.CL.*;

import java.lang.ref.Cleaner;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jocl.CLException;
import org.jocl.Pointer;
import org.jocl.cl_kernel;
import org.jocl.cl_mem;
import org.jocl.cl_program;
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
final class OpenClLaunch implements Launch {
  private static final Cleaner CLEANER = Cleaner.create();

  private final OpenClDevice device;
  private final String name;
  private final Kernel watched;
  private final Reach reach;
  private final Routine routine;
  private final List<Task> steps = new ArrayList<>();
  private final List<IndexCheck> checks = new ArrayList<>();
  private final long[] scratchBytes;
  private final cl_mem[] scratch;
  private final long operations;
  private final boolean counted;
  private boolean fresh;

  OpenClLaunch(OpenClDevice device, Kernel kernel) {
    this(device, kernel, true);
  }

  /**
   * @param counted it is no part of another launch
   */
  private OpenClLaunch(OpenClDevice device, Kernel kernel, boolean counted) {
    this.device = device;
    this.counted = counted;
    this.name = kernel.name();
    this.watched = Launches.watched(name) ? kernel : null;
    this.operations = Work.operations(kernel);
    reach = Reach.of(kernel);
    if (kernel instanceof Kernel.Gemm k && device.blast.takes(k)) {
      var product = new BlasProduct(k);
      steps.add(product);
      routine = product.routine();
      scratchBytes = sizes(routine);
      scratch = new cl_mem[scratchBytes.length];
      return;
    }
    long start = System.nanoTime();
    routine = KernelSource.render(kernel, device.target, reach);
    scratchBytes = sizes(routine);
    scratch = new cl_mem[scratchBytes.length];
    Passes.timed(name, "render", start);
    if (Debug.on(Debug.SOURCE, name)) {
      System.err.println("[code] " + name + "\n" + routine.program());
    }
    Debug.dump(name, name + ".cl", routine.program().getBytes(StandardCharsets.UTF_8));
    for (Reach.IndexRead read : reach.gathers()) {
      checks.add(new IndexCheck(device, search -> new OpenClLaunch(device, search, false), read));
    }
    if (routine.steps().isEmpty()) {
      return;
    }
    synchronized (device) {
      device.checkOpen(name);
      try {
        compile(kernel);
      } catch (CLException e) {
        throw device.failed(name, e);
      }
    }
  }

  private static long[] sizes(Routine routine) {
    return routine.scratch().stream().mapToLong(b -> b).toArray();
  }

  private void compile(Kernel kernel) {
    Map<String, String> features = Work.features(kernel);
    var key = new Programs.Key(routine.program(), features);
    fresh = !device.programs.contains(key);
    long start = System.nanoTime();
    cl_program program = device.programs.get(key, name, device.cached);
    Passes.timed(name, fresh ? "compile" : "find", start);
    var resources = new Resources(device);
    CLEANER.register(this, resources);
    cl_mem constants = null;
    if (!routine.constants().isEmpty()) {
      long[] values = routine.constants().stream().mapToLong(v -> v).toArray();
      constants =
          clCreateBuffer(
              device.context,
              CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
              8L * values.length,
              Pointer.to(values),
              null);
      resources.constants = constants;
    }
    for (Routine.Step step : routine.steps()) {
      cl_kernel function = clCreateKernel(program, step.entry(), null);
      resources.functions.add(function);
      steps.add(new StepLaunch(step, function, constants));
    }
  }

  /** What is given back when nobody holds the launch any more. */
  private static final class Resources implements Runnable {
    private final OpenClDevice device;
    private final List<cl_kernel> functions = new ArrayList<>();
    private cl_mem constants;

    Resources(OpenClDevice device) {
      this.device = device;
    }

    @Override
    public void run() {
      synchronized (device) {
        functions.forEach(f -> clReleaseKernel(f));
        if (constants != null) {
          clReleaseMemObject(constants);
        }
      }
    }
  }

  @Override
  public void run(Buffer[] buffers, long[] scalars) {
    synchronized (device) {
      device.checkOpen(name);
      for (int k = 0; k < reach.buffers(); k++) {
        // An argument number that the kernel does not use may be anything.
        if (reach.required(k) > 0) {
          check(k, buffers[k]);
        }
      }
      // Loops by index, here and below: no iterators at each launch.
      for (int k = 0; k < checks.size(); k++) {
        checks.get(k).check(buffers);
      }
      try {
        if (watched == null) {
          start(buffers, scalars);
        } else {
          observe(buffers, scalars);
        }
      } catch (CLException e) {
        throw device.failed(name, e);
      }
      for (int k = 0; k < routine.targets().size(); k++) {
        if (buffers[routine.targets().get(k)] instanceof OpenClBuffer b) {
          b.changed();
        }
      }
      if (counted) {
        device.launched();
      }
    }
  }

  private void check(int argument, Buffer buffer) {
    OpenClBuffer own = device.own(buffer, name);
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
      }
      for (int k = 0; k < steps.size(); k++) {
        steps.get(k).start(device.queue, buffers, scratch, scalars);
      }
    } finally {
      // Later work comes later in the queue too. The last one first: so each comes back next time,
      // and the arguments stay as they are.
      while (--taken >= 0) {
        device.giveBack(scratch[taken], scratchBytes[taken]);
      }
    }
  }

  private void observe(Buffer[] buffers, long[] scalars) {
    clFinish(device.queue);
    long start = System.nanoTime();
    start(buffers, scalars);
    clFinish(device.queue);
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
