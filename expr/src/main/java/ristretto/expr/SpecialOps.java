package ristretto.expr;

/** Special functions of mathematics, element-wise. */
abstract class SpecialOps extends ElementwiseOps {
  SpecialOps() {}
}
