package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import ristretto.expr.device.DeviceSelection;
import ristretto.kernels.DeviceException;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.DeviceProvider;

class BestDeviceTest {
  private final List<String> opened = new ArrayList<>();

  private DeviceProvider provider(String kind, String... devices) {
    return new DeviceProvider() {
      @Override
      public String kind() {
        return kind;
      }

      @Override
      public List<String> devices() {
        return List.of(devices);
      }

      @Override
      public String remedy() {
        return "";
      }

      @Override
      public Device open(int index) {
        opened.add(kind + ":" + index);
        return null;
      }
    };
  }

  @Test
  void aGpuComesBeforeTheProcessor() {
    DeviceSelection.best(
        List.of(
            provider("opencl", "pthread, CPU, GenuineIntel", "Arc, GPU, Intel"),
            provider("cpu", "Xeon")));
    assertThat(opened).containsExactly("opencl:1");
  }

  @Test
  void theProcessorThroughADriverDoesNot() {
    DeviceSelection.best(
        List.of(
            provider("cuda"), provider("opencl", "pthread, CPU, PoCL"), provider("cpu", "a CPU")));
    assertThat(opened).containsExactly("cpu:0");
  }

  @Test
  void withoutAnyDevice() {
    assertThatThrownBy(() -> DeviceSelection.best(List.of(provider("cuda"))))
        .isInstanceOf(DeviceException.class)
        .hasMessage("[open] no device was found; put a device module on the path.");
  }
}
