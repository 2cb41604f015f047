package ristretto.nnet3.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.matrix.DoubleMatrix;
import ristretto.nnet3.matrix.Matrix;

class TableTest {
  @TempDir private Path folder;

  private String at(String name) {
    return folder.resolve(name).toString();
  }

  /** Compressed features that Kaldi wrote. */
  private Path features() throws IOException {
    Path file = folder.resolve("feats.ark");
    try (var in = TableTest.class.getResourceAsStream("feats.ark")) {
      Files.write(file, in.readAllBytes());
    }
    return file;
  }

  private static <T> List<String> all(String table, Holder<T> holder, Function<T, Object> show) {
    var to = new ArrayList<String>();
    try (var in = TableReader.open(table, holder)) {
      while (in.next()) {
        to.add(in.key() + "=" + show.apply(in.value()));
      }
    }
    return to;
  }

  private static <T> void copy(String from, String to, Holder<T> holder) {
    try (var in = TableReader.open(from, holder);
        var out = TableWriter.open(to, holder)) {
      while (in.next()) {
        out.write(in.key(), in.value());
      }
      out.commit();
    }
  }

  private void write(String name, String... texts) throws IOException {
    Files.writeString(folder.resolve(name), String.join("\n", texts) + "\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ar-EG", "fa-IR", "ne-NP", "mr-IN", "bn-BD", "my-MM", "ckb-IQ", "tr-TR"})
  void tablesAreTheSameBytesUnderAllLocales(String tag) throws Exception {
    Path file = features();
    List<byte[]> root = written(file, Locale.ROOT);
    assertThat(written(file, Locale.forLanguageTag(tag))).containsExactlyElementsOf(root);
  }

  private List<byte[]> written(Path from, Locale locale) throws IOException {
    Locale before = Locale.getDefault();
    Locale.setDefault(locale);
    try {
      copy("ark:" + from, "ark,scp:" + at("l.ark") + "," + at("l.scp"), Holder.MATRIX);
      copy("scp:" + at("l.scp"), "ark,t:" + at("l.txt"), Holder.MATRIX);
    } finally {
      Locale.setDefault(before);
    }
    var files = new ArrayList<byte[]>();
    for (String name : List.of("l.ark", "l.scp", "l.txt")) {
      files.add(Files.readAllBytes(folder.resolve(name)));
    }
    return files;
  }

  @Test
  void compressedArchivesComeOutAsTheyWere() throws Exception {
    Path file = features();
    copy("ark:" + file, "ark:" + at("again.ark"), Holder.GENERAL_MATRIX);
    assertThat(folder.resolve("again.ark")).hasSameBinaryContentAs(file);
    assertThat(all("ark:" + file, Holder.MATRIX, Matrix::toString))
        .containsExactly(
            "test_en_m7_zero=Matrix[91x20]",
            "test_en_m7_one=Matrix[81x20]",
            "test_en_m7_two=Matrix[63x20]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ark", "ark,t"})
  void tablesOfAllValuesReadBack(String kind) throws Exception {
    check(kind, Holder.MATRIX, Matrix.of(new float[] {1, 2}), "a  [\n  1 2 ]\n");
    check(kind, Holder.GENERAL_MATRIX, Matrix.of(new float[] {1, 2}), "a  [\n  1 2 ]\n");
    check(
        kind, Holder.DOUBLE_MATRIX, new DoubleMatrix(1, 1, new double[] {0.5}), "a  [\n  0.5 ]\n");
    check(kind, Holder.VECTOR, new float[] {1, 2}, "a  [ 1 2 ]\n");
    check(kind, Holder.DOUBLE_VECTOR, new double[] {1, 2}, "a  [ 1 2 ]\n");
    check(kind, Holder.INT, 7, "a 7 \n");
    check(kind, Holder.FLOAT, 0.25f, "a 0.25 \n");
    check(kind, Holder.INTS, new int[] {1, 2}, "a 1 2 \n");
    check(kind, Holder.TOKEN, "word", "a word\n");
    check(
        kind,
        Holder.POSTERIOR,
        new Posterior(new int[][] {{1, 2}, {}}, new float[][] {{0.5f, 0.5f}, {}}),
        "a [ 1 0.5 2 0.5 ] [ ] \n");
  }

  private <T> void check(String kind, Holder<T> holder, T value, String text) throws Exception {
    try (var out = TableWriter.open(kind + ":" + at("x.ark"), holder)) {
      out.write("a", value);
      out.commit();
    }
    if (kind.equals("ark,t")) {
      assertThat(folder.resolve("x.ark")).hasContent(text);
    }
    copy("ark:" + at("x.ark"), "ark,t:" + at("y.ark"), holder);
    assertThat(Files.readString(folder.resolve("y.ark"))).isEqualTo(text);
  }

  @Test
  void binaryRowsOfIntegersAreAsKaldiWritesThem() throws Exception {
    try (var out = TableWriter.open("ark:" + at("x.ark"), Holder.INTS)) {
      out.write("a", new int[] {3});
      out.commit();
    }
    assertThat(Files.readAllBytes(folder.resolve("x.ark")))
        .containsExactly('a', ' ', 0, 'B', 4, 1, 0, 0, 0, 4, 3, 0, 0, 0);
  }

  @Test
  void scriptsNameBytesOfArchives() throws Exception {
    features();
    String both = "ark,scp:%s,%s".formatted(at("x.ark"), at("x.scp"));
    copy("ark:" + at("feats.ark"), both, Holder.MATRIX);
    assertThat(Files.readAllLines(folder.resolve("x.scp")))
        .containsExactly(
            "test_en_m7_zero %s:16".formatted(at("x.ark")),
            "test_en_m7_one %s:7326".formatted(at("x.ark")),
            "test_en_m7_two %s:13836".formatted(at("x.ark")));
    Function<Matrix, Object> sum = m -> m.rows() + " " + m.get(m.rows() - 1, 3);
    assertThat(all("scp:" + at("x.scp"), Holder.MATRIX, sum))
        .isEqualTo(all("ark:" + at("feats.ark"), Holder.MATRIX, sum));
  }

  @Test
  void rangesTakeParts() throws Exception {
    write("m.txt", "[", " 1 2 3", " 4 5 6", " 7 8 9 ]");
    write("v.txt", "[ 1 2 3 4 ]");
    String m = at("m.txt");
    write(
        "m.scp",
        "a %s[1:2,0:1]".formatted(m),
        "b %s[0:0]".formatted(m),
        "c %s[:,2:2]".formatted(m),
        "d %s[1:4]".formatted(m));
    assertThat(
            all("scp:" + at("m.scp"), Holder.MATRIX, x -> List.of(x.row(0)[0], x.rows(), x.cols())))
        .containsExactly("a=[4.0, 2, 2]", "b=[1.0, 1, 3]", "c=[3.0, 3, 1]", "d=[4.0, 2, 3]");
    assertThat(Holder.VECTOR.load(at("v.txt") + "[1:2]")).containsExactly(2, 3);
    assertThat(Holder.DOUBLE_VECTOR.load(at("v.txt") + "[:]")).containsExactly(1, 2, 3, 4);
    assertThat(Holder.DOUBLE_MATRIX.load(m + "[2:2,1:2]").data()).containsExactly(8, 9);
  }

  @Test
  void pipesReadAndWrite() throws Exception {
    String packed = at("x.gz");
    copy("ark:" + features(), "ark:| gzip -c > " + packed, Holder.GENERAL_MATRIX);
    copy("ark:gunzip -c " + packed + " |", "ark:" + at("again.ark"), Holder.GENERAL_MATRIX);
    assertThat(folder.resolve("again.ark")).hasSameBinaryContentAs(folder.resolve("feats.ark"));
  }

  @Test
  void commandsKeepTheirBytes() throws Exception {
    assertThat(all("ark:printf 'k\udce9 7\\n\u00fc %s\\n' \"$((3 + 5))\" |", Holder.INT, x -> x))
        .containsExactly("k\udce9=7", "\u00fc=8");
    try (var out = TableWriter.open("ark,t:| sed s/x/\udce9/ > " + at("sed.ark"), Holder.INT)) {
      out.write("x", 1);
      out.commit();
    }
    assertThat(all("ark:" + at("sed.ark"), Holder.INT, x -> x)).containsExactly("\udce9=1");
  }

  @Test
  void pipesThatFailAreErrors() throws Exception {
    assertThatThrownBy(() -> all("ark:exit 3 |", Holder.INT, x -> x))
        .isInstanceOf(FileException.class)
        .hasMessage(
            "[kaldi] a command must succeed; got exit code 3 of \"exit 3\"; see its messages.");
    var out = TableWriter.open("ark:| cat > /dev/null; exit 4", Holder.INT);
    out.write("a", 1);
    assertThatThrownBy(out::commit)
        .isInstanceOf(FileException.class)
        .hasMessage(
            "[kaldi] a command must succeed; got exit code 4 of \"cat > /dev/null; exit 4\"; see"
                + " its messages.");
    out.close();
  }

  @Test
  void withoutACommitFilesStayAsTheyWere() throws Exception {
    write("x.ark", "old");
    write("x.scp", "old");
    String both = "ark,scp:%s,%s".formatted(at("x.ark"), at("x.scp"));
    try (var out = TableWriter.open(both, Holder.INT)) {
      out.write("a", 1);
    }
    assertThat(folder.resolve("x.ark")).hasContent("old");
    assertThat(folder.resolve("x.scp")).hasContent("old");
    assertThat(folder.toFile().list()).hasSize(2);
  }

  private void writePair(int version) {
    String both = "ark,scp:%s,%s".formatted(at("x.ark"), at("x.scp"));
    try (var out = TableWriter.open(both, Holder.INT)) {
      // Keys of other lengths, so that each version has other offsets.
      out.write("k".repeat(1 + version % 9) + version, version);
      out.commit();
    }
  }

  /** A reader that stops the writer at any moment finds no script of another archive. */
  @Test
  void noScriptStandsBesideAnotherArchive() throws Exception {
    var done = new AtomicBoolean();
    var versions = new TreeSet<String>();
    try (var reader = Executors.newSingleThreadExecutor()) {
      var wrong =
          reader.submit(() -> {
            var found = new ArrayList<String>();
            while (!done.get()) {
              String before = contentOf("x.scp");
              String archive = contentOf("x.ark");
              if (before != null && before.equals(contentOf("x.scp"))) {
                String key = before.substring(0, before.indexOf(' '));
                versions.add(key);
                if (!archive.startsWith(key + " ")) {
                  found.add(before + archive);
                }
              }
            }
            return found;
          });
      for (int k = 0; k < 300; k++) {
        writePair(k);
      }
      done.set(true);
      assertThat(wrong.get()).isEmpty();
    }
    assertThat(versions).hasSizeGreaterThan(10);
    assertThat(folder.toFile().list()).hasSize(2);
  }

  private String contentOf(String name) throws IOException {
    try {
      return Files.readString(folder.resolve(name), StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  @Test
  void pairsStayOldIfTheArchiveCannotBeReplaced() throws Exception {
    String both = "ark,scp:%s,%s".formatted(at("x.ark"), at("x.scp"));
    write("x.scp", "old");
    try (var out = TableWriter.open(both, Holder.INT)) {
      out.write("a", 1);
      Files.createDirectories(folder.resolve("x.ark").resolve("full"));
      assertThatThrownBy(out::commit)
          .isInstanceOf(FileException.class)
          .hasMessageStartingWith(
              "[kaldi] a file must be writable; got %s (".formatted(at("x.ark")))
          .hasMessageEndingWith(") at byte 9; check its disk.");
    }
    assertThat(folder.resolve("x.scp")).hasContent("old");
    assertThat(folder.toFile().list()).hasSize(2);
  }

  @Test
  void aNewArchiveHasNoOldScript() throws Exception {
    writePair(1);
    String both = "ark,scp:%s,%s".formatted(at("x.ark"), at("x.scp"));
    try (var out = TableWriter.open(both, Holder.INT)) {
      out.write("a", 1);
      Files.delete(folder.resolve("x.scp"));
      Files.createDirectories(folder.resolve("x.scp").resolve("full"));
      assertThatThrownBy(out::commit).isInstanceOf(FileException.class);
    }
    assertThat(folder.resolve("x.scp")).isDirectory();
    assertThat(contentOf("x.ark")).startsWith("a ");
  }

  @Test
  void pairsKeepModesAndLinks() throws Exception {
    writePair(1);
    Path script = folder.resolve("x.scp");
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rw-r-----"));
    Path deep = Files.createDirectory(folder.resolve("deep"));
    Files.move(script, deep.resolve("target.scp"));
    Files.createSymbolicLink(script, deep.resolve("target.scp"));
    writePair(2);
    assertThat(script).isSymbolicLink();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(script)))
        .isEqualTo("rw-r-----");
    assertThat(all("scp:" + script, Holder.INT, x -> x)).containsExactly("kkk2=2");
    assertThat(deep.toFile().list()).hasSize(1);
  }

  @Test
  void anArchiveAndItsScriptAreTwoFiles() {
    String file = at("x");
    assertThatThrownBy(
            () -> TableWriter.open("ark,scp:%s,%s".formatted(file, at("./x")), Holder.INT))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[table] an archive and its script must be two files; got \"%s\" for both; write, for example, ark,scp:a.ark,a.scp."
                .formatted(file));
    assertThat(folder.toFile().list()).isEmpty();
  }

  private String warnings(Runnable reading) {
    PrintStream before = System.err;
    var text = new ByteArrayOutputStream();
    System.setErr(new PrintStream(text, true, StandardCharsets.UTF_8));
    try {
      reading.run();
    } finally {
      System.setErr(before);
    }
    return text.toString(StandardCharsets.UTF_8);
  }

  /** Keys are checked only at random access, like in Kaldi. */
  @ParameterizedTest
  @ValueSource(strings = {"ark", "scp", "ark,bg"})
  void repeatedKeysAreReadWithAWarning(String kind) throws Exception {
    write("1", "1");
    write("x.ark", "a 1", "b 1", "a 1", "b 1");
    write("x.scp", "a " + at("1"), "b " + at("1"), "a " + at("1"), "b " + at("1"));
    String table = kind + ":" + at(kind.equals("scp") ? "x.scp" : "x.ark");
    String said =
        warnings(() ->
            assertThat(all(table, Holder.INT, x -> x)).containsExactly("a=1", "b=1", "a=1", "b=1"));
    assertThat(said)
        .containsOnlyOnce("WARN")
        .contains(
            "keys must be unique; got \"a\" twice in %s: both entries are read; random access would be refused"
                .formatted(table));
    assertThatThrownBy(
            () -> {
              try (var byName = RandomAccessTable.open(table.replace(",bg", ""), Holder.INT)) {
                byName.has("c");
              }
            })
        .isInstanceOf(FileFormatException.class)
        .hasMessageContaining("keys must be unique; got \"a\" twice");
  }

  @Test
  void manyKeysThatDifferAreNoReasonToWarn() throws Exception {
    var lines = new String[10_000];
    Arrays.setAll(lines, k -> "utterance-" + k + " 1");
    write("x.ark", lines);
    String table = "ark:" + at("x.ark");
    assertThat(warnings(() -> assertThat(all(table, Holder.INT, x -> x)).hasSize(10_000)))
        .isEmpty();
    lines[9_999] = lines[5];
    write("x.ark", lines);
    assertThat(warnings(() -> assertThat(all(table, Holder.INT, x -> x)).hasSize(10_000)))
        .contains("got \"utterance-5\" twice");
  }

  @Test
  void flushingHandsOnEachEntry() throws Exception {
    Path pipe = folder.resolve("seen");
    try (var out = TableWriter.open("ark,t,f:| cat > " + pipe, Holder.INT)) {
      out.write("a", 1);
      for (int k = 0; k < 500 && (!Files.exists(pipe) || Files.size(pipe) == 0); k++) {
        Thread.sleep(20);
      }
      assertThat(pipe).hasContent("a 1 \n");
      out.commit();
    }
  }

  @Test
  void scriptsToWriteByNameFiles() throws Exception {
    write("out.scp", "a " + at("a.mat"), "b " + at("b.mat"));
    try (var out = TableWriter.open("scp,t,p:" + at("out.scp"), Holder.VECTOR)) {
      out.write("b", new float[] {1});
      out.write("c", new float[] {2});
      out.commit();
    }
    assertThat(folder.resolve("b.mat")).hasContent(" [ 1 ]\n");
    assertThat(folder.resolve("a.mat")).doesNotExist();
  }

  @Test
  void permissiveScriptsLeaveOutWhatCannotBeRead() throws Exception {
    write("v.txt", "[ 1 ]");
    write("x.scp", "a " + at("none"), "b " + at("v.txt"), "c " + at("x.scp"));
    assertThat(all("scp,p:" + at("x.scp"), Holder.VECTOR, v -> v[0])).containsExactly("b=1.0");
    try (var table = RandomAccessTable.open("scp,p:" + at("x.scp"), Holder.VECTOR)) {
      assertThat(table.has("a")).isFalse();
      assertThat(table.has("b")).isTrue();
      assertThat(table.get("b")).containsExactly(1);
      assertThat(table.has("d")).isFalse();
    }
    assertThatThrownBy(() -> all("scp:" + at("x.scp"), Holder.VECTOR, v -> v[0]))
        .hasMessage(
            "[kaldi] a file to read must exist; got %s (no such file); check the path."
                .formatted(at("none")));
  }

  @Test
  void permissiveArchivesEndAtWhatCannotBeRead() throws Exception {
    write("x.ark", "a 1", "b x", "c 3");
    assertThat(all("ark,p:" + at("x.ark"), Holder.INT, x -> x)).containsExactly("a=1");
    assertThatThrownBy(() -> all("ark:" + at("x.ark"), Holder.INT, x -> x))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[kaldi] the value must be an integer of 32 bits; got 'x' at byte 6 of %s; the file is damaged or of another kind."
                .formatted(at("x.ark")));
  }

  @Test
  void aThreadReadsAhead() throws Exception {
    write("x.ark", "a 1", "b 2", "c x");
    try (var in = TableReader.open("ark,bg:" + at("x.ark"), Holder.INT)) {
      assertThat(in.next()).isTrue();
      assertThat(in.key()).isEqualTo("a");
      assertThat(in.next()).isTrue();
      assertThat(in.value()).isEqualTo(2);
      assertThatThrownBy(in::next).isInstanceOf(FileFormatException.class);
    }
    write("y.ark", "a 1");
    assertThat(all("ark,bg:" + at("y.ark"), Holder.INT, x -> x)).containsExactly("a=1");
    TableReader.open("ark,bg:" + features(), Holder.MATRIX).close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ark", "ark,s", "ark,s,cs", "ark,o", "ark,s,o", "scp", "scp,s"})
  void entriesAreFoundByName(String kind) throws Exception {
    write("x.ark", "a 1", "b 2", "d 4");
    write("x.scp", "a " + at("1"), "b " + at("2"), "d " + at("4"));
    write("1", "1");
    write("2", "2");
    write("4", "4");
    String file = kind.startsWith("ark") ? "x.ark" : "x.scp";
    try (var table = RandomAccessTable.open(kind + ":" + at(file), Holder.INT)) {
      assertThat(table.get("a")).isEqualTo(1);
      assertThat(table.has("c")).isFalse();
      assertThat(table.has("d")).isTrue();
      assertThat(table.get("d")).isEqualTo(4);
      assertThat(table.has("e")).isFalse();
      if (!kind.contains("cs")) {
        assertThat(table.get("b")).isEqualTo(2);
      }
      if (kind.contains("o")) {
        assertThat(table.has("b")).isFalse();
      }
    }
  }

  @Test
  void tokensAreNoBinary() throws Exception {
    try (var out = TableWriter.open("ark:" + at("x.ark"), Holder.TOKEN)) {
      out.write("ä", "ö");
      out.commit();
    }
    assertThat(Files.readAllBytes(folder.resolve("x.ark")))
        .isEqualTo("ä ö\n".getBytes(StandardCharsets.UTF_8));
    assertThat(all("ark:" + at("x.ark"), Holder.TOKEN, x -> x)).containsExactly("ä=ö");
  }

  @Test
  void entriesOfSpeakersAreFoundByUtterance() throws Exception {
    write("spk.ark", "s1 1", "s2 2");
    write("utt2spk", "a s1", "b s2", "c s1", "d s3");
    String values = "ark:" + at("spk.ark");
    String keys = "ark:" + at("utt2spk");
    try (var table = MappedTable.open(values, Holder.INT, keys)) {
      assertThat(table.get("a")).isEqualTo(1);
      assertThat(table.get("b")).isEqualTo(2);
      assertThat(table.get("c")).isEqualTo(1);
      assertThat(table.has("d")).isFalse();
      assertThatThrownBy(() -> table.has("e"))
          .hasMessage(
              "[table] a requested key must be in the table; got \"e\", which \"%s\" lacks; check that the tables belong together."
                  .formatted(keys));
    }
    try (var table = MappedTable.open(values, Holder.INT, "")) {
      assertThat(table.get("s2")).isEqualTo(2);
    }
  }
}
