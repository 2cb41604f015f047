package ristretto.onnx.file;

import com.google.protobuf.InvalidProtocolBufferException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.kernels.FileException;
import ristretto.symbolic.onnx.OnnxException;

/**
 * Reads ONNX files with the wire format's reader of protobuf-java. Files are limited to 2 GiB, as
 * Protocol Buffers are; external data must be in the model's folder.
 */
public final class ProtoReader {
  private final Fields in;
  private final Path folder;

  private ProtoReader(byte[] file, Path folder) {
    this.in = new Fields(file);
    this.folder = folder;
  }

  /**
   * Reads a model.
   *
   * @throws FileException if the file cannot be read, or is not an ONNX file
   * @throws OnnxException if the file has a tensor that contradicts itself
   */
  public static Proto.Model model(Path file) {
    return read(file, ProtoReader::model);
  }

  /**
   * Reads a model from the content of a file without external data.
   *
   * @throws FileException if the content is not that of an ONNX file
   * @throws OnnxException if a tensor contradicts itself, or is in another file
   */
  public static Proto.Model model(byte[] content) {
    return read("the content", () -> new ProtoReader(content, null), ProtoReader::model);
  }

  /**
   * Reads a file with a single tensor.
   *
   * @throws FileException if the file cannot be read, or is not such a file
   * @throws OnnxException if the tensor contradicts itself
   */
  public static Proto.Tensor tensor(Path file) {
    return read(
        file,
        in -> {
          var tensor = new TensorReader(in.in, in.folder);
          in.in.all(tensor::field);
          return tensor.tensor();
        });
  }

  private interface Body<T> {
    T read(ProtoReader in) throws IOException;
  }

  private interface Opening {
    ProtoReader open() throws IOException;
  }

  private static <T> T read(Path file, Body<T> body) {
    return read(file.toString(), () -> open(file), body);
  }

  private static ProtoReader open(Path file) throws IOException {
    long size = Files.size(file);
    if (size > Integer.MAX_VALUE - 8) {
      throw new OnnxException(
          "[onnx] a file must be smaller than 2 GiB; got %s with %s bytes; export it with external data."
              .formatted(file, size));
    }
    return new ProtoReader(Files.readAllBytes(file), file.toAbsolutePath().getParent());
  }

  private static <T> T read(String file, Opening opening, Body<T> body) {
    try {
      return body.read(opening.open());
    } catch (InvalidProtocolBufferException e) {
      throw new FileException(
          "[onnx] the file must be an ONNX model; got %s, which is damaged or of another format: %s"
              .formatted(file, e.getMessage()),
          e);
    } catch (IOException e) {
      throw new FileException(
          "[onnx] the model and its external data must be readable; got %s: %s: %s"
              .formatted(file, e.getClass().getSimpleName(), e.getMessage()),
          e);
    }
  }

  private Proto.Model model() throws IOException {
    var opsets = new HashMap<String, Long>();
    var graph = new Proto.Graph[1];
    var functions = new ArrayList<Proto.Function>();
    var producer = new String[] {""};
    in.all(n -> {
      switch (n) {
        case 2 -> producer[0] = in.text();
        case 7 -> graph[0] = graph();
        case 8 -> opset(opsets);
        case 25 -> functions.add(function());
        default -> {
          return false;
        }
      }
      return true;
    });
    if (graph[0] == null) {
      throw new InvalidProtocolBufferException("there is no graph");
    }
    return new Proto.Model(Map.copyOf(opsets), graph[0], List.copyOf(functions), producer[0]);
  }

  private void opset(Map<String, Long> into) throws IOException {
    var domain = new String[] {""};
    var version = new long[1];
    in.message(n -> {
      switch (n) {
        case 1 -> domain[0] = in.text();
        case 2 -> version[0] = in.integer();
        default -> {
          return false;
        }
      }
      return true;
    });
    into.put(standard(domain[0]), version[0]);
  }

  private static String standard(String domain) {
    return domain.equals("ai.onnx") ? "" : domain;
  }

  private Proto.Graph graph() throws IOException {
    var name = new String[] {""};
    var nodes = new ArrayList<Proto.Node>();
    var initializers = new ArrayList<Proto.Tensor>();
    var inputs = new ArrayList<Proto.Declaration>();
    var outputs = new ArrayList<Proto.Declaration>();
    in.message(n -> {
      switch (n) {
        case 1 -> nodes.add(node());
        case 2 -> name[0] = in.text();
        case 5 -> initializers.add(tensor());
        case 11 -> inputs.add(declaration());
        case 12 -> outputs.add(declaration());
        case 15 ->
            throw new OnnxException(
                "[onnx] initializers must be dense; got a sparse one in graph '%s'; make it dense."
                    .formatted(name[0]));
        default -> {
          return false;
        }
      }
      return true;
    });
    return new Proto.Graph(
        name[0],
        List.copyOf(nodes),
        List.copyOf(initializers),
        List.copyOf(inputs),
        List.copyOf(outputs));
  }

  private Proto.Tensor tensor() throws IOException {
    var tensor = new TensorReader(in, folder);
    in.message(tensor::field);
    return tensor.tensor();
  }

  private Proto.Node node() throws IOException {
    var text = new String[] {"", "", "", ""};
    var inputs = new ArrayList<String>();
    var outputs = new ArrayList<String>();
    var attributes = new ArrayList<Proto.Attribute>();
    in.message(n -> {
      switch (n) {
        case 1 -> inputs.add(in.text());
        case 2 -> outputs.add(in.text());
        case 3 -> text[0] = in.text();
        case 4 -> text[1] = in.text();
        case 5 -> attributes.add(attribute());
        case 7 -> text[2] = standard(in.text());
        case 8 -> text[3] = in.text();
        default -> {
          return false;
        }
      }
      return true;
    });
    return new Proto.Node(
        text[2],
        text[1],
        text[3],
        text[0],
        List.copyOf(inputs),
        List.copyOf(outputs),
        List.copyOf(attributes));
  }

  private Proto.Function function() throws IOException {
    var text = new String[] {"", "", ""};
    var inputs = new ArrayList<String>();
    var outputs = new ArrayList<String>();
    var defaults = new ArrayList<Proto.Attribute>();
    var nodes = new ArrayList<Proto.Node>();
    var opsets = new HashMap<String, Long>();
    in.message(n -> {
      switch (n) {
        case 1 -> text[0] = in.text();
        case 4 -> inputs.add(in.text());
        case 5 -> outputs.add(in.text());
        case 7 -> nodes.add(node());
        case 9 -> opset(opsets);
        case 10 -> text[1] = standard(in.text());
        case 11 -> defaults.add(attribute());
        case 13 -> text[2] = in.text();
        default -> {
          return false;
        }
      }
      return true;
    });
    return new Proto.Function(
        text[1],
        text[0],
        text[2],
        List.copyOf(inputs),
        List.copyOf(outputs),
        List.copyOf(defaults),
        List.copyOf(nodes),
        Map.copyOf(opsets));
  }

  /** Numbers of an attribute's types in the schema, for those with a value that may be empty. */
  private static Object empty(long type) {
    return switch ((int) type) {
      case 1 -> 0f;
      case 2 -> 0L;
      case 3 -> "";
      case 6, 7, 8, 9, 10 -> List.of();
      default -> null;
    };
  }

  private Proto.Attribute attribute() throws IOException {
    var name = new String[] {"", ""};
    var type = new long[1];
    var one = new Object[1];
    var floats = new Bytes();
    var integers = new ArrayList<Long>();
    var others = new ArrayList<Object>();
    in.message(n -> {
      switch (n) {
        case 1 -> name[0] = in.text();
        case 2 -> one[0] = in.number();
        case 3 -> one[0] = in.integer();
        case 4 -> one[0] = string(in.bytes());
        case 5 -> one[0] = tensor();
        case 6 -> one[0] = graph();
        case 7 -> in.numbers(floats, Float.BYTES);
        case 8 -> in.integers(integers);
        case 9 -> others.add(string(in.bytes()));
        case 10 -> others.add(tensor());
        case 11 -> others.add(graph());
        case 20 -> type[0] = in.integer();
        case 21 -> name[1] = in.text();
        default -> {
          return false;
        }
      }
      return true;
    });
    if (!floats.isEmpty()) {
      for (ByteBuffer view = floats.view(); view.remaining() >= Float.BYTES; ) {
        others.add(view.getFloat());
      }
    }
    others.addAll(integers);
    Object value =
        one[0] != null ? one[0] : others.isEmpty() ? empty(type[0]) : List.copyOf(others);
    return new Proto.Attribute(name[0], name[1], value);
  }

  private static String string(ByteBuffer bytes) {
    return StandardCharsets.UTF_8.decode(bytes).toString();
  }

  private Proto.Declaration declaration() throws IOException {
    var name = new String[] {"", "value without a type"};
    var type = new long[1];
    var dims = new ArrayList<Long>();
    var ranked = new boolean[1];
    in.message(n -> {
      switch (n) {
        case 1 -> name[0] = in.text();
        case 2 ->
            in.message(k -> {
              name[1] = kind(k, name[1]);
              return k == 1
                  && in.message(m -> m == 1 ? elements(type) : m == 2 && shape(dims, ranked));
            });
        default -> {
          return false;
        }
      }
      return true;
    });
    return new Proto.Declaration(
        name[0], ElementType.of(type[0]), ranked[0] ? List.copyOf(dims) : null, name[1]);
  }

  private boolean elements(long[] into) throws IOException {
    into[0] = in.integer();
    return true;
  }

  private boolean shape(List<Long> dims, boolean[] ranked) throws IOException {
    ranked[0] = true;
    return in.message(n -> n == 1 && in.message(new Dimension(dims)::read));
  }

  /** One extent; unknown until its number is read. */
  private final class Dimension {
    private final List<Long> dims;

    Dimension(List<Long> dims) {
      this.dims = dims;
      dims.add(-1L);
    }

    boolean read(int number) throws IOException {
      if (number != 1) {
        return false;
      }
      dims.set(dims.size() - 1, in.integer());
      return true;
    }
  }

  private static String kind(int number, String otherwise) {
    return switch (number) {
      case 1 -> "tensor";
      case 4 -> "sequence";
      case 5 -> "map";
      case 8 -> "sparse tensor";
      case 9 -> "optional value";
      default -> otherwise;
    };
  }
}
