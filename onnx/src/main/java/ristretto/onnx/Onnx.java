package ristretto.onnx;

import java.nio.file.Path;
import ristretto.expr.Context;
import ristretto.onnx.file.Proto;
import ristretto.onnx.file.ProtoReader;
import ristretto.symbolic.onnx.OnnxException;

/** Import of ONNX files. */
public final class Onnx {
  /** Oldest operator set: since then, operands broadcast by one rule. */
  static final long OLDEST = 7;

  /** Newest operator set whose changes the import knows. */
  static final long NEWEST = 26;

  private Onnx() {}

  /**
   * Reads a model with its weights. Operator sets 7 to 26 of the standard domain are supported, and
   * functions of the file. External data must be in the model's folder.
   *
   * @throws ristretto.kernels.FileException if the file cannot be read, or is not an ONNX file
   * @throws OnnxException if the file needs another operator set, or contradicts itself; operators
   *     are checked when the model is first applied to inputs
   */
  public static Model load(Context ctx, Path file) {
    return load(ctx, ProtoReader.model(file), file.getFileName().toString());
  }

  /**
   * Reads a model from the content of a file, as {@link #load(Context, Path)} does. External data
   * are not available.
   *
   * @throws ristretto.kernels.FileException if the content is not that of an ONNX file
   * @throws OnnxException if the content needs another operator set or external data, or
   *     contradicts itself
   */
  public static Model load(Context ctx, byte[] file) {
    return load(ctx, ProtoReader.model(file), "the content");
  }

  private static Model load(Context ctx, Proto.Model model, String file) {
    long version = model.opsets().getOrDefault("", NEWEST);
    if (version < OLDEST || version > NEWEST) {
      throw new OnnxException(
          ("[onnx] the operator set must be one of %s to %s; got %s in %s; convert the model with"
                  + " onnx.version_converter, or export it for operator set 22.")
              .formatted(OLDEST, NEWEST, version, file));
    }
    return new Model(ctx, model);
  }
}
