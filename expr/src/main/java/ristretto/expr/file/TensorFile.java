package ristretto.expr.file;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Map;
import ristretto.expr.option.TensorFormat;

/**
 * Open tensor file. Opening reads and checks the headers; elements are read on demand, so that
 * loading needs no memory besides that of the tensors.
 */
public final class TensorFile implements AutoCloseable {
  private final TensorFormat format;

  /** Closes the file; does nothing for a stream. */
  private final Runnable closing;

  private final Map<String, StoredTensor> tensors;
  private final Map<String, String> metadata;

  private TensorFile(TensorFormat format, FileBytes file, Runnable closing) {
    this.format = format;
    this.closing = closing;
    switch (format) {
      case NPY -> {
        Npy npy = Npy.read(file);
        tensors = Map.of("", npy.tensor(piece -> npy.forEach(file, piece)));
        metadata = Map.of();
      }
      case NPZ -> {
        tensors = Npz.read(file);
        metadata = Map.of();
      }
      case SAFETENSORS -> {
        Safetensors stored = Safetensors.read(file);
        tensors = stored.tensors();
        metadata = stored.metadata();
      }
      case PYTORCH -> {
        tensors = Torch.read(file);
        metadata = Map.of();
      }
      default -> throw new AssertionError(format);
    }
  }

  /**
   * Opens a file; the extension of its name selects the format.
   *
   * @throws ristretto.kernels.FileFormatException if the file is malformed
   * @throws ristretto.kernels.FileException if the file does not exist or cannot be read
   */
  public static TensorFile open(Path path) {
    return open(path, Formats.ofInput(path));
  }

  /**
   * Reads a stream to its end; its first bytes tell the format. Does not close it.
   *
   * @throws ristretto.kernels.FileFormatException if the content is malformed
   * @throws ristretto.kernels.FileException if the stream cannot be read
   */
  public static TensorFile read(InputStream in) {
    FileBytes content;
    try {
      content = StreamBytes.read(in);
    } catch (IOException e) {
      throw TensorFiles.failed("load", "a stream must be readable", e);
    }
    return new TensorFile(Formats.of(content), content, () -> {});
  }

  /** Opens a file of a known format, whatever its name. */
  static TensorFile open(Path path, TensorFormat format) {
    InputFile input = InputFile.open(path);
    try {
      return new TensorFile(format, input.bytes(), input::close);
    } catch (RuntimeException | Error e) {
      input.close();
      throw e;
    }
  }

  /** Tensors by name, in the file's order; the tensor of a .npy file is named "". */
  public Map<String, StoredTensor> tensors() {
    return tensors;
  }

  /** Strings in a safetensors file's {@code __metadata__}; empty for other formats. */
  public Map<String, String> metadata() {
    return metadata;
  }

  /**
   * Returns true if PyTorch's tools wrote the file: it is a .pt or .pth file, or safetensors with
   * {@code format: pt} in its metadata.
   */
  public boolean isPyTorch() {
    return format == TensorFormat.PYTORCH || "pt".equals(metadata.get("format"));
  }

  @Override
  public void close() {
    closing.run();
  }
}
