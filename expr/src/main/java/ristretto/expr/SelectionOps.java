package ristretto.expr;

/** Selection by mask and index, order statistics, histograms and segments. */
abstract class SelectionOps extends LambdaOps {
  SelectionOps() {}
}
