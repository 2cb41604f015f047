package ristretto.expr.file;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import ristretto.expr.option.TensorFormat;
import ristretto.kernels.FileFormatException;

/** Recognition of the format of a tensor file, by its name or by its first bytes. */
final class Formats {
  private static final byte[] ZIP = {'P', 'K'};

  private Formats() {}

  /** Returns the format of a file that is read. */
  static TensorFormat ofInput(Path path) {
    return of(
        path,
        List.of(TensorFormat.values()),
        "[load] a tensor file must be named .npy, .npz,"
            + " .safetensors, .pt or .pth; got %s; rename it");
  }

  /** Returns the format of a file that is written. */
  static TensorFormat ofOutput(Path path) {
    return of(
        path,
        List.of(TensorFormat.NPY, TensorFormat.NPZ, TensorFormat.SAFETENSORS),
        "[save] a tensor file must be named .npy, .npz or .safetensors; got %s; rename it");
  }

  private static TensorFormat of(Path path, List<TensorFormat> formats, String rule) {
    Path file = path.getFileName();
    String name = file == null ? "" : file.toString().toLowerCase(Locale.ROOT);
    for (TensorFormat format : formats) {
      if (format.endings().stream().anyMatch(name::endsWith)) {
        return format;
      }
    }
    throw new FileFormatException(rule.formatted(Excerpt.whole(path.toString())));
  }

  /** Returns the format of content: zip archives are PyTorch's if they hold a pickle. */
  static TensorFormat of(FileBytes content) {
    if (Npy.looksLike(content)) {
      return TensorFormat.NPY;
    }
    if (content.startsWith(ZIP)) {
      return Torch.looksLike(content) ? TensorFormat.PYTORCH : TensorFormat.NPZ;
    }
    return TensorFormat.SAFETENSORS;
  }
}
