/// Tensors, expressions and assignments: what a script imports.
package ristretto.expr;
