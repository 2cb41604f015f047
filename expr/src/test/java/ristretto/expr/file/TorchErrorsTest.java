package ristretto.expr.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.standin.Mutations;

/** PyTorch's files that are refused: the full text of the messages, and hostile files. */
class TorchErrorsTest {
  private static final int ROUNDS = Integer.getInteger("ristretto.fuzz", 1000);

  private static void check(byte[] file, String message) {
    assertThatThrownBy(() -> TestFiles.read("m.pt", file))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(message);
  }

  private static void checkPickle(TorchPickle pickle, String message) {
    check(TorchPickle.file(pickle.end()), "[load] " + message);
  }

  private static final String ENTRY = " of entry 'm/data.pkl' of m.pt";
  private static final String ALONE = "; save model.state_dict() alone";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "module.pt | torch.nn.modules.linear.Linear | 2",
        "conjugate.pt | torch.ComplexFloatStorage | 64",
        "sparse.pt | torch._utils._rebuild_sparse_tensor | 13",
      })
  void filesOfPyTorchThatAreNoStateDict(String file, String name, int at) {
    assertThatThrownBy(() -> TestFiles.read(TestFiles.path(file)))
        .isInstanceOf(FileFormatException.class)
        .hasMessageStartingWith(
            "[load] a PyTorch file must name only tensors of supported dtypes and dictionaries,"
                + " since nothing in a file is executed; got the name '"
                + name
                + "' at byte "
                + at
                + " of entry '"
                + file.replace(".pt", "")
                + "/data.pkl' of ")
        .hasMessageEndingWith(
            name.endsWith("Storage")
                ? "; convert tensors to f16, bf16, f32, f64, i8, u8, i16, i32, i64 or bool"
                : ALONE);
  }

  @Test
  void oldFilesAreNamedSo() throws IOException {
    check(
        Files.readAllBytes(TestFiles.path("legacy.pt")),
        "[load] a PyTorch file must be a zip archive, as since PyTorch 1.6; got a pickle at byte 0"
            + " of m.pt; load it in PyTorch and save it again");
  }

  @Test
  void functionsAreNotCalled() {
    checkPickle(
        new TorchPickle().global("os", "system").text("touch x").op(0x85, 'R'),
        "a PyTorch file must name only tensors of supported dtypes and dictionaries, since nothing"
            + " in a file is executed; got the name 'os.system' at byte 2"
            + ENTRY
            + ALONE);
    checkPickle(
        new TorchPickle().text("builtins").text("eval").op(0x93),
        "a PyTorch file must name only tensors of supported dtypes and dictionaries, since nothing"
            + " in a file is executed; got the name 'builtins.eval' at byte 24"
            + ENTRY
            + ALONE);
    checkPickle(
        new TorchPickle().global("torch", "FloatStorage").op(')', 'R'),
        "storages must be entries of the archive; got others at byte 23" + ENTRY + ALONE);
    checkPickle(
        new TorchPickle().text("x").op(')', 'R'),
        "a name must be applied to a tuple; got others at byte 9" + ENTRY + ALONE);
  }

  @ParameterizedTest
  @CsvSource({
    "105, INST (0x69)",
    "111, OBJ (0x6f)",
    "129, NEWOBJ (0x81)",
    "146, NEWOBJ_EX (0x92)",
    "130, EXT1 (0x82)",
    "80, PERSID (0x50)",
    "151, NEXT_BUFFER (0x97)",
    "66, BINBYTES (0x42)",
    "255, 0xff",
    "0, 0x00"
  })
  void otherOpcodesAreRefusedByName(int code, String name) {
    checkPickle(
        new TorchPickle().op('N', code),
        "a PyTorch file must use only the pickle opcodes of a state_dict, since nothing in a file"
            + " is executed; got opcode "
            + name
            + " at byte 3"
            + ENTRY
            + ALONE);
  }

  @Test
  void stacksThatDoNotMatch() {
    String few = "an opcode must have its operands; got too few values at byte ";
    checkPickle(new TorchPickle().op('t'), few + "2" + ENTRY + "; the file is damaged");
    checkPickle(new TorchPickle().op('N', '(', 0x85), few + "4" + ENTRY + "; the file is damaged");
    checkPickle(new TorchPickle().op('q', 0), few + "2" + ENTRY + "; the file is damaged");
    checkPickle(
        new TorchPickle().op('N', 'N'),
        "a pickle must end with one value; got 2 values and 0 more bytes at byte 4"
            + ENTRY
            + "; the file is damaged");
    checkPickle(
        new TorchPickle().op('h', 3),
        "a memo index must have been set; got 3 at byte 2" + ENTRY + "; the file is damaged");
    checkPickle(
        new TorchPickle().op('N', 'q', 0, 'q', 0),
        "a memo index must be set once; got 0 again at byte 5" + ENTRY + "; the file is damaged");
    checkPickle(
        new TorchPickle().op('N', 'N', 'a'),
        "items must be added to a list; got others at byte 4" + ENTRY + ALONE);
    checkPickle(
        new TorchPickle().op('}', 'N', 'N', 's'),
        "keys must be strings or integers; got others at byte 5" + ENTRY + ALONE);
    checkPickle(
        new TorchPickle().op('}', 'K', 1, 'N', 's', 'K', 1, 'N', 's'),
        "keys must differ; got '1' twice at byte 10" + ENTRY + "; the file is damaged");
    checkPickle(
        new TorchPickle().op('N', '}', 'b'),
        "only dictionaries may have attributes; got others at byte 4" + ENTRY + ALONE);
    checkPickle(
        new TorchPickle().op(0x8a, 9, 0, 0, 0, 0, 0, 0, 0, 0, 1),
        "a number must have at most 64 bits; got 9 bytes at byte 2" + ENTRY + ALONE);
  }

  @Test
  void lengthsBeyondTheFile() {
    checkPickle(
        new TorchPickle().op('X', 0xff, 0xff, 0xff, 0x7f),
        "text must lie within the file; got 2147483647 bytes where 1 are left at byte 7"
            + ENTRY
            + "; the file is truncated or damaged");
    checkPickle(
        new TorchPickle().op(0x95).little(8, 1L << 40),
        "frame must lie within the file; got 1099511627776 bytes where 1 are left at byte 11"
            + ENTRY
            + "; the file is truncated or damaged");
    check(
        TorchPickle.file(new byte[] {(byte) 0x80, 2}),
        "[load] opcode must lie within the file; got 1 bytes where 0 are left at byte 2"
            + ENTRY
            + "; the file is truncated or damaged");
    check(
        TorchPickle.file(new byte[] {(byte) 0x80, 1, '.'}),
        "[load] a pickle must begin with its protocol, 2 to 5; got PROTO (0x80) at byte 0"
            + ENTRY
            + ALONE);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 7, 1",
    "1, 6, 1",
    "-1, 1, 1",
    "0, 2, 6",
    "0, 2, 9223372036854775807",
    "9223372036854775807, 1, 1",
    "0, 9223372036854775807, 9223372036854775807",
    "0, 9223372036854775807, 1",
  })
  void tensorsBeyondTheirStorage(long offset, long size, long stride) {
    byte[] pickle = new TorchPickle().tensor("0", 6, offset, new long[] {size}, stride).end();
    assertThatThrownBy(() -> TestFiles.read("m.pt", TorchPickle.file(pickle)))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[load] a tensor must lie within its storage of 6 elements; got size ["
                + size
                + "], stride ["
                + stride
                + "] and offset "
                + offset
                + " at byte "
                + (pickle.length - 2)
                + ENTRY
                + "; the file is damaged");
  }

  @Test
  void storagesThatAreNot() {
    checkPickle(
        new TorchPickle().storage("0", 7),
        "a storage must be as large as its entry, which has 24 bytes; got 7 elements of f32 in"
            + " 'data/0' at byte 60"
            + ENTRY
            + "; the file is damaged");
    checkPickle(
        new TorchPickle().storage("../1", 7),
        "the archive must have an entry for each storage; got none named 'data/../1' at byte 63"
            + ENTRY
            + "; the file is damaged");
    checkPickle(
        new TorchPickle().text("m").op('Q'),
        "a storage must be described by 'storage', type, key, device and size; got others at byte"
            + " 8"
            + ENTRY
            + ALONE);
    byte[] negative = new TorchPickle().tensor("0", 6, 0, new long[] {2}, -1).end();
    check(
        TorchPickle.file(negative),
        "[load] extents and strides must be numbers from 0 to 2^63-1; got others at byte "
            + (negative.length - 2)
            + ENTRY);
  }

  @Test
  void viewsThatNegateTheirElements() {
    var pickle = new TorchPickle().global("torch._utils", "_rebuild_tensor_v2").op('(');
    pickle.storage("0", 6).whole(0).wholes(6).wholes(1).op(0x89, '}', '}');
    pickle.text("neg").op(0x88, 's', 't', 'R');
    checkPickle(
        pickle,
        "a tensor must be made of storage, offset, size, stride and requires_grad, without hooks"
            + " and metadata; got others at byte 143"
            + ENTRY
            + ALONE);
  }

  @Test
  void tensorsThatExpandToMuchMemory() {
    byte[] bomb =
        TorchPickle.file(
            new TorchPickle().tensor("0", 6, 0, new long[] {1 << 20, 1 << 20}, 0, 0).end());
    check(
        bomb,
        "[load] a file that unpacks to more than 256 MiB must not be packed more than 100 times;"
            + " got 4398046511104 bytes unpacked from "
            + bomb.length
            + " of m.pt; this may be a zip bomb; if you trust it, set"
            + " -Dristretto.file.expansion-limit="
            + (4398046511104L / bomb.length + 1));
  }

  private static final String NESTED =
      "[load] tensors must lie within at most 64 dictionaries and lists, with names of at most 1000"
          + " characters, and 2097152 values in all; got more at byte 0"
          + ENTRY
          + ALONE;

  @Test
  void containersWithinThemselves() {
    check(TorchPickle.file(new TorchPickle().op(']', 'q', 0, 'h', 0, 'a').end()), NESTED);
    // Each list contains the one before twice.
    var twice = new TorchPickle().op('(', ']', 'q', 0);
    for (int k = 1; k < 60; k++) {
      twice.op(']', 'q', k, '(', 'h', k - 1, 'h', k - 1, 'e');
    }
    check(TorchPickle.file(twice.op('t').end()), NESTED);
  }

  @Test
  void manyValues() {
    byte[] pickle = new byte[1 << 23];
    Arrays.fill(pickle, (byte) '}');
    pickle[0] = (byte) 0x80;
    pickle[1] = 2;
    check(
        TorchPickle.file(pickle),
        "[load] a pickle must have at most 2097152 values; got more at byte 2097155"
            + ENTRY
            + ALONE);
    check(
        TorchPickle.file(new byte[1 << 25 | 1]),
        "[load] a pickle must have at most 33554432 bytes; got 33554433 in 'm/data.pkl' at byte 0"
            + " of m.pt; save fewer tensors");
  }

  @Test
  void archivesThatAreNotPyTorchs() {
    check(
        new byte[40],
        "[load] a PyTorch file must be a zip archive, which ends with its central directory; got"
            + " none at byte 18 of m.pt; the file is truncated or not a PyTorch file");
    check(
        TorchPickle.zip(Map.of("a.npy", new byte[3]), ZipEntry.STORED),
        "[load] a PyTorch file must have one entry named data.pkl in a folder; got 0 among 1"
            + " entries at byte 0 of m.pt; load it in PyTorch and save it again");
    check(
        TorchPickle.zip(Map.of("m/data.pkl", new byte[3]), ZipEntry.DEFLATED),
        "[load] entries of a PyTorch file must not be compressed; got 'm/data.pkl' at byte 0 of"
            + " m.pt; load it in PyTorch and save it again");
    var entries = new LinkedHashMap<String, byte[]>();
    entries.put("m/data.pkl", new TorchPickle().op('N').end());
    entries.put("m/byteorder", "middle".getBytes(StandardCharsets.US_ASCII));
    check(
        TorchPickle.zip(entries, ZipEntry.STORED),
        "[load] the byte order must be little or big; got 'middle' at byte 0 of entry"
            + " 'm/byteorder' of m.pt; load it in PyTorch and save it again");
  }

  @Test
  void namesThatOccurTwice() {
    checkPickle(
        new TorchPickle()
            .op('}', '(')
            .text("a.b")
            .tensor("0", 6, 0, new long[] {6}, 1)
            .text("a")
            .op('}')
            .text("b")
            .tensor("0", 6, 0, new long[] {6}, 1)
            .op('s', 'u'),
        "names must differ; got 'a.b' twice at byte 0"
            + ENTRY
            + "; load it in PyTorch and save it again");
  }

  @Test
  void damagedElementsAreFoundByTheirChecksum() throws IOException {
    byte[] file = Files.readAllBytes(TestFiles.path("views.pt"));
    byte[] damaged = file.clone();
    int data = new String(file, StandardCharsets.ISO_8859_1).indexOf("views/data/0");
    damaged[data + 100] ^= 1;
    assertThatThrownBy(() -> TestFiles.read("views.pt", damaged))
        .isInstanceOf(FileFormatException.class)
        .hasMessageMatching(
            "\\[load\\] the checksum of entry 'views/data/0' must be [0-9a-f]{8}; got [0-9a-f]{8}"
                + " at byte [0-9]+ of views.pt; the file is damaged");
  }

  @ParameterizedTest
  @ValueSource(strings = {"dtypes.pt", "views.pt", "nested.pt", "protocol4.pt", "single.pth"})
  void damagedFilesAreRefusedOrRead(String file) throws IOException {
    byte[] valid = Files.readAllBytes(TestFiles.path(file));
    for (int length = 0; length < valid.length; length++) {
      assertThat(reads(file, Arrays.copyOf(valid, length))).as("cut to %d", length).isFalse();
    }
    int survived = 0;
    for (int round = 0; round < ROUNDS; round++) {
      survived += reads(file, new Mutations(new Random(round)).of(valid)) ? 1 : 0;
    }
    assertThat(survived).isLessThan(ROUNDS);
  }

  /** Damages the pickle alone, within a valid archive. */
  @Test
  void damagedPicklesAreRefusedOrRead() {
    byte[] valid =
        new TorchPickle()
            .op('}', '(')
            .text("a")
            .tensor("0", 6, 1, new long[] {2, 2}, 1, 2)
            .op('q', 0)
            .text("b")
            .op('h', 0, 'u')
            .end();
    assertThat(reads("m.pt", TorchPickle.file(valid))).isTrue();
    for (int round = 0; round < ROUNDS; round++) {
      var random = new Random(round);
      byte[] damaged = valid.clone();
      for (int k = random.nextInt(3); k >= 0; k--) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
      }
      reads("m.pt", TorchPickle.file(damaged));
      reads("m.pt", TorchPickle.file(new Mutations(random).of(valid)));
    }
  }

  private static boolean reads(String name, byte[] file) {
    try {
      TestFiles.read(name, file);
      return true;
    } catch (FileFormatException e) {
      assertThat(e).hasMessageStartingWith("[load] ").hasMessageContaining(name);
      Mutations.checkMessage(e.getMessage());
      return false;
    }
  }
}
