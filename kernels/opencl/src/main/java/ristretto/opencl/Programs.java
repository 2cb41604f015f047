package ristretto.opencl;

import static org.jocl.CL.*;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jocl.CLException;
import org.jocl.Pointer;
import org.jocl.cl_context;
import org.jocl.cl_context_properties;
import org.jocl.cl_device_id;
import org.jocl.cl_program;
import ristretto.kernels.KernelException;
import ristretto.kernels.cache.CacheCounters;
import ristretto.kernels.cache.KernelCache;
import ristretto.kernels.driver.BuildMessage;
import ristretto.kernels.driver.DiskCache;
import ristretto.kernels.driver.SignalHandlers;

/**
 * Cache of one device's compiled programs by source text, with the OpenCL context that owns them.
 * Programs stay until the process ends, so a device that is opened again starts with warm code.
 */
final class Programs {
  /** Maximum number of cached programs; one takes some ten kilobytes. */
  private static final int CAPACITY = 2048;

  private static final Map<cl_device_id, Programs> ALL = new ConcurrentHashMap<>();

  private final Hardware hardware;
  private final cl_context context;
  private final String options;
  private final DiskCache disk;
  private final KernelCache<Key, cl_program> cache = new KernelCache<>(CAPACITY, Key::features);

  /**
   * Cache key of a program.
   *
   * @param source program text; options and driver are equal for all programs of a device
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

  /** Returns the programs of the device, which all its openers share. */
  static Programs of(Hardware hardware) {
    return ALL.computeIfAbsent(hardware.id(), _ -> new Programs(hardware));
  }

  private Programs(Hardware hardware) {
    this.hardware = hardware;
    var properties = new cl_context_properties();
    properties.addProperty(CL_CONTEXT_PLATFORM, hardware.platform());
    this.context =
        clCreateContext(properties, 1, new cl_device_id[] {hardware.id()}, null, null, null);
    this.options =
        "-cl-std=CL1.2 -w"
            + (hardware.dividesExactly() ? " -cl-fp32-correctly-rounded-divide-sqrt" : "");
    this.disk = new DiskCache("opencl", "cl", hardware.driver() + "\n" + options);
  }

  /**
   * Returns the program of {@code key}; compiles it on a cache miss.
   *
   * @param name label of the kernel
   */
  cl_program get(Key key, String name, CacheCounters counters) {
    return cache.get(key, name, k -> SignalHandlers.keep(() -> compile(k.source, name)), counters);
  }

  cl_context context() {
    return context;
  }

  boolean contains(Key key) {
    return cache.contains(key);
  }

  private cl_program compile(String source, String name) {
    cl_program program = load(disk.load(source));
    if (program == null) {
      cl_program built = build(source, name);
      disk.store(source, () -> binary(built));
      return built;
    }
    return program;
  }

  /** Loads a compiled binary; null if there is none or the driver rejects it. */
  private cl_program load(byte[] binary) {
    if (binary == null) {
      return null;
    }
    cl_program program = null;
    try {
      program =
          clCreateProgramWithBinary(
              context,
              1,
              new cl_device_id[] {hardware.id()},
              new long[] {binary.length},
              new byte[][] {binary},
              null,
              null);
      clBuildProgram(program, 0, null, options, null, null);
      return program;
    } catch (CLException e) {
      if (program != null) {
        clReleaseProgram(program);
      }
      return null;
    }
  }

  private cl_program build(String source, String name) {
    cl_program program = clCreateProgramWithSource(context, 1, new String[] {source}, null, null);
    try {
      clBuildProgram(program, 0, null, options, null, null);
      return program;
    } catch (CLException e) {
      String log = log(program);
      clReleaseProgram(program);
      throw new KernelException(
          BuildMessage.of(name, "OpenCL C", source, log, disk.keepFailed(source)), e);
    }
  }

  private String log(cl_program program) {
    try {
      long[] size = new long[1];
      clGetProgramBuildInfo(program, hardware.id(), CL_PROGRAM_BUILD_LOG, 0, null, size);
      byte[] text = new byte[(int) size[0]];
      clGetProgramBuildInfo(
          program, hardware.id(), CL_PROGRAM_BUILD_LOG, text.length, Pointer.to(text), null);
      return Hardware.text(text);
    } catch (CLException e) {
      return "(no log: " + e.getMessage() + ")";
    }
  }

  private static byte[] binary(cl_program program) {
    long[] size = new long[1];
    clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, 8, Pointer.to(size), null);
    byte[] binary = new byte[(int) size[0]];
    clGetProgramInfo(program, CL_PROGRAM_BINARIES, 8, Pointer.to(Pointer.to(binary)), null);
    return binary;
  }
}
