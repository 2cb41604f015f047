package ristretto.expr.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.scalar.ScalarType;

/** Fixtures and tensors with random content. */
final class TestFiles {
  private TestFiles() {}

  static Path path(String resource) {
    try {
      return Path.of(TestFiles.class.getResource(resource).toURI());
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }

  /** A JVM with this one's class path and locale. */
  static ProcessBuilder java(Class<?> main, String... args) {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("-Xmx256m");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    command.addAll(List.of(args));
    return new ProcessBuilder(command);
  }

  static HostTensor tensor(ScalarType type, long... extents) {
    Longs shape = Longs.of(extents);
    byte[] bytes = new byte[(int) HostTensor.bytes(type, shape)];
    new Random(1).nextBytes(bytes);
    if (type == ScalarType.BOOL) {
      for (int k = 0; k < bytes.length; k++) {
        bytes[k] &= 1;
      }
    }
    return new HostTensor(type, shape, MemorySegment.ofArray(bytes));
  }

  static void checkEqual(Map<String, HostTensor> actual, Map<String, HostTensor> expected) {
    assertThat(actual.keySet()).containsExactlyElementsOf(expected.keySet());
    expected.forEach((name, tensor) -> {
      assertThat(actual.get(name).type()).isEqualTo(tensor.type());
      assertThat(actual.get(name).shape()).isEqualTo(tensor.shape());
      assertThat(actual.get(name).data().toArray(ValueLayout.JAVA_BYTE))
          .isEqualTo(tensor.data().toArray(ValueLayout.JAVA_BYTE));
    });
  }
}
