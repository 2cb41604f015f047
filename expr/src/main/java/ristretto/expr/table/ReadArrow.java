package ristretto.expr.table;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flatbuf.DictionaryBatch;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.flatbuf.Schema;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;

/** Reader of Arrow IPC files and streams; files are also called Feather, version 2. */
public final class ReadArrow {
  private final ArrowMessages file;
  private final List<String> names;
  private final Arena arena = Arena.ofAuto();
  private final Map<Long, ArrowColumn> dictionaries = new HashMap<>();

  /** Fields with a dictionary, by its number. */
  private final Map<Long, Field> encoded = new HashMap<>();

  /** Columns of the file; null for those that are left out. */
  private ArrowColumn[] columns;

  private Schema schema;

  private ReadArrow(ArrowMessages file, List<String> names) {
    this.file = file;
    this.names = names;
  }

  /**
   * Reads columns.
   *
   * @param names columns in their order; none for all columns of the file
   * @throws FileException if the file cannot be read
   * @throws FileFormatException if it is no Arrow file, has a column of a type that tables lack, or
   *     lacks a column
   */
  public static List<TableColumn> from(Path path, List<String> names) {
    ArrowMessages file;
    try {
      file = ArrowMessages.open(path);
    } catch (IOException e) {
      throw ArrowMessages.failed(path, e);
    }
    try (file) {
      return new ReadArrow(file, names).read();
    } catch (EOFException e) {
      throw file.malformed("all bytes of its messages", "the end of the file");
    } catch (IOException e) {
      throw ArrowMessages.failed(path, e);
    } catch (IndexOutOfBoundsException
        | NegativeArraySizeException
        | NullPointerException
        | IllegalArgumentException
        | ArithmeticException e) {
      // FlatBuffers are read without a check of the whole.
      var malformed = file.malformed("valid metadata", "sizes or offsets that contradict");
      malformed.initCause(e);
      throw malformed;
    }
  }

  private List<TableColumn> read() throws IOException {
    file.forEach(this::message);
    file.require(schema != null, "a schema", "none");
    var byName = new HashMap<String, TableColumn>();
    var all = new ArrayList<TableColumn>();
    for (ArrowColumn c : columns) {
      if (c != null) {
        TableColumn finished = c.finish();
        all.add(finished);
        byName.put(finished.name(), finished);
      }
    }
    return names.isEmpty() ? all : names.stream().map(byName::get).toList();
  }

  private void message(Message message, long bodyAt) throws IOException {
    byte type = message.headerType();
    if (type == MessageHeader.Schema) {
      begin((Schema) message.header(new Schema()));
      return;
    }
    file.require(schema != null, "a schema before its batches", "none");
    if (type == MessageHeader.DictionaryBatch) {
      var dictionary = (DictionaryBatch) message.header(new DictionaryBatch());
      Field field = encoded.get(dictionary.id());
      // Dictionaries of columns that are left out are not read.
      if (field != null) {
        if (!dictionary.isDelta()) {
          dictionaries.put(dictionary.id(), new ArrowColumn(file, field, null, arena));
        }
        rows(message, bodyAt, dictionary.data(), dictionaries.get(dictionary.id()));
      }
    } else {
      file.require(
          type == MessageHeader.RecordBatch, "record batches", "a message of type " + type);
      var batch = (RecordBatch) message.header(new RecordBatch());
      rows(message, bodyAt, batch, columns);
    }
  }

  private void begin(Schema found) {
    file.require(schema == null, "one schema", "two");
    file.require(found.endianness() == Endianness.Little, "little-endian numbers", "big-endian");
    schema = found;
    columns = new ArrowColumn[found.fieldsLength()];
    var all = new ArrayList<String>();
    for (int k = 0; k < columns.length; k++) {
      Field field = found.fields(k);
      String name = field.name();
      file.require(
          name != null && !all.contains(name),
          "columns with different names",
          name == null ? "one without" : "two columns '" + Excerpt.of(name) + "'");
      all.add(name);
      if (names.isEmpty() || names.contains(name)) {
        columns[k] = new ArrowColumn(file, field, dictionaries, arena);
        if (field.dictionary() != null) {
          encoded.put(field.dictionary().id(), field);
        }
      }
    }
    for (String name : names) {
      file.require(
          all.contains(name),
          "a column '" + Excerpt.of(name) + "'",
          "the columns " + Excerpt.of(all.toString()));
    }
  }

  private void rows(Message message, long bodyAt, RecordBatch rows, ArrowColumn... targets)
      throws IOException {
    try (Arena bodies = Arena.ofConfined()) {
      var body = file.read(bodies, bodyAt, message.bodyLength());
      var batch = new ArrowBatch(file, rows, body, message.version());
      for (int k = 0; k < targets.length; k++) {
        if (targets[k] == null) {
          batch.skip(schema.fields(k));
        } else {
          targets[k].add(batch);
        }
      }
    }
  }
}
