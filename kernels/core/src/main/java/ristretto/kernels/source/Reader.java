package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.ScalarType;

/**
 * Access to the operands of a kernel at the point given by index variables: element indices, loads
 * and stores.
 */
final class Reader {
  private final Entry entry;
  private final Space space;
  private final long[] full;
  private final List<String> variables;

  /**
   * Index expressions by buffer and map. The buffer is part of the key, because equal maps of two
   * buffers are a coincidence of sizes and the text must not depend on sizes.
   */
  private final Map<List<Object>, String> places = new HashMap<>();

  /**
   * Creates a reader at one point.
   *
   * @param full the kernel's own extents
   * @param variables index variables of the dimensions of {@code space}
   */
  Reader(Entry entry, Space space, long[] full, List<String> variables) {
    this.entry = entry;
    this.space = space;
    this.full = full;
    this.variables = variables;
  }

  /**
   * Returns the value of the buffer's {@code map} at the point. Strides of 0 and 1 are part of the
   * text; others are constants.
   */
  String place(int buffer, Affine map) {
    return places.computeIfAbsent(List.of(buffer, map), _ -> sum(map, false));
  }

  private String sum(Affine map, boolean wide) {
    var terms = new ArrayList<String>();
    terms.add(wide ? entry.wide(map.offset()) : entry.constant(map.offset()));
    long[] strides = space.strides(map);
    for (int d = 0; d < strides.length; d++) {
      String variable = variables.get(d);
      if (strides[d] == 1) {
        terms.add(variable);
      } else if (strides[d] != 0) {
        String stride = wide ? entry.wide(strides[d]) : entry.constant(strides[d]);
        terms.add(variable + " * " + stride);
      }
    }
    return String.join(" + ", terms);
  }

  /** Returns the element index in the buffer, including the gathered index. */
  String element(Operand.Memory m) {
    if (m.gather().isEmpty()) {
      return place(m.buffer(), m.map());
    }
    Operand.Gather g = m.gather().get();
    String offset = gathered(g) + " * " + entry.constant(g.stride());
    return place(m.buffer(), m.map()) + " + " + offset;
  }

  /** Returns the gathered index; negative indices count from the end and are made positive. */
  String gathered(Operand.Gather g) {
    String k =
        entry.memory(g.storage(), g.buffer(), false) + "[" + place(g.buffer(), g.map()) + "]";
    String extent = entry.constant(g.extent());
    String index = "(" + entry.index() + ") " + k;
    return "(" + index + " < 0 ? " + index + " + " + extent + " : " + index + ")";
  }

  /** Returns the value of an input slot of the tape. */
  String input(Operand operand) {
    return switch (operand) {
      case Operand.Value v -> entry.scalar(v.type(), v.argument());
      case Operand.Index i -> "(" + Literal.type(i.type()) + ") (" + sum(i.map(), true) + ")";
      case Operand.Memory m -> {
        String load =
            widened(
                m.storage(), entry.memory(m.storage(), m.buffer(), false) + "[" + element(m) + "]");
        String inside = inside(m);
        yield inside.isEmpty() ? load : inside + " ? " + load + " : " + Literal.zero(m.type());
      }
    };
  }

  private String inside(Operand.Memory m) {
    var conditions = new ArrayList<String>();
    for (Operand.Bound b : m.bounds()) {
      if (Space.excludes(b, full[b.dim()])) {
        String i = variables.get(space.place(b.dim()));
        conditions.add(i + " >= " + entry.constant(b.from()));
        conditions.add(i + " < " + entry.constant(b.to()));
      }
    }
    return String.join(" && ", conditions);
  }

  /** Returns the current value of the element that a store will overwrite; no gather, no bounds. */
  String written(Operand.Memory m) {
    return widened(
        m.storage(), entry.memory(m.storage(), m.buffer(), true) + "[" + element(m) + "]");
  }

  /** Returns a statement that stores {@code value}, which has the compute type. */
  String store(Operand.Memory m, String value) {
    return "%s[%s] = %s;"
        .formatted(
            entry.memory(m.storage(), m.buffer(), true), element(m), narrowed(m.storage(), value));
  }

  static String widened(ScalarType storage, String element) {
    return switch (storage) {
      case F16 -> "f32_of_f16(" + element + ")";
      case BF16 -> "f32_of_bf16(" + element + ")";
      case U32 -> "(i64) " + element;
      default -> element;
    };
  }

  static String narrowed(ScalarType storage, String value) {
    return switch (storage) {
      case F16 -> "f16_of_f32(" + value + ")";
      case BF16 -> "bf16_of_f32(" + value + ")";
      case U8 -> "(u8) " + value;
      case I8 -> "(i8) " + value;
      case U16 -> "(u16) " + value;
      case I16 -> "(i16) " + value;
      case U32 -> "(u32) " + value;
      case BOOL, I32, I64, F32, F64 -> value;
      case U64 -> throw new AssertionError(storage);
    };
  }

  /**
   * Declares the indices of the point with row-major number {@code number} in a space of {@code
   * extents}, and returns their variables.
   */
  static List<String> unravel(Entry entry, Code code, String name, String number, long[] extents) {
    var variables = new ArrayList<String>();
    for (int d = 0; d < extents.length; d++) {
      variables.add(name + d);
    }
    if (extents.length == 1) {
      return List.of(number);
    }
    String rest = number;
    for (int d = extents.length - 1; d > 0; d--) {
      String extent = entry.constant(extents[d]);
      String next = name + "_" + d;
      code.line("const " + entry.index() + " " + next + " = " + rest + " / " + extent + ";");
      code.line(
          "const %s %s%s = %s - %s * %s;".formatted(entry.index(), name, d, rest, next, extent));
      rest = next;
    }
    if (extents.length > 1) {
      code.line("const " + entry.index() + " " + name + "0 = " + rest + ";");
    }
    return variables;
  }
}
