package ristretto.kernels.source;

import java.util.List;
import java.util.stream.Collectors;

/**
 * What differs between languages of the C family. Code is rendered in what they have in common, one
 * statement a line: variables have different names where one is visible from the other, what is
 * true or false has type {@code flag} and nothing else has, numbers become narrower by casts only,
 * there are no structures, and an element of memory that is written is a statement's left side. The
 * rest is a preamble of macros and types:
 *
 * <ul>
 *   <li>types {@code i8 u8 u16 i32 u32 i64 u64 f32 f64};
 *   <li>{@code KERNEL}, {@code FUNCTION} before definitions, {@code GLOBAL}, {@code LOCAL}, {@code
 *       CONSTANT} before what they qualify; {@code BARRIER} of a work group, for local and global
 *       memory;
 *   <li>{@code POINT(d)}, {@code GROUP(d)}, {@code LANE}: numbers of the work item, of its group,
 *       and within its group (dimension 0);
 *   <li>{@code I64(x)}: a literal; {@code I32_BITS(f32) F32_BITS(i32) I64_BITS(f64) F64_BITS(i64)}:
 *       the same bits as another type;
 *   <li>{@code NAME_f32} and {@code NAME_f64} for NAME among abs, fma, fmod, and the functions of
 *       {@link ristretto.kernels.scalar.Op} by their words, of which {@link
 *       ristretto.kernels.math.ExpandMath} leaves some.
 *   <li>{@code ALIGNED(n)} after {@code struct} or {@code LOCAL}, only for a {@link Target} with
 *       warps or vectors;
 *   <li>only for a target with warps: {@code SHUFFLE(x, lane, n)} and {@code SHUFFLE_DOWN(x, by,
 *       n)}, which are x of another one among n neighbours; {@code SIZE(d)}, {@code GROUPS(d)} and
 *       {@code POINTS(d)}: work items of a group, groups, and work items of all groups; {@code
 *       UNROLL} before a loop;
 *   <li>only for a target with vectors: {@code INDEPENDENT} before a loop whose rounds may run in
 *       any order or together; {@code ANY_ORDER} at the beginning of a block whose sum or product
 *       is one with those of other rounds in any order; the vectors' types, such as {@code f32x8},
 *       and {@code fma} for them.
 * </ul>
 */
public interface Dialect {
  /**
   * @param wide whether f64 may be used
   */
  String preamble(boolean wide);

  /** A parameter of an entry point. */
  record Parameter(Kind kind, String type, String name) {
    /** What a parameter is given. */
    public enum Kind {
      /** A pointer to elements of {@code type}, which are only read. */
      READ,
      /** One to elements that are written. */
      WRITTEN,
      /** A pointer to the block of constants. */
      CONSTANTS,
      NUMBER
    }
  }

  /** An entry point; {@code body} is indented once. */
  default String entry(String name, List<Parameter> parameters, String body) {
    String list =
        parameters.stream()
            .map(p ->
                switch (p.kind()) {
                  case READ -> "GLOBAL const " + p.type() + "* " + p.name();
                  case WRITTEN -> "GLOBAL " + p.type() + "* " + p.name();
                  case CONSTANTS -> "CONSTANT const " + p.type() + "* " + p.name();
                  case NUMBER -> "const " + p.type() + " " + p.name();
                })
            .collect(Collectors.joining(", "));
    return "KERNEL void " + name + "(" + list + ") {\n" + body + "}\n";
  }

  /**
   * The whole program.
   *
   * @param functions that the entry points call
   */
  default String program(boolean wide, String functions, List<String> entries) {
    var text = new StringBuilder(preamble(wide)).append(Prelude.text(wide)).append(functions);
    entries.forEach(entry -> text.append('\n').append(entry));
    return text.toString();
  }
}
