package ristretto.spark;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.option.TensorFormat;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;

/** Files of the file systems that Spark reaches: {@code hdfs://}, {@code s3a://}, {@code file:}. */
public final class ClusterFiles {
  private ClusterFiles() {}

  /**
   * Reads all tensors of a file by name, as {@link Context#loadAll(java.nio.file.Path)} does.
   *
   * @param path address, or a path of the default file system
   * @throws FileFormatException if the file is malformed or holds an unsupported dtype
   * @throws FileException if the file cannot be read
   */
  public static Map<String, Tensor<?>> loadAll(Context ctx, SparkSession spark, String path) {
    try (InputStream in = open(spark, path)) {
      return ctx.loadAll(in);
    } catch (IOException e) {
      throw unreadable(path, e);
    }
  }

  /**
   * Returns the content of a file, for example that of an ONNX model.
   *
   * @param path address, or a path of the default file system
   * @throws FileException if the file cannot be read
   */
  public static byte[] bytes(SparkSession spark, String path) {
    try (InputStream in = open(spark, path)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw unreadable(path, e);
    }
  }

  private static InputStream open(SparkSession spark, String path) throws IOException {
    var file = new Path(path);
    return file.getFileSystem(spark.sparkContext().hadoopConfiguration()).open(file);
  }

  private static FileException unreadable(String path, IOException e) {
    return new FileException(
        "[spark] a file must be readable; got %s (%s); check the address and the permissions."
            .formatted(path, e.getMessage()),
        e);
  }

  /**
   * Writes tensors by name; the ending {@code .npy} (one tensor), {@code .npz} or {@code
   * .safetensors} selects the format. The file is written under another name and renamed, so that
   * it is complete or absent.
   *
   * @param path address, or a path of the default file system
   * @throws FileFormatException if the ending is another one
   * @throws FileException if the file cannot be written
   */
  public static void saveAll(
      Context ctx, SparkSession spark, String path, Map<String, ? extends Tensor<?>> tensors) {
    TensorFormat format = format(path);
    var file = new Path(path);
    var aside = new Path(path + ".part");
    try {
      FileSystem system = file.getFileSystem(spark.sparkContext().hadoopConfiguration());
      try {
        try (OutputStream out = system.create(aside, true)) {
          ctx.saveAll(out, format, tensors);
        }
        system.delete(file, false);
        if (!system.rename(aside, file)) {
          throw new IOException("it could not be renamed");
        }
      } finally {
        system.delete(aside, false);
      }
    } catch (IOException e) {
      throw new FileException(
          "[spark] a file must be writable; got %s (%s); check the address and the permissions."
              .formatted(path, e.getMessage()),
          e);
    }
  }

  private static TensorFormat format(String path) {
    String name = path.toLowerCase(Locale.ROOT);
    return Arrays.stream(TensorFormat.values())
        .filter(f -> f != TensorFormat.PYTORCH && f.endings().stream().anyMatch(name::endsWith))
        .findFirst()
        .orElseThrow(() ->
            new FileFormatException(
                "[spark] a file of tensors must end in .npy, .npz or .safetensors; got %s; rename it."
                    .formatted(path)));
  }
}
