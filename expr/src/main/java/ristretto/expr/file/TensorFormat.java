package ristretto.expr.file;

import java.nio.file.Path;
import java.util.Locale;
import ristretto.kernels.FileFormatException;

/** Formats of tensor files, by file extension. */
enum TensorFormat {
  NPY,
  NPZ,
  SAFETENSORS;

  static TensorFormat of(Path path, String operation) {
    Path file = path.getFileName();
    String name = file == null ? "" : file.toString().toLowerCase(Locale.ROOT);
    for (TensorFormat format : values()) {
      if (name.endsWith("." + format.name().toLowerCase(Locale.ROOT))) {
        return format;
      }
    }
    throw new FileFormatException(
        "[%s] a tensor file must be named .npy, .npz or .safetensors; got %s; rename it"
            .formatted(operation, Excerpt.whole(path.toString())));
  }
}
