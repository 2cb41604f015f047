/// Formulas of elements: an operation reads its operands by [Reads][ristretto.expr.formula.Reads],
/// combines them by the methods of [Scalar][ristretto.expr.formula.Scalar] and passes numbers that
/// change from launch to launch to a [ScalarSink][ristretto.expr.formula.ScalarSink].
package ristretto.expr.formula;
