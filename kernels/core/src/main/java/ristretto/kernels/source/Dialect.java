package ristretto.kernels.source;

/**
 * What differs between C-family languages, as a preamble of macros and types that all rendered code
 * uses:
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
 * </ul>
 */
public interface Dialect {
  /**
   * @param wide whether f64 may be used
   */
  String preamble(boolean wide);
}
