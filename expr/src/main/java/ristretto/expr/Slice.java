package ristretto.expr;

/**
 * One axis of {@link Expr#slice}; made by {@code all()}, {@code range(...)}, {@code from(...)} and
 * {@code at(k)} in {@link Ops}. NumPy's rules: stop is exclusive, negative positions count from the
 * end, ranges are clipped.
 *
 * @param start the first position; null: the end of the axis that the step starts from
 * @param stop the position before which it ends; null: the other end of the axis
 * @param step from one position to the next, not 0; negative ones run backwards
 * @param drop the axis disappears: only the position {@code start} is taken
 */
public record Slice(Long start, Long stop, long step, boolean drop) {}
