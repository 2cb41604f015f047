/// Tensors as text, laid out as NumPy's `array2string` does.
package ristretto.expr.print;
