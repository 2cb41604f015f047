package ristretto.nnet3.io;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.matrix.SparseMatrix;
import ristretto.nnet3.matrix.SparseVector;

class MessagesTest {
  private static final String END = "; the file is damaged or of another kind.";

  private static void text(String text, Consumer<KaldiInput> reader, String message) {
    bytes(text.getBytes(StandardCharsets.UTF_8), reader, message);
  }

  private static void binary(byte[] rest, Consumer<KaldiInput> reader, String message) {
    var all = new byte[rest.length + 2];
    all[1] = 'B';
    System.arraycopy(rest, 0, all, 2, rest.length);
    bytes(all, reader, message);
  }

  private static void bytes(byte[] bytes, Consumer<KaldiInput> reader, String message) {
    try (var in = KaldiInput.of("x", bytes)) {
      says(() -> reader.accept(in), message + END);
    }
  }

  private static void says(ThrowingCallable call, String message) {
    assertThatThrownBy(call).hasMessage(message);
  }

  @Test
  void tokens() {
    text(
        "<A> ",
        in -> in.expectToken("<B>"),
        "[kaldi] the token <B> must come next; got \"<A>\" at byte 0 of x");
    text(
        "  ",
        in -> in.expectToken("<B>"),
        "[kaldi] the token <B> must come next; got the end at byte 2 of x");
    text("", KaldiInput::readToken, "[kaldi] a token must come next; got the end at byte 0 of x");
    text(
        "<A>",
        KaldiInput::readToken,
        "[kaldi] a space must follow \"<A>\"; got the end at byte 3 of x");
    text(
        "<A> ",
        in -> in.readThrough("</A>"),
        "[kaldi] the token </A> must follow; got none up to the end at byte 0 of x");
    says(
        () -> KaldiOutput.bytes(true, out -> out.writeToken("a b")),
        "[kaldi] a token must have characters and no white space; got \"a b\"; rename it.");
    says(
        () -> KaldiInput.of("x", new byte[] {0, 'C'}),
        "[kaldi] a binary file must begin with a zero byte and 'B'; got a zero byte and 'C' at byte"
            + " 0 of x"
            + END);
  }

  @Test
  void numbers() {
    text(
        "x",
        KaldiInput::readInt,
        "[kaldi] the value must be an integer of 32 bits; got 'x' at byte 0 of x");
    text(
        " 3000000000",
        KaldiInput::readInt,
        "[kaldi] the value must be an integer of 32 bits; got \"3000000000\" at byte 1 of x");
    text(
        "1.x",
        KaldiInput::readFloat,
        "[kaldi] the value must be a number; got \"1.x\" at byte 0 of x");
    text(
        "1e50",
        KaldiInput::readFloat,
        "[kaldi] the value must be within the range of floats; got \"1e50\" at byte 0 of x");
    text(
        "1e500",
        KaldiInput::readDouble,
        "[kaldi] the value must be within the range of doubles; got \"1e500\" at byte 0 of x");
    text("1", KaldiInput::readBool, "[kaldi] T or F must come next; got '1' at byte 0 of x");
    binary(
        new byte[] {8},
        KaldiInput::readInt,
        "[kaldi] the value must begin with its size, 4; got byte 8 at byte 2 of x");
    binary(
        new byte[] {4, 0},
        KaldiInput::readInt,
        "[kaldi] the value must have 4 bytes; got 1 bytes up to the end at byte 3 of x");
  }

  @Test
  void numbersThatAreNotFinite() {
    text(
        "[ 1 nan ]",
        in -> in.requireFinite().readVector(),
        "[kaldi] numbers must be finite; got nan at byte 4 of x");
    text(
        "[ 1 inf ]",
        in -> in.requireFinite().readMatrix(),
        "[kaldi] numbers must be finite; got inf at byte 4 of x");
    byte[] bytes =
        KaldiOutput.bytes(
            true, out -> out.writeMatrix(Matrix.of(new float[] {1, Float.NEGATIVE_INFINITY})));
    bytes(
        bytes,
        in -> in.requireFinite().readMatrix(),
        "[kaldi] numbers must be finite; got -inf at byte 19 of x");
  }

  @Test
  void vectors() {
    text(
        "1 ]",
        KaldiInput::readVector,
        "[kaldi] a vector must begin with '['; got '1' at byte 0 of x");
    text(
        "[ 1 x ]",
        KaldiInput::readVector,
        "[kaldi] an element or ']' must be a number; got \"x\" at byte 4 of x");
    text(
        "[\n 1 ]",
        KaldiInput::readVector,
        "[kaldi] a vector must be on one line; got a line's end, as matrices have at byte 1 of x");
    text(
        "[ 1 2 ]",
        KaldiInput::readIntPairs,
        "[kaldi] a comma must stand within a pair; got byte 32 at byte 3 of x");
    binary(
        new byte[] {4, -1, -1, -1, -1},
        KaldiInput::readIntVector,
        "[kaldi] a vector of integers must have 0 to 2147483639 elements; got the number -1 at byte"
            + " 3 of x");
    binary(
        new byte[] {'X', 'V', ' '},
        KaldiInput::readVector,
        "[kaldi] the token FV must come next; got \"XV\" at byte 2 of x");
    binary(
        new byte[] {'F', 'V', ' ', 4, 0, 1, 0, 0},
        KaldiInput::readVector,
        "[kaldi] a vector of 256 floats must have 1024 bytes; got 0 bytes up to the end at byte 10"
            + " of x");
    says(
        () -> KaldiOutput.bytes(true, out -> out.writeIntPairs(new int[1])),
        "[kaldi] pairs must have an even number of elements; got 1; add or remove one.");
  }

  @Test
  void matrices() {
    text(
        "[ 1 2\n 3 ]",
        KaldiInput::readMatrix,
        "[kaldi] rows of a matrix must have one length; got 1 elements in row 1 and 2 in those"
            + " before at byte 9 of x");
    binary(
        new byte[] {'F', 'M', ' ', 4, 1, 0, 0, 0, 4, 0, 0, 0, 0},
        KaldiInput::readMatrix,
        "[kaldi] a matrix must have rows and columns, or neither, and at most 2147483639 elements;"
            + " got 1 rows and 0 columns at byte 5 of x");
    binary(
        new byte[] {'F', 'M', ' ', 4, 2, 0, 0, 0, 4, 3, 0, 0, 0},
        KaldiInput::readMatrix,
        "[kaldi] a matrix of 2 rows of 3 floats must have 24 bytes; got 0 bytes up to the end at"
            + " byte 15 of x");
    binary(
        new byte[] {'C', 'M', '4', ' '},
        KaldiInput::readMatrix,
        "[kaldi] the token CM, CM2 or CM3 must come next; got \"CM4\" at byte 2 of x");
    text(
        "rows=-1 ",
        KaldiInput::readGeneralMatrix,
        "[kaldi] a sparse matrix must have 0 rows or more; got -1 rows at byte 0 of x");
    text(
        "rows=x ",
        KaldiInput::readGeneralMatrix,
        "[kaldi] a sparse matrix must begin with rows= and a number; got \"rows=x\" at byte 0 of"
            + " x");
    text(
        "rows=2 dim=1 [ ] dim=2 [ ] ",
        KaldiInput::readGeneralMatrix,
        "[kaldi] rows of a sparse matrix must have one dimension; got 2 in row 1 and 1 in those"
            + " before at byte 17 of x");
    text(
        "dim=-1 [ ]",
        KaldiInput::readSparseVector,
        "[kaldi] a sparse vector must have a dimension of 0 or more; got dim=-1 at byte 0 of x");
    text(
        "dim=5 [ 1 1 1 1 ]",
        KaldiInput::readSparseVector,
        "[kaldi] indices of a sparse vector must ascend and stay below its dimension, 5; got 1"
            + " after 1 at byte 12 of x");
    binary(
        new byte[] {'S', 'V', ' ', 4, 1, 0, 0, 0, 4, 2, 0, 0, 0},
        KaldiInput::readSparseVector,
        "[kaldi] a sparse vector must have 0 elements or more, and at most its dimension; got 2"
            + " elements of dimension 1 at byte 5 of x");
  }

  @Test
  void values() {
    says(
        () -> new Matrix(1, 0),
        "[matrix] a matrix must have rows and columns, or neither, and at most 2147483639 elements;"
            + " got 1 rows and 0 columns; give other extents.");
    says(
        () -> new Matrix(2, 2, new float[3]),
        "[matrix] elements must fill all rows; got 3 elements for 2 rows of 2 columns; give 4"
            + " elements.");
    says(
        () -> new Matrix(2, 2).get(2, 0),
        "[matrix] a row and a column must lie within the matrix; got row 2 and column 0 of 2 rows"
            + " and 2 columns; count from 0.");
    says(
        () -> Matrix.of(new float[1], new float[2]),
        "[matrix] rows must have one length; got 2 elements in row 1 and 1 before; pad the rows.");
    says(
        () -> new SparseVector(2, new int[1], new float[2]),
        "[sparse] there must be a value for each index; got 1 indices and 2 values; give equal"
            + " numbers.");
    says(
        () -> new SparseVector(2, new int[] {2}, new float[1]),
        "[sparse] indices must ascend from 0 and stay below the dimension; got 2 after -1, of"
            + " dimension 2; sort and merge them.");
    var one = new SparseVector(1, new int[0], new float[0]);
    var two = new SparseVector(2, new int[0], new float[0]);
    says(
        () -> new SparseMatrix(List.of(one, two)),
        "[sparse] rows must have one dimension; got 2 in row 1 and 1 before; give all the same.");
    says(
        () -> new Posterior(new int[1][1], new float[1][2]),
        "[posterior] a frame must have as many weights as classes; got different numbers; give one"
            + " weight per class.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "| cat ! a command to read from must end with '|', not begin with it",
        "'a ' ! a file's name must not begin or end with a space",
        "ark:a ! the name must be that of a file, not of a table",
        "cat | a ! a command to read from must end with '|'",
        "a:1234567890123456789 ! an offset must have at most 18 digits",
      })
  void namesToRead(String name, String rule) {
    says(
        () -> KaldiInput.open(name),
        "[kaldi] %s; got \"%s\"; write a path, path:offset, - or \"command |\"."
            .formatted(rule, name));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "'a ' ! a file's name must not begin or end with a space",
        "scp,t:a ! the name must be that of a file, not of a table",
        "cat | ! a command to write to must begin with '|'",
        "a:12 ! a file to write must not end with an offset",
      })
  void namesToWrite(String name, String rule) {
    says(
        () -> KaldiOutput.write(name, true, _ -> {}),
        "[kaldi] %s; got \"%s\"; write a path, - or \"| command\".".formatted(rule, name));
  }

  @Test
  void files(@TempDir Path folder) throws Exception {
    Path none = folder.resolve("none/x");
    says(
        () -> KaldiInput.open(none.toString()),
        "[kaldi] a file to read must exist; got %s (no such file); check the path."
            .formatted(none));
    says(
        () -> KaldiInput.open(folder.toString()),
        "[kaldi] a file to read must exist; got %s (a folder); check the path.".formatted(folder));
    says(
        () -> KaldiOutput.write(none.toString(), true, _ -> {}),
        "[kaldi] a file must be writable; got %s (no such folder); check the path."
            .formatted(none));
    says(
        () -> KaldiOutput.write(folder.toString(), true, _ -> {}),
        "[kaldi] a file must be writable; got %s (a folder); check the path.".formatted(folder));
    says(
        () -> KaldiOutput.write("/dev/full", true, _ -> {}),
        "[kaldi] a file must be writable; got /dev/full (No space left on device) at byte 0; check"
            + " its disk.");
    Path file = Files.writeString(folder.resolve("x"), "1");
    says(
        () -> KaldiInput.open(file + ":2"),
        "[kaldi] an offset must lie within the file; got 2 of 1 bytes of %s; write the script again with the archive."
            .formatted(file));
  }

  private static final String WRITE_R =
      "; write ark:file or scp:file, with options before the colon as in ark,s,cs:file.";
  private static final String WRITE_W =
      "; write ark:file, scp:file or ark,scp:file,file, with options before the colon as in"
          + " ark,t:file.";

  @Test
  void tablesToRead() {
    says(
        () -> TableReader.open("x", Holder.INT),
        "[table] a table must be named by options, a colon and a file; got \"x\"" + WRITE_R);
    says(
        () -> TableReader.open("ark:x ", Holder.INT),
        "[table] a table's name must not end with a space; got \"ark:x \"" + WRITE_R);
    says(
        () -> TableReader.open("ark,q:x", Holder.INT),
        "[table] options must be among ark scp b t o no s ns cs ncs p np bg; got \"q\" in"
            + " \"ark,q:x\""
            + WRITE_R);
    says(
        () -> TableReader.open("ark,scp:x", Holder.INT),
        "[table] one of ark and scp must be named; got \"ark,scp:x\"" + WRITE_R);
    says(
        () -> TableReader.open("ark:/dev/null", Holder.INT).key(),
        "[table] the reader must be at an entry; got none; call next first.");
  }

  @Test
  void tablesToWrite(@TempDir Path folder) throws Exception {
    says(
        () -> TableWriter.open("b:x", Holder.INT),
        "[table] ark, scp or both must be named, once each; got \"b:x\"" + WRITE_W);
    says(
        () -> TableWriter.open("scp,ark:x,y", Holder.INT),
        "[table] ark must be named before scp; got \"scp,ark:x,y\"" + WRITE_W);
    says(
        () -> TableWriter.open("ark,scp:x", Holder.INT),
        "[table] an archive and a script must have two files; got \"ark,scp:x\"" + WRITE_W);
    says(
        () -> TableWriter.open("ark,scp:-,x", Holder.INT),
        "[table] an archive with a script must be a file; got \"-\"; write, for example,"
            + " ark,scp:a.ark,a.scp.");
    Path script = Files.writeString(folder.resolve("x.scp"), "a b\na c\n");
    says(
        () -> TableWriter.open("scp:" + script, Holder.INT),
        "[table] an output script must have whole files and each key once; got \"a\" in %s; write, for example, \"key file\"."
            .formatted(script));
    Files.writeString(script, "a b\n");
    var out = TableWriter.open("scp:" + script, Holder.INT);
    says(
        () -> out.write("c", 1),
        "[table] an output script must list each key; got \"c\", which %s lacks; add it, or the option p."
            .formatted(script));
    says(
        () -> out.write("c d", 1),
        "[table] a key must have characters and no white space; got \"c d\"; rename it.");
  }

  @Test
  void entries(@TempDir Path folder) throws Exception {
    Path ark = folder.resolve("x.ark");
    Files.writeString(ark, "b 1\na 2\na 3\n");
    String plain = "ark:" + ark;
    try (var table = RandomAccessTable.open(plain, Holder.INT)) {
      says(
          () -> table.has("c"),
          "[table] keys must be unique; got \"a\" twice in \"%s\"; rename or leave out one."
              .formatted(plain));
    }
    String sorted = "ark,s:" + ark;
    try (var table = RandomAccessTable.open(sorted, Holder.INT)) {
      says(
          () -> table.has("c"),
          "[table] keys must ascend with the options s and cs; got \"a\" after \"b\" in \"%s\"; sort it (LC_ALL=C), or leave out the option."
              .formatted(sorted));
    }
    Files.writeString(ark, "a 1\n");
    try (var table = RandomAccessTable.open(plain, Holder.INT)) {
      says(
          () -> table.get("c"),
          "[table] a requested key must be in the table; got \"c\", which \"%s\" lacks; check that the tables belong together."
              .formatted(plain));
    }
    Path scp = folder.resolve("x.scp");
    Files.writeString(scp, "a\n");
    try (var table = TableReader.open("scp:" + scp, Holder.INT)) {
      says(
          table::next,
          "[kaldi] a line of a script must have a key and a file; got \"a\" at byte 0 of %s"
                  .formatted(scp)
              + END);
    }
    Files.write(scp, new byte[] {0, 'B'});
    says(
        () -> TableReader.open("scp:" + scp, Holder.INT),
        "[kaldi] a script must be text; got a binary file, such as an archive at byte 0 of %s"
                .formatted(scp)
            + END);
  }

  @Test
  void archives(@TempDir Path folder) throws Exception {
    Path ark = folder.resolve("x");
    archive(ark, "a", Holder.INT, "a space must follow the key \"a\"; got the end at byte 1");
    archive(
        ark, "a \n", Holder.INT, "a value must follow its key on the line; got byte 10 at byte 2");
    archive(ark, "a 1 2\n", Holder.INT, "a line must end after its value; got '2' at byte 4");
    archive(ark, "a 1", Holder.FLOAT, "a line must end after its value; got the end at byte 3");
    archive(ark, "a x y\n", Holder.TOKEN, "a line must end after its value; got 'y' at byte 4");
    archive(
        ark,
        "a 1\n",
        Holder.POSTERIOR,
        "a frame of a posterior must begin with '['; got '1' at byte 2");
    String size = "a \0B\4\377\377\377\377";
    archive(ark, size, Holder.INTS, "the number of integers must be 0 or more; got -1 at byte 4");
    archive(
        ark, size, Holder.POSTERIOR, "the number of frames must be 0 or more; got -1 at byte 4");
    String huge = "a \0B\4\0\0\0\1";
    archive(
        ark,
        huge,
        Holder.INTS,
        "16777216 integers must have 83886080 bytes; got 0 bytes up to the end at byte 9");
    archive(
        ark,
        huge,
        Holder.POSTERIOR,
        "16777216 frames must have 83886080 bytes; got 0 bytes up to the end at byte" + " 9");
  }

  private static <T> void archive(Path ark, String content, Holder<T> holder, String message)
      throws Exception {
    Files.write(ark, content.getBytes(StandardCharsets.ISO_8859_1));
    try (var table = TableReader.open("ark:" + ark, holder)) {
      says(table::next, "[kaldi] " + message + " of " + ark + END);
    }
  }

  @Test
  void ranges(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("x"), "[ 1 2 ]\n");
    says(
        () -> Holder.MATRIX.load(file + "[1]"),
        "[table] a range must be first:last, or : for all, with a comma between those of rows and"
            + " columns; got [1]; write, for example, [0:9] or [:,1:3].");
    says(
        () -> Holder.MATRIX.load(file + "[0:0,1:2]"),
        "[table] a range must lie within its matrix or vector; got [0:0,1:2] of a matrix of 1"
            + " rows and 2 columns; write the script again.");
    says(
        () -> Holder.VECTOR.load(file + "[0:0,1:2]"),
        "[table] a range of a vector must have no columns; got [0:0,1:2] of a vector of 2 elements;"
            + " leave out the comma and what follows.");
    says(
        () -> Holder.MATRIX.load("a[0:1][0:1]"),
        "[table] a range must follow a file, in one pair of brackets; got \"a[0:1][0:1]\"; write,"
            + " for example, file:123[0:9].");
    Files.writeString(file, "1\n");
    says(
        () -> Holder.INT.load(file + "[0:1]"),
        "[table] a range must select from a matrix or a vector; got [0:1] of another value; leave"
            + " it out.");
  }
}
