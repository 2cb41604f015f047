/** Import of ONNX models: {@link ristretto.onnx.Onnx#load}. */
package ristretto.onnx;
