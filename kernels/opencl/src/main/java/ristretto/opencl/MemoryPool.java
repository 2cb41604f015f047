package ristretto.opencl;

import static org.jocl.CL.*;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jocl.CLException;
import org.jocl.cl_context;
import org.jocl.cl_mem;
import ristretto.kernels.DeviceException;

/**
 * Device memory. Buffers that are closed wait here for the next of their size class; work on one
 * queue is in order, so that a buffer may be given away while work on it is still to be done. Used
 * under the device's lock.
 */
final class MemoryPool {
  private static final int LISTED = 5;
  private static final long SMALLEST = 256;

  private final cl_context context;
  private final Hardware hardware;
  private final Map<Long, ArrayDeque<cl_mem>> idle = new TreeMap<>();
  private final Set<OpenClBuffer> live = new HashSet<>();
  private long used;
  private long peak;
  private long held;
  private long idleBytes;

  MemoryPool(cl_context context, Hardware hardware) {
    this.context = context;
    this.hardware = hardware;
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
      throw new DeviceException(outOfMemory(bytes));
    }
    held += size;
    return memory;
  }

  /** Null where there is no memory. */
  private cl_mem create(long size) {
    // Drivers promise more memory than there is, and fail when it is used.
    if (size > hardware.largestBuffer() || held + size > hardware.memory()) {
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

  private String outOfMemory(long asked) {
    var largest = new ArrayList<>(live);
    largest.sort(Comparator.comparingLong(OpenClBuffer::bytes).reversed());
    var text = new StringBuilder("[allocate] memory must suffice; asked for ");
    text.append(Words.bytes(asked)).append(" with ").append(Words.bytes(used));
    text.append(" in use (").append(Words.bytes(held)).append(" with rounding) of ");
    text.append(Words.bytes(hardware.memory())).append(", and buffers of at most ");
    text.append(Words.bytes(hardware.largestBuffer()));
    if (!largest.isEmpty()) {
      text.append("; the largest of ").append(largest.size()).append(" buffers hold ");
      for (int i = 0; i < Math.min(LISTED, largest.size()); i++) {
        text.append(i == 0 ? "" : ", ").append(Words.bytes(largest.get(i).bytes()));
      }
    }
    return text + "; let go of tensors that are no longer needed, or close other contexts";
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
