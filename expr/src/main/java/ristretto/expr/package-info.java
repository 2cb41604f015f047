/// Tensors, expressions and assignments: the public API. A [Context][ristretto.expr.Context]
/// creates tensors, [Ops][ristretto.expr.Ops] builds expressions of tensors, and
/// `ctx.assign(target, expr)` evaluates an expression. User-defined operators extend
/// [RExpr][ristretto.expr.RExpr] or [LExpr][ristretto.expr.LExpr].
package ristretto.expr;
