package ristretto.spark.nnet3;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import org.apache.spark.SparkEnv;
import org.apache.spark.SparkFiles;
import org.apache.spark.broadcast.Broadcast;
import ristretto.nnet3.fit.JobFiles;

/**
 * Files of the driver, which executors fetch when a job needs them, and keep in their work folder.
 *
 * @param contents content of each file
 */
record BroadcastFiles(Map<String, Broadcast<byte[]>> contents) implements JobFiles {
  @Override
  public Path copy(String file) {
    Broadcast<byte[]> content = contents.get(file);
    String application = SparkEnv.get().conf().getAppId();
    Path copy =
        Path.of(
            SparkFiles.getRootDirectory(), "ristretto-%s-%s".formatted(application, content.id()));
    try {
      if (!Files.exists(copy)) {
        // Other tasks of this process may copy the same file.
        Path aside = Files.createTempFile(copy.toAbsolutePath().getParent(), "ristretto", ".part");
        Files.write(aside, content.value());
        Files.move(
            aside, copy, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return copy;
  }
}
