package ristretto.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class VectorModuleTest {
  @Test
  void testsRunWithTheVectorModule() {
    assertThat(ModuleLayer.boot().findModule("jdk.incubator.vector")).isPresent();
  }
}
