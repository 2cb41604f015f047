/** Content of ONNX files, read with limits, so that a damaged file is an error and nothing else. */
package ristretto.onnx.file;
