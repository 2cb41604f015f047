package ristretto.expr.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.print.ElementReader;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.scalar.ScalarType;

/** Files that NumPy and safetensors wrote; {@code make_files.py} beside them made them. */
class TensorFilesTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({
    "f2.npy, F16",
    "f4.npy, F32",
    "f8.npy, F64",
    "i1.npy, I8",
    "i2.npy, I16",
    "i4.npy, I32",
    "i8.npy, I64",
    "u1.npy, U8",
    "u2.npy, U16",
    "u4.npy, U32",
    "u8.npy, U64",
    "b1.npy, BOOL",
    "big-f2.npy, F16",
    "big-f4.npy, F32",
    "big-f8.npy, F64",
    "big-i2.npy, I16",
    "big-i4.npy, I32",
    "big-i8.npy, I64",
    "big-u2.npy, U16",
    "big-u4.npy, U32",
    "big-u8.npy, U64",
    "version2.npy, F32",
    "version3.npy, F32",
    "fortran.npy, F32"
  })
  void readsNumPysFiles(String file, ScalarType type) {
    Map<String, HostTensor> tensors = TestFiles.read(TestFiles.path(file));
    assertThat(tensors).containsOnlyKeys("");
    checkMatrix(tensors.get(""), type);
  }

  @Test
  void readsFortranOrderOfAnyRank() {
    HostTensor three = TestFiles.read(TestFiles.path("fortran3.npy")).get("");
    assertThat(three.shape()).isEqualTo(Longs.of(2, 35, 33));
    assertThat(longs(three)).containsExactly(LongStream.range(0, 2 * 35 * 33).toArray());
    HostTensor four = TestFiles.read(TestFiles.path("fortran-big4.npy")).get("");
    assertThat(four.shape()).isEqualTo(Longs.of(2, 3, 4, 5));
    assertThat(longs(four)).containsExactly(LongStream.range(0, 120).toArray());
  }

  @Test
  void readsTensorsWithoutAxesAndWithoutElements() {
    HostTensor scalar = TestFiles.read(TestFiles.path("scalar.npy")).get("");
    assertThat(scalar.shape()).isEqualTo(Longs.EMPTY);
    assertThat(ElementReader.of(scalar.type(), scalar.data()).floating(0)).isEqualTo(2.5);
    HostTensor empty = TestFiles.read(TestFiles.path("empty.npy")).get("");
    assertThat(empty.shape()).isEqualTo(Longs.of(2, 0, 3));
    assertThat(empty.data().byteSize()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"stored.npz", "deflated.npz", "plain-names.npz", "streamed.npz", "zip64.npz"})
  void readsArchivesInTheirOrder(String file) {
    Map<String, HostTensor> tensors = TestFiles.read(TestFiles.path(file));
    assertThat(tensors.keySet()).containsExactly("w", "b", "flag");
    checkMatrix(tensors.get("w"), ScalarType.F32);
    assertThat(longs(tensors.get("b"))).containsExactly(0, 1, 2, 3);
    assertThat(longs(tensors.get("flag"))).containsExactly(1);
    assertThat(tensors.get("flag").shape()).isEqualTo(Longs.EMPTY);
  }

  @Test
  void anArchiveMayHoldNothing() {
    assertThat(TestFiles.read(TestFiles.path("none.npz"))).isEmpty();
  }

  @Test
  void readsSafetensorsWithItsMetadata() {
    Path file = TestFiles.path("all.safetensors");
    Map<String, HostTensor> tensors = TestFiles.read(file);
    assertThat(tensors).hasSize(10);
    checkMatrix(tensors.get("w"), ScalarType.F32);
    checkMatrix(tensors.get("h"), ScalarType.F16);
    checkMatrix(tensors.get("d"), ScalarType.F64);
    checkMatrix(tensors.get("i"), ScalarType.I32);
    checkMatrix(tensors.get("l"), ScalarType.I64);
    checkMatrix(tensors.get("b"), ScalarType.I8);
    checkMatrix(tensors.get("u"), ScalarType.U8);
    checkMatrix(tensors.get("flag"), ScalarType.BOOL);
    assertThat(tensors.get("e").shape()).isEqualTo(Longs.of(0, 2));
    assertThat(tensors.get("s").shape()).isEqualTo(Longs.EMPTY);
    assertThat(TestFiles.metadata(file))
        .containsExactlyInAnyOrderEntriesOf(Map.of("format", "np", "note", "grüezi \"x\""));
    assertThat(TestFiles.metadata(TestFiles.path("stored.npz"))).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(ScalarType.class)
  void everyTypeSurvivesEveryFormatThatHoldsIt(ScalarType type) {
    for (String file : List.of("t.npy", "t.npz", "t.safetensors")) {
      if (type == ScalarType.BF16 && !file.endsWith("safetensors")) {
        continue;
      }
      Map<String, HostTensor> tensors = new LinkedHashMap<>();
      tensors.put(file.equals("t.npy") ? "" : "narrow", TestFiles.tensor(type, 3, 5));
      if (!file.equals("t.npy")) {
        tensors.put(
            "z/ü \"\\\n".substring(0, file.endsWith("z") ? 5 : 7),
            TestFiles.tensor(ScalarType.F64, 2));
        tensors.put("", TestFiles.tensor(ScalarType.U8, 0, 4));
        tensors.put("one", TestFiles.tensor(type));
      }
      Path path = folder.resolve(file);
      TensorFiles.write(path, tensors);
      TestFiles.checkEqual(TestFiles.read(path), tensors);
    }
  }

  @Test
  void writtenTensorsAreAligned() throws IOException {
    Path path = folder.resolve("aligned.safetensors");
    Map<String, HostTensor> tensors = new LinkedHashMap<>();
    tensors.put("bytes", TestFiles.tensor(ScalarType.U8, 3));
    tensors.put("doubles", TestFiles.tensor(ScalarType.F64, 3));
    tensors.put("halves", TestFiles.tensor(ScalarType.F16, 3));
    tensors.put("floats", TestFiles.tensor(ScalarType.F32, 3));
    TensorFiles.write(path, tensors, Map.of("by", "a\u0001\"test\""));
    TestFiles.checkEqual(TestFiles.read(path), tensors);
    assertThat(TestFiles.metadata(path)).isEqualTo(Map.of("by", "a\u0001\"test\""));
    String header = Files.readString(path, StandardCharsets.ISO_8859_1);
    assertThat(header)
        .contains("[0,24]", "[24,36]", "[36,42]", "[42,45]")
        .matches("(?s).{8}\\{.*\\} *.{45}");
    assertThat((Files.size(path) - 45) % 8).isZero();
    Path npy = folder.resolve("aligned.npy");
    TensorFiles.write(npy, Map.of("", tensors.get("bytes")));
    assertThat(Files.size(npy)).isEqualTo(128 + 3);
  }

  @Test
  void endingsAreReadInAnyCase() {
    Path path = folder.resolve("A.NPY");
    Map<String, HostTensor> tensors = Map.of("", TestFiles.tensor(ScalarType.F32, 2));
    TensorFiles.write(path, tensors);
    TestFiles.checkEqual(TestFiles.read(path), tensors);
  }

  @Test
  void aFileMayBeReplacedByItsOwnTensors() {
    Path path = folder.resolve("own.npz");
    Map<String, HostTensor> tensors =
        Map.of(
            "a", TestFiles.tensor(ScalarType.F32, 1000), "b", TestFiles.tensor(ScalarType.I8, 7));
    TensorFiles.write(path, tensors);
    Map<String, HostTensor> old = TestFiles.read(path);
    TensorFiles.write(path, old);
    TestFiles.checkEqual(TestFiles.read(path), tensors);
    TestFiles.checkEqual(old, tensors);
  }

  @Test
  void linksStayLinks() throws IOException {
    Path target = folder.resolve("target.npy");
    Path link = folder.resolve("link.npy");
    TensorFiles.write(target, Map.of("", TestFiles.tensor(ScalarType.F32, 2)));
    Files.createSymbolicLink(link, target.getFileName());
    TensorFiles.write(link, Map.of("", TestFiles.tensor(ScalarType.F64, 3)));
    assertThat(link).isSymbolicLink();
    assertThat(TestFiles.read(target).get("").type()).isEqualTo(ScalarType.F64);
  }

  @Test
  void aFailedWriteLeavesTheOldFileAndNothingElse() throws IOException {
    Path path = folder.resolve("kept.npy");
    HostTensor old = TestFiles.tensor(ScalarType.F32, 2);
    TensorFiles.write(path, Map.of("", old));
    Arena arena = Arena.ofConfined();
    HostTensor gone = new HostTensor(ScalarType.I8, Longs.of(100), arena.allocate(100));
    arena.close();
    assertThatThrownBy(() -> TensorFiles.write(path, Map.of("", gone)))
        .isInstanceOf(IllegalStateException.class);
    TestFiles.checkEqual(TestFiles.read(path), Map.of("", old));
    try (var files = Files.list(folder)) {
      assertThat(files).containsExactly(path);
    }
  }

  @Test
  void filesThatAreNotThereAreSaidSo() {
    Path missing = folder.resolve("missing.npy");
    assertThatThrownBy(() -> TestFiles.read(missing))
        .isInstanceOf(FileException.class)
        .hasMessage(
            "[load] a tensor file must exist and be readable; got %s (no such file); check the"
                + " path",
            missing);
    Path nowhere = folder.resolve("nowhere/a.npy");
    assertThatThrownBy(
            () -> TensorFiles.write(nowhere, Map.of("", TestFiles.tensor(ScalarType.F32, 2))))
        .isInstanceOf(FileException.class)
        .hasMessage(
            "[save] a tensor file must be writable; got %s (no such folder); check the path",
            nowhere);
  }

  @Test
  void filesThatBecomeShorterAreSaidSo() throws IOException {
    Path path = folder.resolve("short.npy");
    TensorFiles.write(path, Map.of("", TestFiles.tensor(ScalarType.F32, 2000)));
    try (TensorFile file = TensorFile.open(path)) {
      Files.write(path, new byte[5000]);
      assertThatThrownBy(() -> file.tensors().get("").elements().forEach((_, _) -> {}))
          .isInstanceOf(FileFormatException.class)
          .hasMessage(
              "[load] a file must not change while it is read; got the end of the file at byte"
                  + " 5000 of %s, which had 8128 bytes; write to another file and rename it",
              path);
    }
  }

  @Test
  void foldersAreNoFiles() throws IOException {
    Path path = Files.createDirectory(folder.resolve("folder.npz"));
    assertThatThrownBy(() -> TestFiles.read(path))
        .isInstanceOf(FileException.class)
        .hasMessage(
            "[load] a tensor file must exist and be readable; got %s (not a regular file); check"
                + " the path",
            path);
    assertThatThrownBy(() -> TensorFiles.write(path, Map.of()))
        .isInstanceOf(FileException.class)
        .hasMessage(
            "[save] a tensor file must be writable; got %s (not a regular file); check the path",
            path);
  }

  @Test
  void dataMustFitTheShape() {
    assertThatThrownBy(() ->
            new HostTensor(ScalarType.F32, Longs.of(2, 3), MemorySegment.ofArray(new byte[4])))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("[tensor] data must fit the shape; got 4 bytes for f32[2,3], which takes 24");
  }

  /** a[i,j] = i + j/4 - 1, one more where there is no sign, as NumPy's astype makes it. */
  private static void checkMatrix(HostTensor tensor, ScalarType type) {
    assertThat(tensor.type()).isEqualTo(type);
    assertThat(tensor.shape()).isEqualTo(Longs.of(3, 4));
    ElementReader reader = ElementReader.of(type, tensor.data());
    for (int k = 0; k < 12; k++) {
      double exact = k / 4 + k % 4 / 4.0 - (type.name().startsWith("U") ? 0 : 1);
      double expected =
          type == ScalarType.BOOL ? (exact != 0 ? 1 : 0) : type.isFloat() ? exact : (long) exact;
      double actual = type.isFloat() ? reader.floating(k) : reader.integer(k);
      assertThat(actual).as("element %d", k).isEqualTo(expected);
    }
  }

  private static long[] longs(HostTensor tensor) {
    ElementReader reader = ElementReader.of(tensor.type(), tensor.data());
    return LongStream.range(0, tensor.shape().product()).map(reader::integer).toArray();
  }
}
