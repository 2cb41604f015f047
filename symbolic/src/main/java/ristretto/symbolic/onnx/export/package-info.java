/** ONNX files: their parts, and the translation of expressions to ONNX operators. */
package ristretto.symbolic.onnx.export;
