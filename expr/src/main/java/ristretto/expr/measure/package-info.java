/// Times of computations, and progress bars.
package ristretto.expr.measure;
