/** Files of the ONNX format: their parts, and expressions in terms of its operators. */
package ristretto.symbolic.onnx;
