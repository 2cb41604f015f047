package ristretto.expr.file;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import ristretto.kernels.FileFormatException;

/** Formats of tensor files, by file extension. */
enum TensorFormat {
  NPY(".npy"),
  NPZ(".npz"),
  SAFETENSORS(".safetensors"),
  PYTORCH(".pt", ".pth");

  private final List<String> endings;

  TensorFormat(String... endings) {
    this.endings = List.of(endings);
  }

  /** Returns the format of a file that is read. */
  static TensorFormat ofInput(Path path) {
    String name = name(path);
    for (TensorFormat format : values()) {
      if (format.endings.stream().anyMatch(name::endsWith)) {
        return format;
      }
    }
    throw new FileFormatException(
        ("[load] a tensor file must be named .npy, .npz, .safetensors, .pt or .pth; got %s; rename"
                + " it")
            .formatted(Excerpt.whole(path.toString())));
  }

  /** Returns the format of a file that is written. */
  static TensorFormat ofOutput(Path path) {
    String name = name(path);
    for (TensorFormat format : List.of(NPY, NPZ, SAFETENSORS)) {
      if (format.endings.stream().anyMatch(name::endsWith)) {
        return format;
      }
    }
    throw new FileFormatException(
        "[save] a tensor file must be named .npy, .npz or .safetensors; got %s; rename it"
            .formatted(Excerpt.whole(path.toString())));
  }

  private static String name(Path path) {
    Path file = path.getFileName();
    return file == null ? "" : file.toString().toLowerCase(Locale.ROOT);
  }
}
