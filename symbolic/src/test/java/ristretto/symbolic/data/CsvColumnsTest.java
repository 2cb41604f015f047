package ristretto.symbolic.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.RistrettoException;
import ristretto.kernels.ShapeException;
import ristretto.kernels.standin.Mutations;

class CsvColumnsTest {
  @TempDir Path folder;

  private Path file(String name, String content) throws IOException {
    return Files.writeString(folder.resolve(name), content);
  }

  private Path file(String content) throws IOException {
    return file("data.csv", content);
  }

  private static float[] floats(Dataset data, int field, long example) {
    var to = MemorySegment.ofArray(new float[(int) data.fields().get(field).shape().size()]);
    data.read(field, example, to);
    return to.toArray(ValueLayout.JAVA_FLOAT);
  }

  private static int[] ints(Dataset data, int field, long example) {
    var to = MemorySegment.ofArray(new int[(int) data.fields().get(field).shape().size()]);
    data.read(field, example, to);
    return to.toArray(ValueLayout.JAVA_INT);
  }

  @Test
  void columnsOfAllKinds() throws Exception {
    Path file =
        file(
            "\ufeffprice;b;a;city;comment;day;n\n"
                + "1.5;2;3;\"Rome; old\";very good very long;2024-02-29;7\n"
                + "2.5; \"4\" ;5;Oslo;\"bad\nbad bad\";1970-01-02T12:00;-8\n");
    var columns =
        new CsvColumns()
            .numbers("x", "a", "b")
            .number("price")
            .category("city")
            .text("comment", 3, 100)
            .date("day")
            .integer("n")
            .separator(';');
    CsvData data = columns.read(file);
    assertThat(data.fields())
        .hasToString("[x f32[2], price f32[], city i32[], comment i32[3], day f32[], n i32[]]");
    assertThat(data.size()).isEqualTo(2);
    assertThat(floats(data, 0, 0)).containsExactly(3, 2);
    assertThat(floats(data, 0, 1)).containsExactly(5, 4);
    assertThat(floats(data, 1, 1)).containsExactly(2.5f);
    assertThat(ints(data, 2, 0)).containsExactly(1);
    assertThat(data.vocabulary("city")).containsExactly("Oslo", "Rome; old");
    assertThat(data.vocabulary("comment")).containsExactly("<pad>", "<unk>", "bad", "very", "good");
    assertThat(ints(data, 3, 0)).containsExactly(3, 4, 3);
    assertThat(ints(data, 3, 1)).containsExactly(2, 2, 2);
    assertThat(floats(data, 4, 0)).containsExactly(LocalDate.of(2024, 2, 29).toEpochDay());
    assertThat(floats(data, 4, 1)).containsExactly(1.5f);
    assertThat(ints(data, 5, 1)).containsExactly(-8);
    Path other =
        file("other.csv", "n;a;b;price;city;comment;day\n1;2;3;4;Oslo;so very;2000-01-01\n");
    CsvData same = data.like(other);
    assertThat(ints(same, 2, 0)).containsExactly(0);
    assertThat(ints(same, 3, 0)).containsExactly(1, 3, 0);
    assertThatThrownBy(() -> data.vocabulary("x"))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[csv] a vocabulary belongs to a category or a text; got x of " + data.fields() + ".");
  }

  @Test
  void meansAndScalesOfTheFirstFileHoldForOthers() throws Exception {
    var columns =
        new CsvColumns()
            .numbers("x", "a", "b")
            .number("y")
            .category("c")
            .missing(Missing.MEAN)
            .standardized();
    CsvData train = columns.read(file("a,b,y,c\n1,5,10,u\n3,5,,v\n,5,20,\n"));
    assertThat(floats(train, 0, 0)).containsExactly(-1, 0);
    assertThat(floats(train, 0, 1)).containsExactly(1, 0);
    assertThat(floats(train, 0, 2)).containsExactly(0, 0);
    assertThat(floats(train, 1, 1)).containsExactly(15);
    assertThat(train.vocabulary("c")).containsExactly("<unk>", "u", "v");
    assertThat(ints(train, 2, 2)).containsExactly(0);
    CsvData test = train.like(file("other.csv", "a,b,y,c\nNA,6,,w\n"));
    assertThat(floats(test, 0, 0)).containsExactly(0, 1);
    assertThat(floats(test, 1, 0)).containsExactly(15);
    assertThat(ints(test, 2, 0)).containsExactly(0);
  }

  @Test
  void missingValuesAreTreatedAsAsked() throws Exception {
    Path file = file("a,b\n1,x\n-,y\n3,-\n");
    var columns = new CsvColumns().number("a").category("b");
    CsvData dropped = columns.missing(Missing.DROP_ROW, "-").read(file);
    assertThat(dropped.size()).isEqualTo(1);
    assertThat(dropped.vocabulary("b")).containsExactly("x");
    assertThat(floats(columns.missing(Missing.ZERO, "-").read(file), 0, 1)).containsExactly(0);
    assertThat(floats(columns.missing(Missing.NAN, "-").read(file), 0, 1))
        .containsExactly(Float.NaN);
    assertThatThrownBy(() -> columns.missing(Missing.REFUSE, "-").read(file))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[csv] values must not be missing; got '-' in column a of line 3 of "
                + file
                + "; decide on them with missing(...).");
    Path whole = file("other.csv", "n\n1\nNA\n");
    assertThat(ints(new CsvColumns().integer("n").missing(Missing.ZERO).read(whole), 0, 1))
        .containsExactly(0);
    assertThatThrownBy(() -> new CsvColumns().integer("n").missing(Missing.MEAN).read(whole))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[csv] whole numbers must not be missing; got 'NA' in column n of line 3 of "
                + whole
                + "; drop the rows, or have zeros, with missing(...).");
  }

  @Test
  void datesOfOtherFormats() throws Exception {
    Path file = file("d\n29.02.2024\n");
    assertThat(floats(new CsvColumns().date("d", "dd.MM.uuuu").read(file), 0, 0))
        .containsExactly(LocalDate.of(2024, 2, 29).toEpochDay());
    Path offset = file("other.csv", "d\n1970-01-02 01:00:00+01:00\n1970-01-01T06:00\n");
    CsvData days = new CsvColumns().date("d").read(offset);
    assertThat(floats(days, 0, 0)[0]).isCloseTo(1, within(1e-6f));
    assertThat(floats(days, 0, 1)[0]).isEqualTo(0.25f);
    refused(
        () -> new CsvColumns().date("d").read(file),
        "[csv] dates must have their format, and be in the calendar; got '29.02.2024' in column d"
            + " of line 2 of "
            + file
            + ".");
    assertThatThrownBy(() -> new CsvColumns().date("d", "{"))
        .isInstanceOf(ShapeException.class)
        .hasMessageStartingWith("[csv] a date must have a pattern of DateTimeFormatter; got '{' (");
  }

  private static void refused(ThrowingCallable reading, String message) {
    assertThatThrownBy(reading).isInstanceOf(FileFormatException.class).hasMessage(message);
  }

  @Test
  void flawsOfFilesAreFound() throws Exception {
    Path file = file("a,b,b\nx,1.5,\n");
    refused(
        () -> new CsvColumns().number("a").read(file),
        "[csv] values must be numbers; got 'x' in column a of line 2 of " + file + ".");
    refused(
        () -> new CsvColumns().number("c").read(file),
        "[csv] there must be a column c; got the columns [a, b, b] of " + file + ".");
    refused(
        () -> new CsvColumns().number("b").read(file),
        "[csv] a column must have a unique name; got two columns b of " + file + ".");
    Path whole = file("whole.csv", "n\n1.5\n");
    refused(
        () -> new CsvColumns().integer("n").read(whole),
        "[csv] values must be whole numbers; got '1.5' in column n of line 2 of " + whole + ".");
    Path empty = file("empty.csv", "n\nNA\n");
    refused(
        () -> new CsvColumns().number("n").missing(Missing.MEAN).read(empty),
        "[csv] a mean needs a number in the first file; got none in column n of " + empty + ".");
    CsvData first = new CsvColumns().category("n").read(whole);
    Path unknown = file("unknown.csv", "n\n2\n");
    refused(
        () -> first.like(unknown),
        "[csv] categories must occur in the first file; got '2' in column n of line 2 of "
            + unknown
            + "; add the category there, or keep missing values with missing(...), which makes"
            + " <unk> of it.");
    Path quotes = file("quotes.csv", "n\n\"a\" b\n");
    assertThatThrownBy(() -> new CsvColumns().category("n").read(quotes))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[csv] quotes must be closed, and enclose a whole value; got other quotes after line 1"
                + " of "
                + quotes
                + ".");
  }

  @Test
  void mistakesInColumnsAreFound() {
    assertMistake(
        () -> new CsvColumns().read(folder),
        "[csv] there must be a field; got none; name one with number(...).");
    assertMistake(
        () -> new CsvColumns().number("a").category("a"),
        "[csv] fields must have unique names; got two named a.");
    assertMistake(
        () -> new CsvColumns().numbers("x"), "[csv] a field must have a column; got none for x.");
    assertMistake(
        () -> new CsvColumns().text("t", 0, 10),
        "[csv] a text must have at least 1 word, of at least 2; got 0 words of 10 for t.");
    assertMistake(
        () -> new CsvColumns().separator('"'),
        "[csv] the separator must not be a quote or a line end.");
  }

  private static void assertMistake(ThrowingCallable call, String message) {
    assertThatThrownBy(call).isInstanceOf(ShapeException.class).hasMessage(message);
  }

  @Test
  void damagedFilesAreRefusedOrRead() throws IOException {
    byte[] whole =
        "a,\"b \"\"x\"\"\",c,d\n1.5,2,two words,2024-01-01\n\"4\", 0 ,\"x\ny\",2001-02-03\n"
            .getBytes(StandardCharsets.UTF_8);
    var columns =
        new CsvColumns()
            .numbers("x", "a", "b \"x\"")
            .text("c", 2, 9)
            .date("d")
            .missing(Missing.MEAN);
    for (int seed = 0; seed < Integer.getInteger("ristretto.fuzz", 1000); seed++) {
      Path file = Files.write(folder.resolve("t"), new Mutations(new Random(seed)).of(whole));
      try {
        columns.read(file);
      } catch (RistrettoException e) {
        assertThat(e).hasMessageStartingWith("[csv]");
        Mutations.checkMessage(e.getMessage());
      }
    }
  }
}
