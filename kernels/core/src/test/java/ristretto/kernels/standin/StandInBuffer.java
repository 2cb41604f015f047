package ristretto.kernels.standin;

import java.lang.foreign.MemorySegment;
import ristretto.kernels.driver.IndexCheck;

/** Memory of the Java heap. */
final class StandInBuffer implements IndexCheck.Versioned {
  private final MemorySegment memory;
  private long version;
  private boolean closed;

  StandInBuffer(long bytes) {
    memory = StandInDevice.memory(bytes);
  }

  MemorySegment memory() {
    return memory;
  }

  void changed() {
    version++;
  }

  @Override
  public long version() {
    return version;
  }

  @Override
  public long bytes() {
    return memory.byteSize();
  }

  @Override
  public boolean closed() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
  }
}
