package ristretto.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import ristretto.expr.Context;
import ristretto.kernels.FileException;
import ristretto.kernels.ShapeException;
import ristretto.onnx.Onnx;
import ristretto.spark.model.ExecutorModel;
import ristretto.spark.model.OnnxModel;
import ristretto.spark.model.RowModel;
import ristretto.spark.plan.Prediction;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;

/**
 * Model that can be sent to the processes of a cluster: a description with weights, which each
 * process opens once for each task that it runs at a time.
 */
public final class SparkModel implements Prediction.Sent {
  private static final long serialVersionUID = 1L;

  /** Key of the model in the processes of the cluster. */
  private final String key = UUID.randomUUID().toString();

  /** Builder of a symbolic model; null for ONNX. */
  private final ModelBuilder builder;

  /** Weights of a symbolic model, or an ONNX file. */
  private final byte[] content;

  private SparkModel(ModelBuilder builder, byte[] content) {
    this.builder = builder;
    this.content = content;
  }

  /**
   * Reads the model of an ONNX file on the driver.
   *
   * @throws FileException if the file cannot be read
   */
  public static SparkModel onnx(Path file) {
    try {
      return onnx(Files.readAllBytes(file));
    } catch (IOException e) {
      throw new FileException(
          "[spark] the model must be readable; got %s: %s; correct the path."
              .formatted(file, e.getMessage()),
          e);
    }
  }

  /** Returns the model of an ONNX file, given its content. */
  public static SparkModel onnx(byte[] content) {
    return new SparkModel(null, content.clone());
  }

  /**
   * Returns a symbolic model with the current parameters and states of an executor.
   *
   * @param builder builds the model that the executor runs
   */
  public static SparkModel symbolic(ModelBuilder builder, Executor executor) {
    return new SparkModel(builder, Weights.of(executor));
  }

  @Override
  public String key() {
    return key;
  }

  @Override
  public RowModel open(Context ctx, List<String> outputs) {
    if (builder == null) {
      return new OnnxModel(ctx, Onnx.load(ctx, content), outputs);
    }
    List<Variable<?>> chosen = chosen(builder.build().outputs(), outputs);
    var executor = new Executor(ctx, chosen.toArray(Variable<?>[]::new));
    Weights.give(ctx, content, executor);
    return new ExecutorModel(executor, chosen);
  }

  private static List<Variable<?>> chosen(List<Variable<?>> all, List<String> names) {
    if (names.isEmpty()) {
      return List.of(all.get(0));
    }
    List<Variable<?>> chosen = new ArrayList<>();
    for (String name : names) {
      chosen.add(
          all.stream()
              .filter(v -> v.name().equals(name))
              .findFirst()
              .orElseThrow(() ->
                  new ShapeException(
                      "[predict] an output must be one of the model's, %s; got '%s'; choose one of these."
                          .formatted(all.stream().map(Variable::name).toList(), name))));
    }
    return chosen;
  }
}
