package ristretto.symbolic.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QuantitiesTest {
  @Test
  void chartsUseTheUnitOfTheLargestValue() {
    assertThat(Quantities.unit(0)).isEqualTo(new Quantities.Unit("B", 1));
    assertThat(Quantities.unit(999)).isEqualTo(new Quantities.Unit("B", 1));
    assertThat(Quantities.unit(1000)).isEqualTo(new Quantities.Unit("kB", 1e3));
    assertThat(Quantities.unit(46_100)).isEqualTo(new Quantities.Unit("kB", 1e3));
    assertThat(Quantities.unit(1_250_000_000)).isEqualTo(new Quantities.Unit("GB", 1e9));
    assertThat(Quantities.unit(Long.MAX_VALUE)).isEqualTo(new Quantities.Unit("TB", 1e12));
  }

  @Test
  void bytesHaveThreeDigits() {
    assertThat(Quantities.bytes(999)).isEqualTo("999 B");
    assertThat(Quantities.bytes(46_100)).isEqualTo("46.1 kB");
    assertThat(Quantities.bytes(1_250_000)).isEqualTo("1.25 MB");
  }
}
