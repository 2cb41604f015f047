package ristretto.opencl;

import static org.jocl.CL.*;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jocl.CLException;
import org.jocl.cl_context;
import org.jocl.cl_mem;
import ristretto.kernels.DeviceException;
import ristretto.kernels.device.MemoryLimit;

/**
 * Device memory. Buffers that are closed wait here for the next of their size class; work on one
 * queue is in order, so that a buffer may be given away while work on it is still to be done. Used
 * under the device's lock.
 */
final class MemoryPool {
  private static final long SMALLEST = 256;

  private final cl_context context;
  private final Hardware hardware;
  private final MemoryLimit limit;
  private final Map<Long, ArrayDeque<cl_mem>> idle = new TreeMap<>();
  private final Set<OpenClBuffer> live = new HashSet<>();
  private long used;
  private long peak;
  private long held;
  private long idleBytes;

  MemoryPool(cl_context context, Hardware hardware, MemoryLimit limit) {
    this.context = context;
    this.hardware = hardware;
    this.limit = limit;
  }

  /** Multiples of an eighth of the power of two below: at most an eighth is wasted. */
  static long sizeClass(long bytes) {
    if (bytes <= SMALLEST) {
      return SMALLEST;
    }
    long step = Math.max(SMALLEST, Long.highestOneBit(bytes) / 8);
    return (bytes + step - 1) / step * step;
  }

  cl_mem take(long bytes) {
    long size = sizeClass(bytes);
    ArrayDeque<cl_mem> waiting = idle.get(size);
    if (waiting != null && !waiting.isEmpty()) {
      idleBytes -= size;
      return waiting.pop();
    }
    cl_mem memory = create(size);
    if (memory == null) {
      trim();
      memory = create(size);
    }
    if (memory == null) {
      throw outOfMemory(bytes);
    }
    held += size;
    return memory;
  }

  /** Null where there is no memory. */
  private cl_mem create(long size) {
    // Drivers promise more memory than there is, and fail when it is used.
    if (size > hardware.largestBuffer()
        || size > hardware.memory() - held
        || !limit.allows(held, size)) {
      return null;
    }
    try {
      return clCreateBuffer(context, CL_MEM_READ_WRITE, size, null, null);
    } catch (CLException e) {
      return switch (e.getStatus()) {
        case CL_MEM_OBJECT_ALLOCATION_FAILURE,
            CL_OUT_OF_RESOURCES,
            CL_OUT_OF_HOST_MEMORY,
            CL_INVALID_BUFFER_SIZE ->
            null;
        default -> throw e;
      };
    }
  }

  void give(cl_mem memory, long bytes) {
    long size = sizeClass(bytes);
    if (idleBytes + size > hardware.memory() / 4) {
      clReleaseMemObject(memory);
      held -= size;
    } else {
      idle.computeIfAbsent(size, _ -> new ArrayDeque<>()).push(memory);
      idleBytes += size;
    }
  }

  void opened(OpenClBuffer buffer) {
    live.add(buffer);
    used += buffer.bytes();
    peak = Math.max(peak, used);
  }

  void closed(OpenClBuffer buffer, cl_mem memory) {
    if (live.remove(buffer)) {
      used -= buffer.bytes();
      give(memory, buffer.bytes());
    }
  }

  private void trim() {
    idle.forEach((size, all) -> {
      all.forEach(memory -> {
        clReleaseMemObject(memory);
        held -= size;
      });
    });
    idle.clear();
    idleBytes = 0;
  }

  private DeviceException outOfMemory(long asked) {
    String device =
        " of "
            + MemoryLimit.words(hardware.memory())
            + " in buffers of at most "
            + MemoryLimit.words(hardware.largestBuffer());
    return limit.exceeded(
        asked, used, held, device, live.stream().map(OpenClBuffer::bytes).toList());
  }

  long used() {
    return used;
  }

  long peak() {
    return peak;
  }

  void close() {
    trim();
    live.forEach(buffer -> clReleaseMemObject(buffer.memory()));
    live.clear();
    used = 0;
    held = 0;
  }
}
