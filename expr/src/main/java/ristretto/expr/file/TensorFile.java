package ristretto.expr.file;

import java.nio.file.Path;
import java.util.Map;

/**
 * A file of tensors that is open. Its headers are read and checked at once; elements are read when
 * they are asked for, so that nobody needs memory for more than the tensors themselves.
 */
public final class TensorFile implements AutoCloseable {
  private final InputFile input;
  private final Map<String, StoredTensor> tensors;
  private final Map<String, String> metadata;

  private TensorFile(TensorFormat format, InputFile input) {
    this.input = input;
    FileBytes file = input.bytes();
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
      default -> throw new AssertionError(format);
    }
  }

  /**
   * Opens a file; the ending of its name says which format it has.
   *
   * @throws ristretto.kernels.FileFormatException if the file is malformed
   * @throws ristretto.kernels.FileException if the file is not there or cannot be read
   */
  public static TensorFile open(Path path) {
    TensorFormat format = TensorFormat.of(path, "load");
    InputFile input = InputFile.open(path);
    try {
      return new TensorFile(format, input);
    } catch (RuntimeException | Error e) {
      input.close();
      throw e;
    }
  }

  /** Tensors by name, in the file's order; the one of a .npy file is named "". */
  public Map<String, StoredTensor> tensors() {
    return tensors;
  }

  /** The strings in a safetensors file's {@code __metadata__}; other formats have none. */
  public Map<String, String> metadata() {
    return metadata;
  }

  @Override
  public void close() {
    input.close();
  }
}
