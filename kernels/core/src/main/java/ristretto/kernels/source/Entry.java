package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.source.Dialect.Parameter;
import ristretto.kernels.source.Routine.Argument;

/** One kernel function; a parameter is added when the body first uses its argument. */
final class Entry {
  final Code body = new Code(1);
  final Functions functions;

  /**
   * Limit on number parameters: drivers accept at least 1024 bytes of arguments, pointers included.
   */
  private static final int MOST_NUMBERS = 48;

  private final String name;
  private final List<Long> constants;
  private final boolean far;
  private final Map<List<Object>, String> names = new LinkedHashMap<>();
  private final List<Parameter> parameters = new ArrayList<>();
  private final List<Argument> arguments = new ArrayList<>();
  private final Code head = new Code(1);
  private int numbers;

  /**
   * Creates an entry without parameters.
   *
   * @param constants block of constants of the routine, to which the entry adds
   * @param far true if element indices need 64 bits
   */
  Entry(String name, List<Long> constants, Functions functions, boolean far) {
    this.name = name;
    this.constants = constants;
    this.functions = functions;
    this.far = far;
  }

  /** Type of element indices. */
  String index() {
    return far ? "i64" : "i32";
  }

  /**
   * Returns the name of a constant of the index type, passed as an argument so that the text does
   * not depend on its value.
   */
  String constant(long value) {
    return number(far ? ScalarType.I64 : ScalarType.I32, value);
  }

  /** Returns the name of a 64-bit constant, passed as an argument. */
  String wide(long value) {
    return number(ScalarType.I64, value);
  }

  /**
   * Adds a constant. The first ones are parameters, which compilers know no store can change; when
   * the argument space is used up, the others go to the block of constants.
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
      String element = block + "[" + constants.size() + "]";
      constants.add(value);
      String t = Literal.type(type);
      head.line("const " + t + " " + name + " = (" + t + ") " + element + ";");
    }
    return name;
  }

  /** Returns the expression of an F32 or F64 constant, passed as an argument by its bits. */
  String real(ScalarType type, double value) {
    return type == ScalarType.F64
        ? "F64_BITS(" + wide(Double.doubleToRawLongBits(value)) + ")"
        : "F32_BITS((i32) " + wide(Float.floatToRawIntBits((float) value)) + ")";
  }

  /** Returns the pointer to a buffer argument, one for all reads of the same buffer. */
  String memory(ScalarType storage, int buffer, boolean written) {
    return pointer(Literal.storage(storage), new Argument.Memory(buffer), written);
  }

  /** Returns the pointer to a temporary buffer. */
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

  /** Returns the name of a launch scalar. */
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

  /** Adds a declaration at the start, such as work-group memory. */
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
