package ristretto.expr.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.RistrettoException;
import ristretto.kernels.ShapeException;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.scalar.ScalarType;

/** The full text of what users read when a file is wrong. */
class TensorFileErrorsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), } | an extent must be a number"
            + " from 0 to 2^63-1; got -1 at byte 61 of w.npy",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808,), } | an extent"
            + " must be a number from 0 to 2^63-1; got 9223372036854775808 at byte 61 of w.npy",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (x,), } | an extent must be a number"
            + " from 0 to 2^63-1; got 'x' at byte 61 of w.npy",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3), } | a tuple of one extent must have"
            + " a ','; got none at byte 62 of w.npy",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3 4), } | extents must be separated by"
            + " ','; got '4' at byte 63 of w.npy",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 3, } | the header must have a tuple as"
            + " shape; got '3' at byte 60 of w.npy",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (3,), } | fortran_order must be True or"
            + " False; got '0' at byte 44 of w.npy",
        "{'descr': '<c8', 'fortran_order': False, 'shape': (3,), } | dtype must be one of f2 f4 f8"
            + " i1 i2 i4 i8 u1 u2 u4 u8 b1; got '<c8' at byte 10 of w.npy; convert it with NumPy's"
            + " astype",
        "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (3,), } | dtype must be one of"
            + " f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1; got a structured dtype at byte 20 of w.npy;"
            + " save each field as a tensor of its own",
        "{'descr': '<f4', 'fortran_order': False} | the header must have the keys descr,"
            + " fortran_order and shape; got no shape at byte 10 of w.npy",
        "{'descr': '<f4', 'descr': '<f4'} | the header must name each key once; got 'descr' again"
            + " at byte 27 of w.npy",
        "{'descr': '<f4', 'order': 'C'} | the header must have the keys descr, fortran_order and"
            + " shape only; got 'order' at byte 27 of w.npy",
        "['descr'] | the header must have a Python dictionary; got '[' at byte 10 of w.npy",
        "{'descr': '<f4' | the header must have ',' or '}' after a value; got the end of the header"
            + " at byte 25 of w.npy",
        "{'descr' '<f4'} | the header must have ':' after a key; got ''' at byte 19 of w.npy",
        "{'descr': '<f4', 'shape | a string must end with its quote; got ''' at byte 27 of w.npy",
        "{'descr': 4} | the header must have a quoted string here; got '4' at byte 20 of w.npy",
        "{'descr': '<\\f4'} | a string must have printable characters only; got others at byte 20"
            + " of w.npy",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), } x | the header must end after"
            + " its dictionary; got 'x' at byte 68 of w.npy",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), } | data must fit the header,"
            + " which says f32[3] and so 12 bytes; got 8 bytes at byte 67 of w.npy; the file is"
            + " truncated or damaged",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), } | data must fit the header,"
            + " which says f32[1] and so 4 bytes; got 8 bytes at byte 67 of w.npy; the file is"
            + " damaged or holds more than one array",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 0, 2), } | data"
            + " must fit the header, which says f32[4611686018427387904,0,2], more than any file"
            + " holds; got 8 bytes at byte 90 of w.npy; the file is truncated or damaged",
        "{'descr': '?', 'fortran_order': False, 'shape': (8,), } | a bool must be 0 or 1; got 7"
            + " at byte 70 of w.npy",
      })
  void npyHeaders(String header, String message) {
    byte[] text = header.getBytes(StandardCharsets.ISO_8859_1);
    ByteBuffer file = ByteBuffer.allocate(10 + text.length + 8).order(ByteOrder.LITTLE_ENDIAN);
    file.put(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0}).putShort((short) text.length);
    file.put(text).put(new byte[] {0, 0, 0, 0, 0, 7, 0, 0});
    check(() -> npy(file.array()), "[load] " + message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | a .npy file must begin with \\x93NUMPY; got nothing at byte 0 of w.npy",
        "504b0304aabbccddee | a .npy file must begin with \\x93NUMPY; got bytes 50 4b 03 04 aa bb"
            + " cc dd... at byte 0 of w.npy",
        "934e554d5059 | version must lie within the file; got 0 bytes where 1 are left at byte 6 of"
            + " w.npy; the file is truncated or damaged",
        "934e554d50590400 | .npy version must be 1.0, 2.0 or 3.0; got 4.0 at byte 6 of w.npy",
        "934e554d505902000000ff7f | a .npy header must have at most 65536 bytes; got 2147418112 at"
            + " byte 8 of w.npy",
        "934e554d50590100ff0f20 | header must lie within the file; got 4095 bytes where 1 are left"
            + " at byte 10 of w.npy; the file is truncated or damaged",
        "934e554d5059030001000000ff | the header of version 3.0 must be UTF-8; got other bytes at"
            + " byte 12 of w.npy",
      })
  void npyFiles(String hex, String message) {
    byte[] bytes = java.util.HexFormat.of().parseHex(hex);
    String expected =
        message.replace("got 0 bytes where 1 are left", "got 1 bytes where 0 are left");
    check(() -> npy(bytes), "[load] " + expected);
  }

  @Test
  void shapesAreOfLimitedRank() {
    String header = "{'shape': (" + "1,".repeat(65) + "), }";
    byte[] text = header.getBytes(StandardCharsets.ISO_8859_1);
    ByteBuffer file = ByteBuffer.allocate(10 + text.length).order(ByteOrder.LITTLE_ENDIAN);
    file.put(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0}).putShort((short) text.length);
    file.put(text);
    check(
        () -> npy(file.array()),
        "[load] a shape must have at most 64 extents; got more at byte 149 of w.npy");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[] | an object must be here; got '[' at byte 8 of m.safetensors",
        "{\"a\":[[[[[[[[[[ | an object must be here; got '[' at byte 13 of m.safetensors",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[[2]]}} | a number from 0 up must be here; got '[' at"
            + " byte 37 of m.safetensors",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[-2]}} | a number from 0 up must be here; got '-2' at"
            + " byte 37 of m.safetensors",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[02]}} | the header must be JSON; got \"Invalid"
            + " numeric value: Leading zeroes not allowed\" at byte 38 of m.safetensors",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[9223372036854775808]}} | a number must be below 2^63;"
            + " got 9223372036854775808 at byte 37 of m.safetensors",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8,9]}} | an array must have at"
            + " most 2 numbers here; got more at byte 60 of m.safetensors",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0]}} | data_offsets must be"
            + " begin and end; got [0] for 'a' at byte 9 of m.safetensors",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]}} | data_offsets must be"
            + " begin and end; got [8, 0] for 'a' at byte 9 of m.safetensors",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}} | data_offsets must fit"
            + " dtype and shape of 'a', f32[2] and so 8 bytes; got 4 bytes at byte 9 of"
            + " m.safetensors",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904,4],\"data_offsets\":[0,8]}} |"
            + " data_offsets must fit dtype and shape of 'a', f32[4611686018427387904,4], more"
            + " than any file holds; got 8 bytes at byte 9 of m.safetensors",
        "{\"a\":{\"dtype\":\"F8_E4M3\",\"shape\":[8],\"data_offsets\":[0,8]}} | dtype must be one"
            + " of BOOL I8 U8 I16 U16 I32 U32 I64 U64 F16 BF16 F32 F64; got 'F8_E4M3' for 'a' at"
            + " byte 9 of m.safetensors",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[2]}} | a tensor must have dtype, shape and"
            + " data_offsets; got 'a' without at byte 9 of m.safetensors",
        "{\"a\":{\"type\":\"F32\"}} | a tensor must have dtype, shape and data_offsets only; got"
            + " 'type' at byte 14 of m.safetensors",
        "{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}} | names must differ; got 'dtype' twice at"
            + " byte 28 of m.safetensors",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}"
            + " | names must differ; got 'a' twice at byte 62 of m.safetensors",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}"
            + " | tensors must follow each other without gaps or overlaps; got data_offsets 4 to 8"
            + " after 8 at byte 62 of m.safetensors",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[4,12]}} | tensors must follow"
            + " each other without gaps or overlaps; got data_offsets 4 to 12 after 0 at byte 9 of"
            + " m.safetensors",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]}} | the data must be as"
            + " large as the header's tensors, 16 bytes; got 8 bytes at byte 63 of m.safetensors;"
            + " the file is truncated",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}} | the data must be as"
            + " large as the header's tensors, 4 bytes; got 8 bytes at byte 62 of m.safetensors;"
            + " the file is damaged",
        "{\"a\":{\"dtype\":\"BOOL\",\"shape\":[8],\"data_offsets\":[0,8]}} | a bool must be 0 or 1;"
            + " got 7 at byte 68 of m.safetensors",
        "{\"a\\u0000b\":{\"dtype\":\"F32\"}} | tensor names must not have NUL characters; got one"
            + " at byte 9 of m.safetensors",
        "{\"a\\ud800b\":{}} | the header must be JSON; got \"Broken surrogate pair in field name:"
            + " expected '\\' to start low surrogate, got...\" at byte 17 of m.safetensors",
        "{\"__metadata__\":{\"a\":\"\\ud800\"}} | surrogates must come in pairs; got one alone at"
            + " byte 29 of m.safetensors",
        "{\"a\\u00g0\":{}} | the header must be JSON; got \"Unexpected character ('g' (code 103)):"
            + " expected a hex-digit for character esc...\" at byte 15 of m.safetensors",
        "{\"a\\x\":{}} | the header must be JSON; got \"Unrecognized character escape 'x' (code"
            + " 120)\" at byte 12 of m.safetensors",
        "{\"a\":{} \"b\":{}} | a tensor must have dtype, shape and data_offsets; got 'a' without at"
            + " byte 9 of m.safetensors",
        "{\"__metadata__\":{\"a\":\"b\"},\"__metadata__\":{}} | names must differ; got"
            + " '__metadata__' twice at byte 34 of m.safetensors",
        "{\"__metadata__\":{\"a\":\"b\",\"a\":\"c\"}} | names must differ; got 'a' twice at byte 33"
            + " of m.safetensors",
        "{\"__metadata__\":{\"a\":1}} | a string must be here; got '1' at byte 29 of m.safetensors",
        "{} 1 | the header must end after its object; got '1' at byte 11 of m.safetensors",
        "{\"a | the header must be JSON; got \"Unexpected end-of-input in field name\" at byte 11"
            + " of m.safetensors",
        "{\"a\" | the header must be JSON; got \"Unexpected end-of-input within/between Object"
            + " entries\" at byte 12 of m.safetensors",
      })
  void safetensorsHeaders(String header, String message) {
    byte[] text = header.getBytes(StandardCharsets.UTF_8);
    ByteBuffer file = ByteBuffer.allocate(16 + text.length).order(ByteOrder.LITTLE_ENDIAN);
    file.putLong(text.length).put(text).put(new byte[] {0, 0, 0, 0, 0, 0, 0, 0});
    file.put(file.capacity() - 8 + 5, (byte) 7);
    check(() -> safetensors(file.array()), "[load] " + message);
  }

  @Test
  void safetensorsStringsAreUtf8WithoutControlCharacters() {
    check(
        () -> safetensors(headed(new byte[] {'{', '"', (byte) 0xff, '"'})),
        "[load] the header must be JSON; got \"Invalid UTF-8 start byte 0xff\" at byte 12 of"
            + " m.safetensors");
    check(
        () -> safetensors(headed(new byte[] {'{', '"', 'a', 1, '"'})),
        "[load] the header must be JSON; got \"Illegal unquoted character ((CTRL-CHAR, code 1)):"
            + " has to be escaped using bac...\" at byte 11 of m.safetensors");
  }

  @Test
  void safetensorsHeadersAreNeitherUtf16NorMarked() {
    check(
        () -> safetensors(headed("{}".getBytes(StandardCharsets.UTF_16LE))),
        "[load] the header must be JSON in UTF-8; got byte 0 at byte 9 of m.safetensors");
    check(
        () -> safetensors(headed("\ufeff{}".getBytes(StandardCharsets.UTF_8))),
        "[load] the header must be JSON in UTF-8; got byte 239 at byte 8 of m.safetensors");
  }

  private static byte[] headed(byte[] header) {
    return ByteBuffer.allocate(8 + header.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(header.length)
        .put(header)
        .array();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0102 | header length must lie within the file; got 8 bytes where 2 are left at byte 0 of"
            + " m.safetensors; the file is truncated or damaged",
        "ffffffffffffffff | header length must fit in the file; got 18446744073709551615 at byte 0"
            + " of m.safetensors",
        "000000000000ff00 | a header must have at most 100000000 bytes; got 71776119061217280 at"
            + " byte 0 of m.safetensors; the file is damaged or not a safetensors file",
        "0800000000000000 | header must lie within the file; got 8 bytes where 0 are left at byte 8"
            + " of m.safetensors; the file is truncated or damaged",
      })
  void safetensorsFiles(String hex, String message) {
    byte[] bytes = java.util.HexFormat.of().parseHex(hex);
    check(() -> safetensors(bytes), "[load] " + message);
  }

  @Test
  void archivesThatAreNone() {
    check(
        () -> npz(new byte[40]),
        "[load] a .npz file must be a zip archive, which ends with its central directory; got none"
            + " at byte 18 of a.npz; the file is truncated or not a .npz file");
  }

  @Test
  void archivesWithOtherThanArrays() throws IOException {
    check(
        () -> npz(zip(Map.of("notes.txt", "hello".getBytes(StandardCharsets.US_ASCII)))),
        "[load] a .npy file must begin with \\x93NUMPY; got bytes 68 65 6c 6c 6f at byte 0 of entry"
            + " 'notes.txt' of a.npz");
  }

  @Test
  void archivesWithANameTwice() throws IOException {
    byte[] array = Files.readAllBytes(TestFiles.path("vector.npy"));
    Map<String, byte[]> entries = new LinkedHashMap<>();
    entries.put("a.npy", array);
    entries.put("a", array);
    byte[] zip = zip(entries);
    int second = new String(zip, StandardCharsets.ISO_8859_1).indexOf("PK\3\4", 4);
    check(
        () -> npz(zip),
        String.format(
            Locale.ROOT, "[load] names must differ; got 'a' twice at byte %d of a.npz", second));
  }

  @Test
  void archivesThatAreDamaged() throws IOException {
    byte[] zip = Files.readAllBytes(TestFiles.path("stored.npz"));
    int data = new String(zip, StandardCharsets.ISO_8859_1).indexOf("\u0093NUMPY");
    zip[data + 130] ^= 1;
    assertThatThrownBy(() -> npz(zip))
        .isInstanceOf(FileFormatException.class)
        .hasMessageMatching(
            "\\[load\\] the checksum of entry 'w.npy' must be [0-9a-f]{8}; got [0-9a-f]{8} at byte"
                + String.format(Locale.ROOT, " %d of a.npz; the file is damaged", data));
  }

  @Test
  void entriesThatUnpackToMoreOrLessThanTheySay() throws IOException {
    for (int said : new int[] {99_999, 100_001}) {
      byte[] zip = bomb(1, 100_000 - 128, said - 128);
      unpackedSize(zip, said);
      check(
          () -> npz(zip),
          String.format(
                  Locale.ROOT,
                  "[load] entry 'e0.npy' must unpack to %d bytes; got %s at byte 36 of a.npz; the"
                      + " file is",
                  said,
                  said < 100_000 ? "more" : "100000 bytes")
              + " damaged");
    }
    byte[] zip = bomb(1, 1000);
    unpackedSize(zip, 200_000_000);
    assertThatThrownBy(() -> npz(zip))
        .hasMessageMatching(
            "\\[load\\] deflated data must not claim to unpack to more than 1032 times its size;"
                + " got 200000000 bytes for \\d+ of entry 'e0.npy' at byte 36 of a.npz");
  }

  private static void unpackedSize(byte[] zip, int size) {
    int entry = new String(zip, StandardCharsets.ISO_8859_1).indexOf("PK\1\2");
    ByteBuffer.wrap(zip).order(ByteOrder.LITTLE_ENDIAN).putInt(entry + 24, size);
  }

  @Test
  void zipBombsAreNotUnpacked() throws IOException {
    byte[] zip = bomb(4, 100_000_000);
    int total = 4 * (100_000_000 + 128);
    check(
        () -> npz(zip),
        String.format(
                Locale.ROOT,
                "[load] a file that unpacks to more than 256 MiB must not be packed more than 100"
                    + " times; got %d bytes unpacked",
                total)
            + String.format(
                Locale.ROOT,
                " from %d of a.npz; this may be a zip bomb; if you trust it, set",
                zip.length)
            + String.format(
                Locale.ROOT, " -Dristretto.file.expansion-limit=%d", total / zip.length + 1));
    // What the message says must help.
    System.setProperty("ristretto.file.expansion-limit", "" + (total / zip.length + 1));
    try {
      assertThat(Npz.read(TestFiles.bytes("a.npz", zip))).hasSize(4);
    } finally {
      System.clearProperty("ristretto.file.expansion-limit");
    }
    assertThat(Npz.read(TestFiles.bytes("a.npz", bomb(2, 100_000_000)))).hasSize(2);
  }

  private static byte[] bomb(int entries, int size) throws IOException {
    return bomb(entries, size, size);
  }

  /** An archive of entries with as many zeros, whose headers say {@code said}. */
  private static byte[] bomb(int entries, int size, int said) throws IOException {
    String text =
        "\u0093NUMPY\1\0v\0{'descr': '|u1', 'fortran_order': False, 'shape': (%s,), }"
            .formatted(said);
    byte[] header = (text + " ".repeat(128 - text.length())).getBytes(StandardCharsets.ISO_8859_1);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      for (int k = 0; k < entries; k++) {
        zip.putNextEntry(new ZipEntry("e" + k + ".npy"));
        zip.write(header);
        zip.write(new byte[size]);
      }
    }
    return bytes.toByteArray();
  }

  @Test
  void limitsOfExpansionAreNumbers() {
    System.setProperty("ristretto.file.expansion-limit", "many");
    try {
      check(
          () -> Expansion.check("load", 1L << 40, 1, "a.npz"),
          "[load] the expansion limit must be a whole number of at least 1; got \"many\";"
              + " correct -Dristretto.file.expansion-limit");
    } finally {
      System.clearProperty("ristretto.file.expansion-limit");
    }
  }

  @Test
  void archivesHaveALimitedNumberOfEntries() throws IOException {
    byte[] zip = Files.readAllBytes(TestFiles.path("stored.npz"));
    int end = new String(zip, StandardCharsets.ISO_8859_1).indexOf("PK\5\6");
    ByteBuffer wide = ByteBuffer.allocate(zip.length + 76).order(ByteOrder.LITTLE_ENDIAN);
    wide.put(zip, 0, end).putInt(0x06064b50).putLong(44).putInt(0).putLong(0);
    wide.putLong(1 << 20).putLong(1 << 20).putLong(0).putLong(0);
    wide.putInt(0x07064b50).putInt(0).putLong(end).putInt(1).put(zip, end, zip.length - end);
    check(
        () -> npz(wide.array()),
        "[load] an archive must have at most 131072 entries; got 1048576 at byte "
            + (end + 76)
            + " of a.npz");
  }

  @Test
  void safetensorsHaveALimitedNumberOfNames() {
    var header = new StringBuilder("{");
    for (int k = 0; k <= 1 << 17; k++) {
      header
          .append(k == 0 ? "" : ",")
          .append("\"" + k + "\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}");
    }
    byte[] bytes = headed((header + "}").getBytes(StandardCharsets.US_ASCII));
    int at = 8 + header.lastIndexOf("\"" + (1 << 17) + "\"");
    check(
        () -> safetensors(bytes),
        String.format(
                Locale.ROOT,
                "[load] a file must have at most 131072 tensors; got more at byte %d of",
                at)
            + " m.safetensors");
  }

  @Test
  void noMoreTensorsAreWrittenThanRead() {
    var tensors = new LinkedHashMap<String, HostTensor>();
    HostTensor empty = TestFiles.tensor(ScalarType.U8, 0);
    for (int k = 0; k <= 1 << 17; k++) {
      tensors.put("" + k, empty);
    }
    checkRefusal(
        () -> TensorFiles.write(Path.of("w.safetensors"), tensors),
        "[save] a file must have at most 131072 tensors; got 131073 for w.safetensors; save them to"
            + " several files");
  }

  @Test
  void namesAreText() {
    HostTensor tensor = TestFiles.tensor(ScalarType.F32, 1);
    for (String file : new String[] {"w.npz", "w.safetensors"}) {
      checkRefusal(
          () -> TensorFiles.write(Path.of(file), Map.of("a\ud800", tensor)),
          "[save] names and metadata must be text that UTF-8 can hold; got 'a\\ud800'; rename it");
    }
    checkRefusal(
        () -> TensorFiles.write(Path.of("w.safetensors"), Map.of(), Map.of("k", "\udc00")),
        "[save] names and metadata must be text that UTF-8 can hold; got '\\udc00'; rename it");
  }

  @Test
  void entriesMustNotOverlap() throws IOException {
    byte[] array = Files.readAllBytes(TestFiles.path("vector.npy"));
    Map<String, byte[]> entries = new LinkedHashMap<>();
    entries.put("a", array);
    entries.put("b", array);
    byte[] zip = zip(entries);
    String text = new String(zip, StandardCharsets.ISO_8859_1);
    int second = text.indexOf("PK\1\2", text.indexOf("PK\1\2") + 1);
    ByteBuffer.wrap(zip).order(ByteOrder.LITTLE_ENDIAN).putInt(second + 42, 0);
    check(
        () -> npz(zip),
        "[load] entries must not overlap; got 'b' within another at byte 0 of a.npz; this may be a"
            + " zip bomb");
  }

  @Test
  void methodsAndEncryptionThatAreNotRead() throws IOException {
    byte[] zip = zip(Map.of("a", new byte[10]));
    int entry = new String(zip, StandardCharsets.ISO_8859_1).indexOf("PK\1\2");
    zip[entry + 10] = 12;
    check(
        () -> npz(zip),
        String.format(
                Locale.ROOT,
                "[load] entries must be stored or deflated; got method 12 of 'a' at byte %d of"
                    + " a.npz; save",
                entry + 10)
            + " it with NumPy's savez or savez_compressed");
    zip[entry + 8] |= 1;
    check(
        () -> npz(zip),
        String.format(
            Locale.ROOT,
            "[load] entries must not be encrypted; got 'a' at byte %d of a.npz",
            entry + 8));
  }

  @Test
  void endingsThatSayNothing() {
    check(
        () -> TestFiles.read(Path.of("model.bin")),
        "[load] a tensor file must be named .npy, .npz, .safetensors, .pt or .pth; got model.bin;"
            + " rename it");
    check(
        () -> TensorFiles.write(Path.of("npy"), Map.of()),
        "[save] a tensor file must be named .npy, .npz or .safetensors; got npy; rename it");
  }

  @Test
  void tensorsThatAFormatCannotHold() {
    HostTensor brain =
        new HostTensor(ScalarType.BF16, Longs.of(1), MemorySegment.ofArray(new byte[2]));
    checkRefusal(
        () -> TensorFiles.write(Path.of("w.npz"), Map.of("w", brain)),
        "[save] .npy and .npz hold NumPy's dtypes, which do not include bf16; got tensor 'w' of"
            + " bf16; cast it to f32 first or save it as .safetensors");
    HostTensor tensor = TestFiles.tensor(ScalarType.F32, 1);
    checkRefusal(
        () -> TensorFiles.write(Path.of("w.npy"), Map.of("a", tensor, "b", tensor)),
        "[save] a .npy file must have one tensor; got 2 for w.npy; save them as .npz");
    checkRefusal(
        () -> TensorFiles.write(Path.of("w.npz"), Map.of("a", tensor), Map.of("k", "v")),
        "[save] metadata must go into a .safetensors file; got w.npz; rename it");
    checkRefusal(
        () -> TensorFiles.write(Path.of("w.npz"), Map.of("a\nb", tensor)),
        "[save] a .npz name must have at most 20000 characters, all printable; got 'a\\nb'; rename"
            + " it");
    checkRefusal(
        () -> TensorFiles.write(Path.of("w.safetensors"), Map.of("__metadata__", tensor)),
        "[save] a safetensors name must not be __metadata__ and have no NUL characters; got"
            + " '__metadata__'; rename the tensor");
    assertThat(Path.of("w.safetensors")).doesNotExist();
  }

  private static byte[] zip(Map<String, byte[]> entries) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
        zip.putNextEntry(new ZipEntry(entry.getKey()));
        zip.write(entry.getValue());
      }
    }
    return bytes.toByteArray();
  }

  private static Object npy(byte[] bytes) {
    return TestFiles.read("w.npy", bytes);
  }

  private static Object npz(byte[] bytes) {
    return TestFiles.read("a.npz", bytes);
  }

  private static Object safetensors(byte[] bytes) {
    return TestFiles.read("m.safetensors", bytes);
  }

  private interface Action {
    void run() throws IOException;
  }

  private static void check(Action action, String message) {
    checkThrown(action, FileFormatException.class, message);
  }

  private static void checkRefusal(Action action, String message) {
    checkThrown(action, ShapeException.class, message);
  }

  private static void checkThrown(
      Action action, Class<? extends RistrettoException> type, String message) {
    assertThatThrownBy(action::run).isInstanceOf(type).hasMessage(message);
  }
}
