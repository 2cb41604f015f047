/// Tensor files: NumPy's `.npy` and `.npz`, and safetensors.
///
/// Files come from anywhere, so readers trust nothing: each length, offset and product is checked
/// against what the file can hold before memory is asked for, and every flaw is one
/// [ristretto.kernels.FileFormatException] that names the file and the place. Files are read, not
/// mapped, as a mapped file that somebody cuts short ends the JVM; and they are written aside and
/// renamed, so that a crash leaves the old file or the new one.
package ristretto.expr.file;
