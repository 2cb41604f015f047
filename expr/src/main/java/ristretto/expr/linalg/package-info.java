/// Linear algebra: solutions, factorizations, eigenvalues and functions of matrices. Factorizations
/// are operators that write all of their results to one piece of memory; results are views of it.
package ristretto.expr.linalg;
