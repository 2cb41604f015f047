package ristretto.cuda;

import java.lang.ref.Cleaner;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import jcuda.driver.CUmodule;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import ristretto.kernels.DeviceException;
import ristretto.kernels.driver.DiskCache;
import ristretto.kernels.driver.DriverPrograms;

/** Compiled programs of one GPU, with the GPU's primary context that owns them. */
final class Programs extends DriverPrograms<Programs.Program> {
  private static final Map<Integer, Programs> ALL = new ConcurrentHashMap<>();
  private static final Cleaner CLEANER = Cleaner.create();

  private final Hardware hardware;
  private final Compiler compiler;
  private final Handles.Context context;

  /** Returns the programs of the GPU, which all its openers share. */
  static Programs of(Hardware hardware) {
    return ALL.computeIfAbsent(hardware.index(), _ -> new Programs(hardware));
  }

  private Programs(Hardware hardware) {
    Compiler found =
        Compiler.of(hardware)
            .orElseThrow(() ->
                new DeviceException(
                    "[cuda] " + Missing.compiler(hardware.name(), hardware.capabilityWords())));
    var primary = new Handles.Context();
    // The primary context, which other CUDA libraries of the process use too.
    int status = JCudaDriver.cuDevicePrimaryCtxRetain(primary, hardware.id());
    Failure.check(status, "open", hardware);
    super(new DiskCache("cuda", "cu", found.version()), "CUDA C");
    this.hardware = hardware;
    this.compiler = found;
    this.context = primary;
  }

  long context() {
    return context.handle();
  }

  /** The GPU's context must be current. */
  @Override
  protected Program compile(String source, String name) {
    byte[] image = disk.load(source);
    if (image != null) {
      Program program = load(image);
      if (program != null) {
        return program;
      }
    }
    image = build(source, name);
    var module = new CUmodule();
    Failure.check(JCudaDriver.cuModuleLoadData(module, image), name, hardware);
    disk.store(source, image);
    return new Program(module);
  }

  private byte[] build(String source, String name) {
    try {
      return compiler.compile(name, source);
    } catch (Compiler.Refused e) {
      throw rejected(source, name, e.getMessage(), e);
    }
  }

  /** Loads a compiled image; null if the driver rejects it. */
  private Program load(byte[] image) {
    var module = new CUmodule();
    return JCudaDriver.cuModuleLoadData(module, image) == CUresult.CUDA_SUCCESS
        ? new Program(module)
        : null;
  }

  /** Program loaded by the driver; unloaded when it becomes unreachable. */
  final class Program {
    private final CUmodule module;

    Program(CUmodule module) {
      this.module = module;
      long current = context.handle();
      CLEANER.register(
          this,
          () -> {
            Calls.setContext(current);
            JCudaDriver.cuModuleUnload(module);
          });
    }

    Handles.Function function(String name) {
      var function = new Handles.Function();
      Failure.check(JCudaDriver.cuModuleGetFunction(function, module, name), name, hardware);
      return function;
    }
  }
}
