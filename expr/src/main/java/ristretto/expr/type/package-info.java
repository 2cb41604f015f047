/// Element types, [DType][ristretto.expr.type.DType] and its subclasses; extents,
/// [Shape][ristretto.expr.type.Shape] and, along one axis, [Slice][ristretto.expr.type.Slice];
/// [Value][ristretto.expr.type.Value], which has both, and the [Layout][ristretto.expr.type.Layout]
/// of a value in memory.
package ristretto.expr.type;
