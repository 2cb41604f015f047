/** Evaluation of a graph for inputs of known shapes, which yields expressions. */
package ristretto.onnx.trace;
