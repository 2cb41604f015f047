package ristretto.expr.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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

  static FileBytes bytes(String name, byte[] bytes) {
    return new FileBytes(name, ByteSource.of(MemorySegment.ofArray(bytes)), bytes.length);
  }

  /** Reads a file from memory; its name's ending says how. */
  static Map<String, HostTensor> read(String name, byte[] content) {
    FileBytes file = bytes(name, content);
    return whole(
        switch (Formats.ofInput(Path.of(name))) {
          case NPY -> {
            Npy npy = Npy.read(file);
            yield Map.of("", npy.tensor(piece -> npy.forEach(file, piece)));
          }
          case NPZ -> Npz.read(file);
          case SAFETENSORS -> Safetensors.read(file).tensors();
          case PYTORCH -> Torch.read(file);
        });
  }

  /** Reads a file with all elements. */
  static Map<String, HostTensor> read(Path path) {
    try (TensorFile file = TensorFile.open(path)) {
      return whole(file.tensors());
    }
  }

  private static Map<String, HostTensor> whole(Map<String, StoredTensor> tensors) {
    var all = new LinkedHashMap<String, HostTensor>();
    tensors.forEach((name, stored) -> {
      MemorySegment data = MemorySegment.ofArray(new byte[(int) stored.bytes()]);
      stored.elements().forEach((at, bytes) -> data.asSlice(at).copyFrom(bytes));
      all.put(name, new HostTensor(stored.type(), stored.shape(), data));
    });
    return all;
  }

  static Map<String, String> metadata(Path path) {
    try (TensorFile file = TensorFile.open(path)) {
      return file.metadata();
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
