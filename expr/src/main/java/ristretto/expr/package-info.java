/// Tensors, expressions and assignments: what a script imports. A [Context][ristretto.expr.Context]
/// makes tensors, [Ops][ristretto.expr.Ops] makes expressions of them, and `ctx.assign(target,
/// expr)` evaluates one. Own operators extend [RExpr][ristretto.expr.RExpr] or
/// [LExpr][ristretto.expr.LExpr].
package ristretto.expr;
