package ristretto.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;

class ClusterFilesTest {
  private static SparkSession spark;

  @TempDir private Path folder;

  @BeforeAll
  static void start() {
    spark = SparkSession.builder().master("local[1]").getOrCreate();
  }

  @AfterAll
  static void stop() {
    spark.stop();
  }

  @Test
  void tensorsComeBack() throws Exception {
    try (Context ctx = Context.open("cpu")) {
      Tensor<?> a = ctx.arange(Ops.F32, 6).reshape(2, 3);
      for (String name : List.of("a.npz", "a.safetensors", "a.NPZ")) {
        String path = "file:" + folder.resolve(name);
        ClusterFiles.saveAll(ctx, spark, path, Map.of("a", a));
        ClusterFiles.saveAll(ctx, spark, path, Map.of("a", a));
        Tensor<?> back = ClusterFiles.loadAll(ctx, spark, path).get("a");
        assertThat(back.toFloatArray()).isEqualTo(a.toFloatArray());
        assertThat(back.shape()).isEqualTo(a.shape());
        assertThat(ClusterFiles.bytes(spark, path))
            .isEqualTo(Files.readAllBytes(folder.resolve(name)));
      }
      try (var files = Files.list(folder)) {
        assertThat(files.map(f -> f.getFileName().toString()).filter(n -> n.endsWith(".part")))
            .isEmpty();
      }
    }
  }

  @Test
  void wrongFilesAreTold() {
    try (Context ctx = Context.open("cpu")) {
      String missing = folder.resolve("missing.npy").toString();
      assertThatThrownBy(() -> ClusterFiles.loadAll(ctx, spark, missing))
          .isInstanceOf(FileException.class)
          .hasMessageStartingWith("[spark] a file must be readable; got " + missing + " (")
          .hasMessageEndingWith("); check the address and the permissions.");
      assertThatThrownBy(
              () -> ClusterFiles.saveAll(ctx, spark, "a.txt", Map.of("a", ctx.zeros(Ops.F32, 1))))
          .isInstanceOf(FileFormatException.class)
          .hasMessage(
              "[spark] a file of tensors must end in .npy, .npz or .safetensors; got a.txt; rename"
                  + " it.");
    }
  }
}
