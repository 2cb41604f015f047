package ristretto.opencl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.jocl.CL;
import org.jocl.CLException;
import org.junit.jupiter.api.Test;
import ristretto.kernels.DeviceException;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.MemoryLimit;
import ristretto.kernels.driver.BlasChoice;
import ristretto.kernels.driver.DriverProvider.Found;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;
import ristretto.kernels.source.Target;

/** Messages to users about failures outside of this library. */
class FailureTest {
  private static String said(int status) {
    return Failure.of("map_add", "Arc", new CLException(CL.stringFor_errorCode(status), status))
        .getMessage();
  }

  @Test
  void theDriverHasNoMemory() {
    assertThat(said(CL.CL_MEM_OBJECT_ALLOCATION_FAILURE))
        .isEqualTo(
            "[map_add] memory must suffice; Arc reports CL_MEM_OBJECT_ALLOCATION_FAILURE: drivers"
                + " allocate memory only at its first use; release tensors that are no longer"
                + " needed, or set -Dristretto.opencl.memory-limit to the free memory");
  }

  @Test
  void theDeviceIsLost() {
    assertThat(said(CL.CL_DEVICE_NOT_AVAILABLE))
        .isEqualTo(
            "[map_add] the device must stay available; Arc reports CL_DEVICE_NOT_AVAILABLE: it is"
                + " lost, and so is its memory; open a new context, and look into the system's log"
                + " if it happens again");
  }

  @Test
  void theDriverDoesNotSayWhatIsWrong() {
    assertThat(said(CL.CL_OUT_OF_RESOURCES))
        .isEqualTo(
            "[map_add] the driver must succeed; Arc reports CL_OUT_OF_RESOURCES; the device may be"
                + " lost, or its memory full: open a new context, and look into the system's log if"
                + " it happens again");
  }

  /** A target that promises larger groups than there are makes the driver refuse a launch. */
  @Test
  void aRefusedLaunchIsSuchAnError() {
    try (var device = TestDevice.open()) {
      Target t = device.target;
      var greedy =
          new Target(t.dialect(), t.wide(), 1 << 20, t.rowGroup(), t.units(), t.localBytes());
      try (var other = new OpenClDevice(device.hardware, 0, greedy, BlasChoice.OWN);
          Buffer y = other.allocate(4 << 20)) {
        var tape = new TapeBuilder();
        var kernel =
            new Kernel.Map(
                "map_exp_f32_flat",
                Longs.of(1 << 20),
                tape.build(tape.apply(Op.EXP, tape.input(0, ScalarType.F32))),
                List.of(vector()),
                List.of(vector()));
        var launch = other.prepare(kernel);
        assertThatThrownBy(() -> launch.run(new Buffer[] {y}, new long[0]))
            .isInstanceOf(DeviceException.class)
            .hasMessage(
                "[map_exp_f32_flat] the driver must succeed; "
                    + device.hardware.name()
                    + " reports CL_INVALID_WORK_GROUP_SIZE; the device may be lost, or its memory"
                    + " full: open a new context, and look into the system's log if it happens"
                    + " again");
      }
    }
  }

  private static Operand.Memory vector() {
    return new Operand.Memory(
        ScalarType.F32, 0, new Affine(0, Longs.of(1)), Optional.empty(), List.of());
  }

  @Test
  void noLoader() {
    Found<Hardware> found = Hardware.find(List.of("libNoSuchOpenCL.so.1"));
    assertThat(new OpenClProvider(() -> found).remedy())
        .isEqualTo(
            "the OpenCL loader (libNoSuchOpenCL.so.1) is missing; install the OpenCL driver of"
                + " your GPU, or PoCL for the processor (on Debian and Ubuntu: apt-get install"
                + " ocl-icd-libopencl1 pocl-opencl-icd)");
  }

  @Test
  void noSuchDevice() {
    Hardware hardware = TestDevice.required();
    var provider = new OpenClProvider(() -> new Found<>(List.of(hardware), ""));
    assertThatThrownBy(() -> provider.open(7))
        .isInstanceOf(DeviceException.class)
        .hasMessage("[opencl] the device index must be below 1; got 7");
  }

  @Test
  void memoryEndsAtTheLimit() {
    Hardware hardware = TestDevice.required();
    String property = "ristretto.opencl.memory-limit";
    System.setProperty(property, "64m");
    try (var device = new OpenClDevice(hardware, 0)) {
      Buffer a = device.allocate(16 << 20);
      Buffer b = device.allocate(40 << 20);
      assertThatThrownBy(() -> device.allocate(9 << 20))
          .isInstanceOf(DeviceException.class)
          .hasMessage(
              "[allocate] memory must suffice; asked for 9.0 MiB with 56.0 MiB in use (56.0 MiB"
                  + " with rounding) of "
                  + MemoryLimit.words(hardware.memory())
                  + " in buffers of at most "
                  + MemoryLimit.words(hardware.largestBuffer())
                  + " and a limit of 64.0 MiB; the largest of 2 buffers hold 40.0 MiB, 16.0 MiB;"
                  + " release tensors that are no longer needed, or raise"
                  + " -Dristretto.opencl.memory-limit");
      // What waits for its next use makes room.
      a.close();
      Buffer c = device.allocate(24 << 20);
      device.write(c, 0, MemorySegment.ofArray(new byte[] {1}));
      assertThat(b.closed()).isFalse();
    } finally {
      System.clearProperty(property);
    }
  }
}
