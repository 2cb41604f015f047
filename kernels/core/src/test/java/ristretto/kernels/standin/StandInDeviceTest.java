package ristretto.kernels.standin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import ristretto.kernels.device.Device;
import ristretto.kernels.driver.DriverDeviceContract;

class StandInDeviceTest extends DriverDeviceContract {
  @Override
  protected Device another() {
    return new StandInDevice(4);
  }

  /** It keeps no programs. */
  @Test
  @Override
  public void otherSizesAndOffsetsCompileNothing() {
    assertThat(device.counters().cacheMisses()).isZero();
  }
}
