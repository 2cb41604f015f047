package ristretto.kernels.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import ristretto.kernels.DeviceException;

/** Who computes convolutions; the library itself is tested in its module. */
class ConvolutionsTest {
  @Test
  void withoutTheModule() {
    assertThat(Convolutions.missing(Convolutions.problem().orElseThrow()))
        .isEqualTo(
            "[cpu] convolutions as products with windows, which take several times longer than"
                + " oneDNN, because the module ristretto-onednn is not there; add it, or say"
                + " -Dristretto.cpu.dnn=own");
  }

  @Test
  void theProperty() {
    System.setProperty(Convolutions.PROPERTY, "mkl");
    try {
      assertThatThrownBy(Convolutions::new)
          .isInstanceOf(DeviceException.class)
          .hasMessage(
              "[cpu] the convolutions' library must be auto or own; got \"mkl\"; correct"
                  + " -Dristretto.cpu.dnn");
    } finally {
      System.clearProperty(Convolutions.PROPERTY);
    }
  }
}
