package ristretto.kernels.cpu.convolution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import ristretto.kernels.DeviceException;

/** Who computes convolutions; the library itself is tested in its module. */
class ConvolutionChoiceTest {
  @Test
  void withoutTheModule() {
    assertThat(ConvolutionChoice.missing(ConvolutionChoice.problem().orElseThrow()))
        .isEqualTo(
            "[cpu] convolutions run as matrix products, several times slower than with oneDNN,"
                + " because the module ristretto-onednn is missing; add it, or set"
                + " -Dristretto.cpu.dnn=own");
  }

  @Test
  void theProperty() {
    System.setProperty(ConvolutionChoice.PROPERTY, "mkl");
    try {
      assertThatThrownBy(ConvolutionChoice::new)
          .isInstanceOf(DeviceException.class)
          .hasMessage(
              "[cpu] the convolution library must be auto or own; got \"mkl\"; correct"
                  + " -Dristretto.cpu.dnn");
    } finally {
      System.clearProperty(ConvolutionChoice.PROPERTY);
    }
  }
}
