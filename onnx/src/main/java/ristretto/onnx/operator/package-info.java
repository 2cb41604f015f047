/** Operators of ONNX as expressions, by kind. */
package ristretto.onnx.operator;
