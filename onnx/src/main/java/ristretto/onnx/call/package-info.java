/** Call of an operator: its inputs, its attributes and its errors. */
package ristretto.onnx.call;
