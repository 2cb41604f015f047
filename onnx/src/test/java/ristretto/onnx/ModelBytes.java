package ristretto.onnx;

import com.google.protobuf.CodedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes small models for tests. */
final class ModelBytes {
  /** Content of a message. */
  interface Body {
    void write(CodedOutputStream out) throws IOException;
  }

  private final ByteArrayOutputStream graph = new ByteArrayOutputStream();
  private final long opset;

  ModelBytes(long opset) {
    this.opset = opset;
  }

  static byte[] message(Body body) {
    var bytes = new ByteArrayOutputStream();
    try {
      CodedOutputStream out = CodedOutputStream.newInstance(bytes);
      body.write(out);
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private ModelBytes field(int number, byte... message) {
    graph.writeBytes(message(out -> out.writeByteArray(number, message)));
    return this;
  }

  /** Adds a node named by its operator; names of inputs and outputs are separated by spaces. */
  ModelBytes node(String operator, String inputs, String outputs, byte[]... attributes) {
    return field(
        1,
        message(out -> {
          for (String name : inputs.split(" ")) {
            out.writeString(1, name);
          }
          for (String name : outputs.split(" ")) {
            out.writeString(2, name);
          }
          out.writeString(3, "my" + operator);
          out.writeString(4, operator);
          for (byte[] a : attributes) {
            out.writeByteArray(5, a);
          }
        }));
  }

  static byte[] attribute(String name, long value) {
    return message(out -> {
      out.writeString(1, name);
      out.writeInt64(3, value);
      out.writeInt32(20, 2);
    });
  }

  static byte[] attribute(String name, float value) {
    return message(out -> {
      out.writeString(1, name);
      out.writeFloat(2, value);
      out.writeInt32(20, 1);
    });
  }

  static byte[] integers(String name, long... values) {
    return message(out -> {
      out.writeString(1, name);
      for (long v : values) {
        out.writeInt64(8, v);
      }
      out.writeInt32(20, 7);
    });
  }

  static byte[] attribute(String name, String value) {
    return message(out -> {
      out.writeString(1, name);
      out.writeString(4, value);
      out.writeInt32(20, 3);
    });
  }

  static byte[] attribute(String name, byte[] graph) {
    return message(out -> {
      out.writeString(1, name);
      out.writeByteArray(6, graph);
      out.writeInt32(20, 5);
    });
  }

  ModelBytes weight(String name, float[] values, long... dims) {
    return field(
        5,
        message(out -> {
          dims(out, dims);
          out.writeInt32(2, 1);
          for (float v : values) {
            out.writeFloat(4, v);
          }
          out.writeString(8, name);
        }));
  }

  ModelBytes constant(String name, long... values) {
    return field(
        5,
        message(out -> {
          dims(out, values.length);
          out.writeInt32(2, 7);
          for (long v : values) {
            out.writeInt64(7, v);
          }
          out.writeString(8, name);
        }));
  }

  ModelBytes external(String name, String location, long... dims) {
    return field(
        5,
        message(out -> {
          dims(out, dims);
          out.writeInt32(2, 1);
          out.writeString(8, name);
          out.writeByteArray(
              13,
              message(entry -> {
                entry.writeString(1, "location");
                entry.writeString(2, location);
              }));
          out.writeInt32(14, 1);
        }));
  }

  private static void dims(CodedOutputStream out, long... dims) throws IOException {
    for (long d : dims) {
      out.writeInt64(1, d);
    }
  }

  /** Declares an input; -1 for an unknown extent. */
  ModelBytes input(String name, int type, long... dims) {
    return field(11, declaration(name, type, dims));
  }

  ModelBytes output(String name, int type, long... dims) {
    return field(12, declaration(name, type, dims));
  }

  private static byte[] declaration(String name, int type, long... dims) {
    byte[] shape =
        message(out -> {
          for (long d : dims) {
            out.writeByteArray(
                1,
                message(one -> {
                  if (d < 0) {
                    one.writeString(2, "n");
                  } else {
                    one.writeInt64(1, d);
                  }
                }));
          }
        });
    byte[] tensor =
        message(out -> {
          out.writeInt32(1, type);
          out.writeByteArray(2, shape);
        });
    return message(out -> {
      out.writeString(1, name);
      out.writeByteArray(2, message(t -> t.writeByteArray(1, tensor)));
    });
  }

  byte[] graph() {
    return graph.toByteArray();
  }

  byte[] model() {
    return message(out -> {
      out.writeInt64(1, 8);
      out.writeByteArray(7, graph.toByteArray());
      out.writeByteArray(8, message(set -> set.writeInt64(2, opset)));
    });
  }

  Path write(Path folder) {
    try {
      return Files.write(folder.resolve("model.onnx"), model());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
