/// Unknown dimensions of shapes: polynomials over named unknowns, and handles that stand for them
/// in shapes.
package ristretto.expr.dim;
