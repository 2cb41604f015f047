package ristretto.cuda;

import jcuda.driver.CUcontext;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUfunction;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUstream;

/** Subclasses of JCuda's objects that expose the driver's native handles. */
final class Handles {
  private Handles() {}

  static final class Context extends CUcontext {
    long handle() {
      return getNativePointer();
    }
  }

  static final class Stream extends CUstream {
    long handle() {
      return getNativePointer();
    }
  }

  static final class Function extends CUfunction {
    long handle() {
      return getNativePointer();
    }
  }

  static final class Graph extends CUgraphExec {
    long handle() {
      return getNativePointer();
    }
  }

  /** Device memory. */
  static final class Memory extends CUdeviceptr {
    private final Memory whole;
    private final long offset;

    Memory() {
      this(null, 0);
    }

    /** Creates a part of other memory. */
    Memory(Memory whole, long offset) {
      this.whole = whole;
      this.offset = offset;
    }

    long address() {
      return whole == null ? getNativePointer() : whole.address() + offset;
    }
  }
}
