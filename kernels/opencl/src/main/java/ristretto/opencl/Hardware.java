package ristretto.opencl;

import static org.jocl.CL.*;

import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jocl.CL;
import org.jocl.CLException;
import org.jocl.Pointer;
import org.jocl.cl_device_id;
import org.jocl.cl_platform_id;
import ristretto.kernels.FileException;
import ristretto.kernels.device.MemoryLimit;
import ristretto.kernels.driver.DriverProvider.Found;
import ristretto.kernels.driver.SignalHandlers;

/** One device of an OpenCL platform and its properties. */
record Hardware(cl_platform_id platform, cl_device_id id, String name, long type) {
  private static final int PLATFORM_NOT_FOUND = -1001;

  /** Names of the OpenCL loader library, as the system's linker resolves them. */
  private static final List<String> LOADERS = loaders();

  static Found<Hardware> find() {
    return find(LOADERS);
  }

  /**
   * Finds the devices of all platforms.
   *
   * @param loaders names of the loader library, of which one must load
   */
  static Found<Hardware> find(List<String> loaders) {
    if (loaders.stream().noneMatch(Hardware::loads)) {
      return new Found<>(List.of(), "the OpenCL loader (" + loaders.getFirst() + ") is missing");
    }
    return SignalHandlers.keep(Hardware::ask);
  }

  private static Found<Hardware> ask() {
    try {
      JoclLibrary.load(CL.class, "JOCL_2_0_6", "", () -> CL.setExceptionsEnabled(true));
      var all = new ArrayList<Hardware>();
      int[] count = new int[1];
      clGetPlatformIDs(0, null, count);
      var platforms = new cl_platform_id[count[0]];
      clGetPlatformIDs(platforms.length, platforms, null);
      for (cl_platform_id platform : platforms) {
        addDevices(platform, all);
      }
      all.sort(Comparator.comparingInt(Hardware::rank));
      return new Found<>(all, all.isEmpty() ? "no OpenCL platform has a device" : "");
    } catch (CLException e) {
      return new Found<>(
          List.of(),
          e.getStatus() == PLATFORM_NOT_FOUND
              ? "the OpenCL loader knows no driver"
              : "OpenCL reports " + e.getMessage());
    } catch (FileException e) {
      return new Found<>(List.of(), e.getMessage());
    } catch (LinkageError | UnsupportedOperationException e) {
      return new Found<>(List.of(), "the OpenCL loader (libOpenCL) cannot be loaded");
    }
  }

  private static List<String> loaders() {
    String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    if (system.contains("windows")) {
      return List.of("OpenCL.dll");
    }
    return system.contains("mac")
        ? List.of("/System/Library/Frameworks/OpenCL.framework/OpenCL")
        : List.of("libOpenCL.so.1", "libOpenCL.so");
  }

  /** Returns true if the library loads. JOCL would report a failure on standard error. */
  private static boolean loads(String library) {
    try (Arena arena = Arena.ofConfined()) {
      SymbolLookup.libraryLookup(library, arena);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static void addDevices(cl_platform_id platform, List<Hardware> all) {
    int[] count = new int[1];
    try {
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, null, count);
    } catch (CLException e) {
      // A platform without devices answers with an error.
      return;
    }
    var ids = new cl_device_id[count[0]];
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, ids.length, ids, null);
    for (cl_device_id id : ids) {
      long type = numbers(id, CL_DEVICE_TYPE, 8).getLong(0);
      all.add(new Hardware(platform, id, text(id, CL_DEVICE_NAME), type));
    }
  }

  private int rank() {
    return gpu() ? 0 : cpu() ? 2 : 1;
  }

  boolean gpu() {
    return (type & CL_DEVICE_TYPE_GPU) != 0;
  }

  boolean cpu() {
    return (type & CL_DEVICE_TYPE_CPU) != 0;
  }

  /** Describes the device for users: model, type, vendor, platform, memory. */
  String description() {
    return name
        + ", "
        + (gpu() ? "GPU" : cpu() ? "CPU" : "accelerator")
        + ", "
        + text(id, CL_DEVICE_VENDOR)
        + ", "
        + platformText(CL_PLATFORM_NAME)
        + ", "
        + units()
        + " units, "
        + MemoryLimit.words(memory());
  }

  long memory() {
    return number64(CL_DEVICE_GLOBAL_MEM_SIZE);
  }

  long largestBuffer() {
    return number64(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  }

  /** Alignment of the offset of a sub-buffer, in bytes. */
  int partAlignment() {
    return Math.max(64, number32(CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8);
  }

  long localMemory() {
    return number64(CL_DEVICE_LOCAL_MEM_SIZE);
  }

  /** Width of a native vector in bytes, clamped to 16 to 64. */
  int vectorBytes() {
    return Math.clamp(4L * number32(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT), 16, 64);
  }

  int units() {
    return number32(CL_DEVICE_MAX_COMPUTE_UNITS);
  }

  int largestGroup() {
    return (int) number64(CL_DEVICE_MAX_WORK_GROUP_SIZE);
  }

  boolean computesF64() {
    return (" " + text(id, CL_DEVICE_EXTENSIONS) + " ").contains(" cl_khr_fp64 ");
  }

  /** Returns true if F32 division and square root can be rounded correctly. */
  boolean dividesExactly() {
    return (number64(CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  }

  /** Identifies the driver and device for the cache key of compiled code. */
  String driver() {
    return String.join(
        "\n",
        platformText(CL_PLATFORM_NAME),
        platformText(CL_PLATFORM_VERSION),
        name,
        text(id, CL_DEVICE_VENDOR),
        text(id, CL_DEVICE_VERSION),
        text(id, CL_DRIVER_VERSION));
  }

  private long number64(int property) {
    return numbers(id, property, 8).getLong(0);
  }

  private int number32(int property) {
    return numbers(id, property, 4).getInt(0);
  }

  private static ByteBuffer numbers(cl_device_id id, int property, int bytes) {
    ByteBuffer value = ByteBuffer.allocateDirect(8).order(ByteOrder.nativeOrder());
    clGetDeviceInfo(id, property, bytes, Pointer.to(value), null);
    return value;
  }

  private static String text(cl_device_id id, int property) {
    long[] size = new long[1];
    clGetDeviceInfo(id, property, 0, null, size);
    byte[] bytes = new byte[(int) size[0]];
    clGetDeviceInfo(id, property, bytes.length, Pointer.to(bytes), null);
    return text(bytes);
  }

  private String platformText(int property) {
    long[] size = new long[1];
    clGetPlatformInfo(platform, property, 0, null, size);
    byte[] bytes = new byte[(int) size[0]];
    clGetPlatformInfo(platform, property, bytes.length, Pointer.to(bytes), null);
    return text(bytes);
  }

  /** Decodes a string of the driver without its trailing zeros. */
  static String text(byte[] bytes) {
    int end = bytes.length;
    while (end > 0 && bytes[end - 1] == 0) {
      end--;
    }
    return new String(bytes, 0, end, StandardCharsets.UTF_8).strip();
  }
}
