package ristretto.kernels.source;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Differences between languages of the C family. Code is rendered in a common subset, one statement
 * per line: no variable shadows another, booleans have type {@code flag} and no other value has,
 * numbers are narrowed only by casts, there are no structures, and memory is written only by an
 * element on the left side of a statement. A preamble defines the rest as macros and types:
 *
 * <ul>
 *   <li>types {@code i8 u8 i16 u16 i32 u32 i64 u64 f32 f64};
 *   <li>qualifiers {@code KERNEL}, {@code FUNCTION} of definitions and {@code GLOBAL}, {@code
 *       LOCAL}, {@code CONSTANT} of memory; {@code BARRIER} of a work group, for local and global
 *       memory;
 *   <li>{@code POINT(d)}, {@code GROUP(d)}, {@code LANE}: indices of the work item, of its group,
 *       and of the work item within its group (dimension 0);
 *   <li>{@code I64(x)}: a literal; {@code I32_BITS(f32) F32_BITS(i32) I64_BITS(f64) F64_BITS(i64)}:
 *       reinterpretation of the bits as another type;
 *   <li>{@code NAME_f32} and {@code NAME_f64} for NAME among abs, fma, fmod, and the words of
 *       {@link ristretto.kernels.scalar.Op} functions that {@link
 *       ristretto.kernels.math.ExpandMath} does not expand;
 *   <li>{@code ALIGNED(n)} after {@code struct} or {@code LOCAL}, only for a {@link Target} with
 *       warps or vectors;
 *   <li>only for a target with warps: {@code SHUFFLE(x, lane, n)} and {@code SHUFFLE_DOWN(x, by,
 *       n)}, the value of x in another lane among n adjacent ones; {@code SIZE(d)}, {@code
 *       GROUPS(d)} and {@code POINTS(d)}: numbers of work items per group, of groups, and of work
 *       items in total; {@code UNROLL} before a loop;
 *   <li>only for a target with vectors: {@code INDEPENDENT} before a loop whose iterations may run
 *       in any order or concurrently; {@code ANY_ORDER} at the beginning of a block with a sum or
 *       product that may be reassociated across iterations; vector types, such as {@code f32x8},
 *       and {@code fma} of vectors.
 * </ul>
 */
public interface Dialect {
  /**
   * Text before the program: macros and types of this language.
   *
   * @param wide true if the program may use f64
   */
  String preamble(boolean wide);

  /** Parameter of an entry point. */
  record Parameter(Kind kind, String type, String name) {
    /** Kind of argument that a parameter receives. */
    public enum Kind {
      /** Pointer to elements of {@code type} that are only read. */
      READ,
      /** Pointer to elements of {@code type} that are written. */
      WRITTEN,
      /** Pointer to the block of constants. */
      CONSTANTS,
      NUMBER
    }
  }

  /** Formats an entry point; {@code body} is indented by one level. */
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
   * Assembles the program.
   *
   * @param functions text of the functions that the entry points call
   */
  default String program(boolean wide, String functions, List<String> entries) {
    var text = new StringBuilder(preamble(wide)).append(Prelude.text(wide)).append(functions);
    entries.forEach(entry -> text.append('\n').append(entry));
    return text.toString();
  }
}
