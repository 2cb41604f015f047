package ristretto.opencl;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.ir.Kernel;

/** The JVM works with signals, and goes on to when drivers have compiled something. */
@Timeout(120)
class SignalsTest {
  private static final int THREADS = 4;

  /** Compiled code finds out by a signal. */
  @Test
  void divisionByZeroThrows() {
    try (OpenClDevice device = TestDevice.open()) {
      runNewKernel(device);
      int[] divisors = {3, 0};
      int thrown = 0;
      for (int k = 0; k < 100_000; k++) {
        try {
          divide(k, divisors[k & 1]);
        } catch (ArithmeticException e) {
          thrown++;
        }
      }
      assertThat(thrown).isEqualTo(50_000);
    }
  }

  private static int divide(int a, int b) {
    return a / b;
  }

  /** Threads in loops stop by a signal, all at once. */
  @Test
  void busyThreadsStopWhileKernelsAreCompiled() throws Exception {
    try (OpenClDevice device = TestDevice.open()) {
      var done = new AtomicBoolean();
      List<Thread> threads = new ArrayList<>();
      for (int k = 0; k < THREADS; k++) {
        threads.add(Thread.ofPlatform().start(() -> spin(done)));
      }
      try {
        for (int k = 0; k < 4; k++) {
          runNewKernel(device);
          for (int stop = 0; stop < 10; stop++) {
            assertThat(Thread.getAllStackTraces()).isNotEmpty();
          }
        }
      } finally {
        done.set(true);
        for (Thread thread : threads) {
          thread.join();
        }
      }
    }
  }

  private static void spin(AtomicBoolean done) {
    long x = 1;
    while (!done.get()) {
      for (long k = 0; k < 10_000; k++) {
        x = x * 31 + k;
      }
    }
    assertThat(x).isNotZero();
  }

  /** One that is in no cache. */
  private static void runNewKernel(OpenClDevice device) {
    double value = ThreadLocalRandom.current().nextInt(1 << 20);
    Kernel kernel = OpenClDeviceTest.plusConstant(8, 0, value);
    try (Buffer x = device.allocate(32);
        Buffer y = device.allocate(32)) {
      device.write(x, 0, MemorySegment.ofArray(new float[8]));
      device.prepare(kernel).run(new Buffer[] {x, y}, new long[0]);
      float[] result = new float[8];
      device.read(y, 0, MemorySegment.ofArray(result));
      assertThat(result).containsOnly((float) value);
    }
  }
}
