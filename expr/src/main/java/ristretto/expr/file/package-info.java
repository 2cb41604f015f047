/// Tensor files: NumPy's `.npy` and `.npz`, safetensors, and PyTorch's `.pt` and `.pth`.
///
/// Files are untrusted input: each length, offset and product is checked against the size of the
/// file before memory is allocated, and every flaw throws a [ristretto.kernels.FileFormatException]
/// that names the file and the byte offset. Files are read, not mapped, because truncation of a
/// mapped file by another process crashes the JVM. Files are written under a temporary name and
/// renamed, so that a crash leaves the old or the new file.
package ristretto.expr.file;
