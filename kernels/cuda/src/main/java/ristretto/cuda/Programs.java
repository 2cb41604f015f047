package ristretto.cuda;

import java.lang.ref.Cleaner;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import jcuda.driver.CUmodule;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import ristretto.kernels.DeviceException;
import ristretto.kernels.KernelException;
import ristretto.kernels.cache.CacheCounters;
import ristretto.kernels.cache.KernelCache;
import ristretto.kernels.driver.BuildMessage;
import ristretto.kernels.driver.DiskCache;

/**
 * Cache of one GPU's compiled programs by source text, with the GPU's primary context that owns
 * them. Programs stay until the process ends, so a device that is opened again starts with warm
 * code.
 */
final class Programs {
  /** Maximum number of cached programs; one takes some ten kilobytes. */
  private static final int CAPACITY = 2048;

  private static final Map<Integer, Programs> ALL = new ConcurrentHashMap<>();
  private static final Cleaner CLEANER = Cleaner.create();

  private final Hardware hardware;
  private final Compiler compiler;
  private final Handles.Context context = new Handles.Context();
  private final DiskCache disk;
  private final KernelCache<Key, Program> cache = new KernelCache<>(CAPACITY, Key::features);

  /**
   * Cache key of a program.
   *
   * @param source program text; options and compiler are equal for all programs of a GPU
   * @param features properties that explain a cache miss
   */
  record Key(String source, Map<String, String> features) {
    @Override
    public boolean equals(Object o) {
      return o instanceof Key k && source.equals(k.source);
    }

    @Override
    public int hashCode() {
      return source.hashCode();
    }
  }

  /** Returns the programs of the GPU, which all its openers share. */
  static Programs of(Hardware hardware) {
    return ALL.computeIfAbsent(hardware.index(), _ -> new Programs(hardware));
  }

  private Programs(Hardware hardware) {
    this.hardware = hardware;
    this.compiler =
        Compiler.of(hardware)
            .orElseThrow(() ->
                new DeviceException(
                    "[cuda] " + Missing.compiler(hardware.name(), hardware.capabilityWords())));
    // The primary context, which other CUDA libraries of the process use too.
    int status = JCudaDriver.cuDevicePrimaryCtxRetain(context, hardware.id());
    Failure.check(status, "open", hardware);
    this.disk = new DiskCache("cuda", "cu", compiler.version());
  }

  long context() {
    return context.handle();
  }

  Compiler compiler() {
    return compiler;
  }

  /**
   * Returns the program of {@code key}; compiles it on a cache miss. The GPU's context must be
   * current.
   *
   * @param name label of the kernel
   */
  Program get(Key key, String name, CacheCounters counters) {
    return cache.get(key, name, k -> compile(k.source, name), counters);
  }

  boolean contains(Key key) {
    return cache.contains(key);
  }

  private Program compile(String source, String name) {
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
      throw new KernelException(
          BuildMessage.of(name, "CUDA C", source, e.getMessage(), disk.keepFailed(source)), e);
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
