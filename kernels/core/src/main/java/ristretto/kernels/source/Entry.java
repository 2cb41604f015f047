package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.source.Dialect.Parameter;
import ristretto.kernels.source.Routine.Argument;

/** One kernel function: its parameters come to be as its body asks for them. */
final class Entry {
  final Code body = new Code(1);
  final Functions functions;

  /** Drivers take at least 1024 bytes of arguments, of which pointers need some. */
  private static final int MOST_NUMBERS = 64;

  private final String name;
  private final Constants constants;
  private final boolean far;
  private final Map<List<Object>, String> names = new LinkedHashMap<>();
  private final List<Parameter> parameters = new ArrayList<>();
  private final List<Argument> arguments = new ArrayList<>();
  private final Code head = new Code(1);
  private int numbers;

  /**
   * @param far element numbers need 64 bits
   */
  Entry(String name, Constants constants, Functions functions, boolean far) {
    this.name = name;
    this.constants = constants;
    this.functions = functions;
    this.far = far;
  }

  /** The type of element numbers. */
  String index() {
    return far ? "i64" : "i32";
  }

  /** A number that is no part of the text, as an element number. */
  String constant(long value) {
    return number(far ? ScalarType.I64 : ScalarType.I32, value);
  }

  /** The same with 64 bits. */
  String wide(long value) {
    return number(ScalarType.I64, value);
  }

  /**
   * The first ones are parameters: compilers know that no store changes them. There is room for
   * only so many, so the others are in the block of constants.
   */
  private String number(ScalarType type, long value) {
    String name = "c" + numbers++;
    if (numbers <= MOST_NUMBERS) {
      parameters.add(new Parameter(Parameter.Kind.NUMBER, Literal.type(type), name));
      arguments.add(new Argument.Number(type, value));
    } else {
      String block =
          names.computeIfAbsent(
              List.of("constants"),
              _ -> {
                parameters.add(new Parameter(Parameter.Kind.CONSTANTS, "i64", "constants"));
                arguments.add(new Argument.Constants());
                return "constants";
              });
      String element = block + "[" + constants.add(value) + "]";
      String t = Literal.type(type);
      head.line("const " + t + " " + name + " = (" + t + ") " + element + ";");
    }
    return name;
  }

  /** The factor of type F32 or F64 as a constant. */
  String real(ScalarType type, double value) {
    return type == ScalarType.F64
        ? "F64_BITS(" + wide(Double.doubleToRawLongBits(value)) + ")"
        : "F32_BITS((i32) " + wide(Float.floatToRawIntBits((float) value)) + ")";
  }

  /** The pointer to a buffer argument; the same pointer for reads of the same buffer. */
  String memory(ScalarType storage, int buffer, boolean written) {
    return pointer(Literal.storage(storage), new Argument.Memory(buffer), written);
  }

  /** The pointer to a temporary buffer. */
  String scratch(String type, int number, boolean written) {
    return pointer(type, new Argument.Scratch(number), written);
  }

  private String pointer(String type, Argument argument, boolean written) {
    return names.computeIfAbsent(
        List.of(type, argument, written),
        _ -> {
          String pointer = "m" + parameters.size();
          Parameter.Kind kind = written ? Parameter.Kind.WRITTEN : Parameter.Kind.READ;
          parameters.add(new Parameter(kind, type, pointer));
          arguments.add(argument);
          return pointer;
        });
  }

  /** A launch scalar. */
  String scalar(ScalarType type, int number) {
    return parameter(Literal.type(type), new Argument.Scalar(type, number));
  }

  private String parameter(String type, Argument argument) {
    return names.computeIfAbsent(
        List.of(type, argument),
        _ -> {
          String scalar = "s" + parameters.size();
          parameters.add(new Parameter(Parameter.Kind.NUMBER, type, scalar));
          arguments.add(argument);
          return scalar;
        });
  }

  /** A declaration at the start, such as memory of the group. */
  void declare(String line) {
    head.line(line);
  }

  List<Argument> arguments() {
    return arguments;
  }

  String name() {
    return name;
  }

  String text(Dialect dialect) {
    return dialect.entry(name, parameters, head.toString() + body);
  }
}
