package ristretto.tornado;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import ristretto.kernels.device.Conformance;
import ristretto.kernels.driver.DriverProvider.Found;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.ScalarType;
import uk.ac.manchester.tornado.runtime.common.TornadoXPUDevice;
import uk.ac.manchester.tornado.runtime.library.spi.LibraryContext;
import uk.ac.manchester.tornado.runtime.library.spi.LibraryInvocation;
import uk.ac.manchester.tornado.runtime.library.spi.TornadoLibraryProvider;

/** Products by a library that stands in for cuBLAS and computes what it is told. */
class CuBlasTest {
  private Accelerator accelerator;

  @BeforeEach
  void open() {
    Found<Accelerator> found = Sdk.find();
    Assumptions.assumeFalse(found.devices().isEmpty(), found.reason());
    accelerator = found.devices().getFirst();
  }

  private TornadoDevice device(CuBlas library) {
    return new TornadoDevice(accelerator, 0, TornadoDevice.targetOf(accelerator), library);
  }

  /** Transposed, padded, shifted, batched, with factors, and not reading what is to be written. */
  @Test
  void productsAreThoseOfTheInterpreter() {
    var library = new StandIn(true);
    try (var device = device(library.cuBlas)) {
      library.device = device;
      var random = new Random(5);
      for (int k = 0; k < 60; k++) {
        // A product: the first number is the kind, the third is not 0 in the place of a scatter.
        Conformance.check(
            device, Stream.concat(Stream.of(7), random.ints(90, 0, 5040).boxed()).toList());
      }
      assertThat(library.calls).isGreaterThan(5);
      assertThat(library.contexts).isOne();
    }
    assertThat(library.contexts).isZero();
  }

  @Test
  void itTakesLargeSingles() {
    var library = new StandIn(false).cuBlas;
    assertThat(library.takes(product(ScalarType.F32, 512))).isTrue();
    assertThat(library.takes(product(ScalarType.F32, 32))).isFalse();
    assertThat(library.takes(product(ScalarType.F64, 512))).isFalse();
    try (var device = device(library)) {
      var plain = product(ScalarType.F32, 512);
      assertThat(device.prepare(plain).source()).isEqualTo("/* SGEMM of cuBLAS */");
      assertThat(device.prepare(product(ScalarType.F32, 32)).source()).contains("ristretto_gemm");
    }
  }

  @Test
  void anOpenClDeviceHasNone() {
    assertThat(accelerator.cuBlas()).isNull();
  }

  private static Kernel.Gemm product(ScalarType type, long n) {
    return new Kernel.Gemm(
        "gemm",
        type,
        Longs.of(),
        n,
        n,
        n,
        square(type, 0, n),
        square(type, 1, n),
        square(type, 2, n),
        1,
        0);
  }

  private static Operand.Memory square(ScalarType type, int buffer, long n) {
    return new Operand.Memory(type, buffer, new Affine(0, Longs.of(n, 1)));
  }

  /** Its addresses name a piece of memory and a byte in it. */
  private static final class StandIn implements TornadoLibraryProvider {
    private static final int SHIFT = 40;

    private final List<Accelerator.Memory> memories = new ArrayList<>();
    private final CuBlas cuBlas;
    private TornadoDevice device;
    private int calls;
    private int contexts;

    /**
     * @param all it is to take small products too
     */
    StandIn(boolean all) {
      cuBlas =
          new CuBlas(null, this) {
            @Override
            boolean takes(Kernel.Gemm k) {
              boolean fits = ristretto.kernels.driver.BlasCalls.fits(k);
              return all ? k.type() == ScalarType.F32 && fits : super.takes(k);
            }

            @Override
            long address(Accelerator.Memory memory) {
              if (!memories.contains(memory)) {
                memories.add(memory);
              }
              return (long) (1 + memories.indexOf(memory)) << SHIFT;
            }
          };
    }

    @Override
    public String libraryName() {
      return "nvidia/cublas";
    }

    @Override
    public boolean canHandle(TornadoXPUDevice any) {
      return true;
    }

    @Override
    public LibraryContext createContext(TornadoXPUDevice any, long plan) {
      contexts++;
      return new LibraryContext() {};
    }

    @Override
    public void destroyContext(LibraryContext context) {
      contexts--;
    }

    @Override
    public void dispatch(String function, LibraryInvocation call) {
      assertThat(function).isEqualTo("cublasSgemmStridedBatched");
      calls++;
      int m = (int) call.getArg(2);
      int n = (int) call.getArg(3);
      int inner = (int) call.getArg(4);
      float alpha = (float) call.getArg(5);
      float beta = (float) call.getArg(12);
      boolean transA = (int) call.getArg(0) == 1;
      boolean transB = (int) call.getArg(1) == 1;
      for (int i = 0; i < (int) call.getArg(16); i++) {
        long a = at(call, 6, i);
        long b = at(call, 9, i);
        long c = at(call, 13, i);
        for (int column = 0; column < n; column++) {
          for (int row = 0; row < m; row++) {
            double sum = 0;
            for (int k = 0; k < inner; k++) {
              sum +=
                  (double) element(call, 6, a, transA, row, k)
                      * element(call, 9, b, transB, k, column);
            }
            long to = c + 4L * (row + (long) column * (int) call.getArg(14));
            double before = beta == 0 ? 0 : (double) beta * get(to);
            set(to, (float) (alpha * sum + before));
          }
        }
      }
    }

    /** The address of matrix {@code i} of argument {@code k}. */
    private static long at(LibraryInvocation call, int k, int i) {
      return call.getDevicePointer(k) + 4 * i * (long) call.getArg(k + 2);
    }

    private float element(
        LibraryInvocation call, int k, long start, boolean transposed, int row, int column) {
      long lead = (int) call.getArg(k + 1);
      return get(start + 4 * (transposed ? column + row * lead : row + column * lead));
    }

    private float get(long address) {
      float[] value = new float[1];
      device.queue.read(memory(address), place(address), MemorySegment.ofArray(value));
      return value[0];
    }

    private void set(long address, float value) {
      var content = MemorySegment.ofArray(new float[] {value});
      device.queue.write(memory(address), place(address), content);
    }

    private Accelerator.Memory memory(long address) {
      return memories.get((int) (address >> SHIFT) - 1);
    }

    private static long place(long address) {
      return address & ((1L << SHIFT) - 1);
    }
  }
}
