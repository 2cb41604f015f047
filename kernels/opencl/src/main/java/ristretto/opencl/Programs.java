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
import ristretto.kernels.driver.DiskCache;
import ristretto.kernels.driver.DriverPrograms;
import ristretto.kernels.driver.SignalHandlers;

/** Compiled programs of one device, with the OpenCL context that owns them. */
final class Programs extends DriverPrograms<cl_program> {
  private static final Map<cl_device_id, Programs> ALL = new ConcurrentHashMap<>();

  private final Hardware hardware;
  private final cl_context context;
  private final String options;

  /** Returns the programs of the device, which all its openers share. */
  static Programs of(Hardware hardware) {
    return ALL.computeIfAbsent(hardware.id(), _ -> new Programs(hardware));
  }

  private Programs(Hardware hardware) {
    String words =
        "-cl-std=CL1.2 -w"
            + (hardware.dividesExactly() ? " -cl-fp32-correctly-rounded-divide-sqrt" : "");
    super(new DiskCache("opencl", "cl", hardware.driver() + "\n" + words), "OpenCL C");
    this.hardware = hardware;
    this.options = words;
    var properties = new cl_context_properties();
    properties.addProperty(CL_CONTEXT_PLATFORM, hardware.platform());
    this.context =
        clCreateContext(properties, 1, new cl_device_id[] {hardware.id()}, null, null, null);
  }

  cl_context context() {
    return context;
  }

  @Override
  protected cl_program compile(String source, String name) {
    return SignalHandlers.keep(() -> loadOrBuild(source, name));
  }

  private cl_program loadOrBuild(String source, String name) {
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
      throw rejected(source, name, log, e);
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
