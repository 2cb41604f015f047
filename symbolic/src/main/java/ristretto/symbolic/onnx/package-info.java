/** Exchange of models in ONNX. */
package ristretto.symbolic.onnx;
