package ristretto.symbolic.onnx.export;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import ristretto.expr.Ops;
import ristretto.expr.dim.UnknownDims;
import ristretto.expr.file.AsideFile;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.kernels.FileException;

/** ONNX graph under construction. */
public final class ModelBuilder {
  private static final long FORMAT = 9;

  /** Operator set version; since 18, ReduceMax and Pad take their axes as inputs. */
  private static final long OPERATORS = 19;

  private record Initializer(String name, DType<?> dtype, Shape shape, Supplier<byte[]> data) {
    ProtoMessage message() {
      var tensor = new ProtoMessage();
      Arrays.stream(shape.toArray()).forEach(d -> tensor.number(1, d));
      return tensor.number(2, number(dtype)).text(8, name).bytes(9, data.get());
    }
  }

  private record Constant(DType<?> dtype, Shape shape, ByteBuffer data) {}

  private final List<ProtoMessage> nodes = new ArrayList<>();
  private final List<ProtoMessage> inputs = new ArrayList<>();
  private final List<ProtoMessage> outputs = new ArrayList<>();
  private final List<Initializer> initializers = new ArrayList<>();
  private final List<Initializer> fixed = new ArrayList<>();
  private final Map<Constant, String> constants = new HashMap<>();
  private final Set<String> names = new HashSet<>();
  private final Set<String> used = new HashSet<>();

  /** Returns an unused name: the wanted one, or one with a number appended. */
  public String fresh(String wanted) {
    String name = wanted;
    for (int k = 1; !names.add(name); k++) {
      name = wanted + "_" + k;
    }
    return name;
  }

  /** Adds an operator with one output; returns the output's name. */
  public String node(String type, List<String> inputs, Attribute... attributes) {
    return node(type, 1, inputs, attributes).get(0);
  }

  /**
   * Adds an operator with several outputs; returns the outputs' names.
   *
   * @param inputs names of the inputs; empty strings for omitted ones
   */
  public List<String> node(String type, int outputs, List<String> inputs, Attribute... attributes) {
    var results = new ArrayList<String>();
    for (int k = 0; k < outputs; k++) {
      results.add(fresh(type));
    }
    add(type, inputs, results, attributes);
    return results;
  }

  private void add(
      String type, List<String> inputs, List<String> results, Attribute... attributes) {
    var node = new ProtoMessage();
    used.addAll(inputs);
    inputs.forEach(in -> node.text(1, in));
    results.forEach(out -> node.text(2, out));
    node.text(3, results.get(0)).text(4, type);
    for (Attribute a : attributes) {
      node.message(5, message(a));
    }
    nodes.add(node);
  }

  private static ProtoMessage message(Attribute attribute) {
    var message = new ProtoMessage().text(1, attribute.name());
    return switch (attribute) {
      case Attribute.Real a -> message.real(2, (float) a.value()).number(20, 1);
      case Attribute.Int a -> message.number(3, a.value()).number(20, 2);
      case Attribute.Text a -> message.text(4, a.value()).number(20, 3);
      case Attribute.Ints a -> message.numbers(8, a.values()).number(20, 7);
      case Attribute.Texts a -> {
        a.values().forEach(v -> message.text(9, v));
        yield message.number(20, 8);
      }
    };
  }

  /**
   * Adds an initializer, a tensor stored in the file: a weight, which a program that reads the file
   * may train.
   *
   * @param data supplier of the row-major, little-endian data; called when the file is written
   */
  public Value tensor(String wanted, DType<?> dtype, Shape shape, Supplier<byte[]> data) {
    String name = fresh(wanted);
    initializers.add(new Initializer(name, dtype, shape, data));
    return new Value(name, dtype, shape);
  }

  /**
   * Adds a constant, a tensor stored in the file that is no weight.
   *
   * @param data supplier of the row-major, little-endian data; called when the file is written
   */
  public String constant(String wanted, DType<?> dtype, Shape shape, Supplier<byte[]> data) {
    String name = fresh(wanted);
    fixed.add(new Initializer(name, dtype, shape, data));
    return name;
  }

  /** Returns a scalar constant. */
  public String number(DType<?> dtype, double value, long whole) {
    return constant(dtype, Shape.SCALAR, bytes(dtype, value, whole));
  }

  /** Returns a constant of I64 with one axis. */
  public String wholes(long... values) {
    ByteBuffer data =
        ByteBuffer.allocate(values.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    Arrays.stream(values).forEach(data::putLong);
    return constant(Ops.I64, Shape.of(values.length), data.array());
  }

  private String constant(DType<?> dtype, Shape shape, byte... data) {
    return constants.computeIfAbsent(
        new Constant(dtype, shape, ByteBuffer.wrap(data)),
        _ -> constant("constant", dtype, shape, () -> data));
  }

  private static byte[] bytes(DType<?> dtype, double value, long whole) {
    ByteBuffer data = ByteBuffer.allocate(dtype.bytes()).order(ByteOrder.LITTLE_ENDIAN);
    if (dtype == (Object) Ops.F32) {
      data.putFloat((float) value);
    } else if (dtype == (Object) Ops.F64) {
      data.putDouble(value);
    } else if (dtype == (Object) Ops.F16) {
      data.putShort(Float.floatToFloat16((float) value));
    } else if (dtype == (Object) Ops.BF16) {
      data.putShort((short) (Float.floatToRawIntBits((float) value) >>> 16));
    } else if (dtype.bytes() == 8) {
      data.putLong(whole);
    } else if (dtype.bytes() == 4) {
      data.putInt((int) whole);
    } else if (dtype.bytes() == 2) {
      data.putShort((short) whole);
    } else {
      data.put((byte) (dtype == (Object) Ops.BOOL && value != 0 ? 1 : whole));
    }
    return data.array();
  }

  /** Returns the ONNX number of an element type. */
  static long number(DType<?> dtype) {
    return switch (dtype.toString()) {
      case "f32" -> 1;
      case "u8" -> 2;
      case "i8" -> 3;
      case "u16" -> 4;
      case "i16" -> 5;
      case "i32" -> 6;
      case "i64" -> 7;
      case "bool" -> 9;
      case "f16" -> 10;
      case "f64" -> 11;
      case "u32" -> 12;
      case "u64" -> 13;
      case "bf16" -> 16;
      default -> throw new AssertionError(dtype);
    };
  }

  /**
   * Adds an input of the graph, under the value's name.
   *
   * @param label returns the names of unknown dimensions, or null
   */
  public void input(Value value, LongFunction<String> label) {
    inputs.add(info(value.name(), value, _ -> true, label));
  }

  /**
   * Adds an output of the graph, named {@code name}.
   *
   * @param known true for axes whose dimension does not depend on the sizes of the inputs
   */
  public void output(String name, Value value, IntPredicate known, LongFunction<String> label) {
    add("Identity", List.of(value.name()), List.of(name));
    outputs.add(info(name, value, known, label));
  }

  private static ProtoMessage info(
      String name, Value value, IntPredicate known, LongFunction<String> label) {
    var shape = new ProtoMessage();
    for (int d = 0; d < value.shape().rank(); d++) {
      long e = value.shape().at(d);
      boolean isKnown = UnknownDims.isKnown(e);
      String called = isKnown ? null : label.apply(e);
      var dim = new ProtoMessage();
      if (isKnown && known.test(d)) {
        dim.number(1, e);
      } else if (called != null) {
        dim.text(2, called);
      }
      shape.message(1, dim);
    }
    var tensor = new ProtoMessage().number(1, number(value.dtype())).message(2, shape);
    return new ProtoMessage().text(1, name).message(2, new ProtoMessage().message(1, tensor));
  }

  private static ProtoMessage constant(Initializer c) {
    var value = new ProtoMessage().text(1, "value").message(5, c.message()).number(20, 4);
    return new ProtoMessage().text(2, c.name).text(3, c.name).text(4, "Constant").message(5, value);
  }

  /** Writes the file atomically, through a temporary file beside it. */
  public void write(Path file, String name) {
    var graph = new ProtoMessage();
    for (Initializer c : fixed) {
      if (used.contains(c.name)) {
        graph.message(1, constant(c));
      }
    }
    nodes.forEach(n -> graph.message(1, n));
    graph.text(2, name);
    for (Initializer i : initializers) {
      if (used.contains(i.name)) {
        graph.message(5, i.message());
      }
    }
    inputs.forEach(i -> graph.message(11, i));
    outputs.forEach(o -> graph.message(12, o));
    var model =
        new ProtoMessage()
            .number(1, FORMAT)
            .text(2, "ristretto")
            .message(7, graph)
            .message(8, new ProtoMessage().text(1, "").number(2, OPERATORS));
    if (model.size() > Integer.MAX_VALUE) {
      throw new FileException(
          String.format(
              Locale.ROOT,
              "[onnx] a file must be below 2 GiB, the most that its format holds; got %d bytes for"
                  + " %s.",
              model.size(),
              file.toAbsolutePath()),
          null);
    }
    try {
      AsideFile.write(file, model::write);
    } catch (IOException e) {
      throw new FileException(
          "[onnx] the file must be writable; got %s (%s); check the path."
              .formatted(file.toAbsolutePath(), e.getMessage()),
          e);
    }
  }
}
