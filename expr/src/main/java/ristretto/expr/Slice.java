package ristretto.expr;

/**
 * Selection along one axis in {@link Expr#slice}; created by {@code all()}, {@code range(...)},
 * {@code from(...)} and {@code at(k)} in {@link Ops}. NumPy's rules: stop is exclusive, negative
 * positions count from the end, ranges are clipped.
 *
 * @param start first position; null for the first element in the direction of the step
 * @param stop exclusive end position; null for the end of the axis in the direction of the step
 * @param step distance of consecutive positions, not 0; negative steps run backwards
 * @param drop true to select only the position {@code start} and drop the axis
 */
public record Slice(Long start, Long stop, long step, boolean drop) {}
