package ristretto.expr;

/**
 * One axis of {@link Expr#slice}; made by {@code all()}, {@code range(...)}, {@code from(...)} and
 * {@code at(k)} in {@link Ops}. NumPy's rules: stop is exclusive, negative positions count from the
 * end, ranges are clipped.
 *
 * @param start null: the end that the step starts from
 * @param stop null: open
 * @param drop the axis disappears (a single position)
 */
public record Slice(Long start, Long stop, long step, boolean drop) {}
