package ristretto.jmh.opencl;

import static org.jocl.CL.*;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jocl.CL;
import org.jocl.Pointer;
import org.jocl.Sizeof;
import org.jocl.cl_command_queue;
import org.jocl.cl_context;
import org.jocl.cl_device_id;
import org.jocl.cl_kernel;
import org.jocl.cl_mem;
import org.jocl.cl_platform_id;
import org.jocl.cl_program;

/** OpenCL device with a queue, to run kernels of {@code twins.cl}. */
final class Bare implements AutoCloseable {
  final cl_command_queue queue;
  final boolean processor;
  final int units;
  private final cl_context context;
  private final cl_device_id device;
  private final String source;
  private final Map<Integer, cl_program> programs = new HashMap<>();

  /**
   * Opens a device.
   *
   * @param index index among all devices in the engine's order, GPUs first
   */
  Bare(int index) {
    CL.setExceptionsEnabled(true);
    device = devices().get(index);
    processor = type(device) == CL_DEVICE_TYPE_CPU;
    units = (int) number(device, CL_DEVICE_MAX_COMPUTE_UNITS, 4);
    context = clCreateContext(null, 1, new cl_device_id[] {device}, null, null, null);
    queue = queue();
    source = source();
  }

  private static String source() {
    try (InputStream in = Bare.class.getResourceAsStream("twins.cl")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // Deprecated since OpenCL 2.0, but supported by every version.
  @SuppressWarnings("deprecation")
  private cl_command_queue queue() {
    return clCreateCommandQueue(context, device, 0, null);
  }

  private static List<cl_device_id> devices() {
    int[] count = new int[1];
    clGetPlatformIDs(0, null, count);
    var platforms = new cl_platform_id[count[0]];
    clGetPlatformIDs(platforms.length, platforms, null);
    var all = new ArrayList<cl_device_id>();
    for (cl_platform_id platform : platforms) {
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, null, count);
      var ids = new cl_device_id[count[0]];
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, ids.length, ids, null);
      all.addAll(List.of(ids));
    }
    all.sort(Comparator.comparingInt(Bare::rank));
    return all;
  }

  private static int rank(cl_device_id id) {
    long type = type(id);
    return (type & CL_DEVICE_TYPE_GPU) != 0 ? 0 : (type & CL_DEVICE_TYPE_CPU) != 0 ? 2 : 1;
  }

  private static long type(cl_device_id id) {
    return number(id, CL_DEVICE_TYPE, 8) & ~CL_DEVICE_TYPE_DEFAULT;
  }

  private static long number(cl_device_id id, int property, int bytes) {
    ByteBuffer value = ByteBuffer.allocateDirect(8).order(ByteOrder.nativeOrder());
    clGetDeviceInfo(id, property, bytes, Pointer.to(value), null);
    return value.getLong(0);
  }

  /** Returns a kernel function over vectors of {@code width} elements. */
  cl_kernel kernel(int width, String name) {
    return clCreateKernel(programs.computeIfAbsent(width, this::build), name, null);
  }

  private cl_program build(int width) {
    cl_program program = clCreateProgramWithSource(context, 1, new String[] {source}, null, null);
    String n = width == 1 ? "" : "" + width;
    String options = " -DWIDTH=" + width + " -DREAL=float" + n + " -DINT=int" + n;
    clBuildProgram(program, 0, null, "-cl-std=CL1.2" + options, null, null);
    return program;
  }

  cl_mem allocate(long bytes) {
    return clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, null, null);
  }

  void write(cl_mem memory, MemorySegment data) {
    Pointer from = Pointer.toBuffer(data.asByteBuffer());
    clEnqueueWriteBuffer(queue, memory, true, 0, data.byteSize(), from, 0, null, null);
  }

  float read(cl_mem memory, long element) {
    float[] value = new float[1];
    clEnqueueReadBuffer(queue, memory, true, 4 * element, 4, Pointer.to(value), 0, null, null);
    return value[0];
  }

  /** Sets the arguments of a kernel: each a memory object or an int. */
  static void set(cl_kernel kernel, Object... arguments) {
    for (int k = 0; k < arguments.length; k++) {
      if (arguments[k] instanceof cl_mem memory) {
        clSetKernelArg(kernel, k, Sizeof.cl_mem, Pointer.to(memory));
      } else {
        clSetKernelArg(kernel, k, 4, Pointer.to(new int[] {(Integer) arguments[k]}));
      }
    }
  }

  @Override
  public void close() {
    clFinish(queue);
    programs.values().forEach(p -> clReleaseProgram(p));
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
  }
}
