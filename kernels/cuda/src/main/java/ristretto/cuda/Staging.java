package ristretto.cuda;

import java.lang.foreign.MemorySegment;
import jcuda.Pointer;
import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.JCudaDriver;

/**
 * Copies between a GPU and host memory through two pinned buffers: while the GPU copies one, the
 * processor copies the other. Used under the device's lock.
 */
final class Staging {
  /**
   * Size of a buffer in bytes: large enough for the bus's bandwidth, small enough for the
   * processor's cache.
   */
  private static final int PIECE = 2 << 20;

  private final Hardware hardware;
  private final Handles.Stream stream;
  private final Pointer[] pinned = new Pointer[2];
  private final MemorySegment[] pieces = new MemorySegment[2];
  private final CUevent[] copied = new CUevent[2];

  Staging(Hardware hardware, Handles.Stream stream) {
    this.hardware = hardware;
    this.stream = stream;
    for (int k = 0; k < 2; k++) {
      pinned[k] = new Pointer();
      check(JCudaDriver.cuMemHostAlloc(pinned[k], PIECE, 0));
      pieces[k] = MemorySegment.ofBuffer(pinned[k].getByteBuffer(0, PIECE));
      copied[k] = new CUevent();
      check(JCudaDriver.cuEventCreate(copied[k], CUevent_flags.CU_EVENT_DISABLE_TIMING));
    }
  }

  private void check(int status) {
    Failure.check(status, "copy", hardware);
  }

  /** Copies to the GPU; returns as soon as {@code from} may be modified. */
  void write(long address, MemorySegment from) {
    int turn = 0;
    for (long done = 0; done < from.byteSize(); done += PIECE) {
      long size = Math.min(PIECE, from.byteSize() - done);
      // The previous copy from this buffer may still be in progress.
      check(JCudaDriver.cuEventSynchronize(copied[turn]));
      pieces[turn].asSlice(0, size).copyFrom(from.asSlice(done, size));
      check(Calls.copyToDevice(address + done, pieces[turn].address(), size, stream.handle()));
      check(JCudaDriver.cuEventRecord(copied[turn], stream));
      turn = 1 - turn;
    }
  }

  /** Copies to host memory after all work enqueued on the stream so far. */
  void read(MemorySegment to, long address) {
    long size = to.byteSize();
    long pending = -1;
    int turn = 0;
    for (long done = 0; done < size; done += PIECE) {
      long bytes = Math.min(PIECE, size - done);
      check(Calls.copyToHost(pieces[turn].address(), address + done, bytes, stream.handle()));
      check(JCudaDriver.cuEventRecord(copied[turn], stream));
      if (pending >= 0) {
        take(to, pending, 1 - turn);
      }
      pending = done;
      turn = 1 - turn;
    }
    if (pending >= 0) {
      take(to, pending, 1 - turn);
    }
  }

  private void take(MemorySegment to, long at, int turn) {
    check(JCudaDriver.cuEventSynchronize(copied[turn]));
    long bytes = Math.min(PIECE, to.byteSize() - at);
    to.asSlice(at, bytes).copyFrom(pieces[turn].asSlice(0, bytes));
  }

  void close() {
    for (int k = 0; k < 2; k++) {
      JCudaDriver.cuMemFreeHost(pinned[k]);
      JCudaDriver.cuEventDestroy(copied[k]);
    }
  }
}
