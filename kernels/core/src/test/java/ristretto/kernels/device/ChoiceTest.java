package ristretto.kernels.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ristretto.kernels.DeviceException;

class ChoiceTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ristretto.cpu.code|tiered, scalar or vector",
        "ristretto.cache.programs|on or off",
        "ristretto.fast-math|false or true",
        "ristretto.explain|false or true",
        "ristretto.nnet3.check|false or true",
        "ristretto.cuda.tf32|false or true",
        "ristretto.cuda.epilogues|true or false"
      })
  void wrongValuesAreErrorsWhenDevicesAreLookedFor(String property, String valid) {
    String before = System.getProperty(property);
    System.setProperty(property, "foo");
    try {
      assertThatThrownBy(DeviceProviders::all)
          .isInstanceOf(DeviceException.class)
          .hasMessage(
              "[settings] %s must be %s; got \"foo\"; correct -D%s", property, valid, property);
    } finally {
      if (before == null) {
        System.clearProperty(property);
      } else {
        System.setProperty(property, before);
      }
    }
  }

  @Test
  void aBlankValueIsNone() {
    System.setProperty("ristretto.test.choice", " ");
    try {
      assertThat(Choice.of("ristretto.test.choice", "first", "second")).isEqualTo("first");
      assertThat(Choice.flag("ristretto.test.choice", true)).isTrue();
      System.setProperty("ristretto.test.choice", " second ");
      assertThat(Choice.of("ristretto.test.choice", "first", "second")).isEqualTo("second");
      System.setProperty("ristretto.test.choice", "false");
      assertThat(Choice.flag("ristretto.test.choice", true)).isFalse();
    } finally {
      System.clearProperty("ristretto.test.choice");
    }
  }
}
