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
import ristretto.nnet3.CompileSettings;
import ristretto.nnet3.decode.SplitOptions;
import ristretto.nnet3.decode.UtteranceJob;
import ristretto.nnet3.edit.EditLog;
import ristretto.nnet3.edit.NetworkEdits;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.network.SimpleContext;
import ristretto.onnx.Onnx;
import ristretto.spark.model.ExecutorModel;
import ristretto.spark.model.OnnxModel;
import ristretto.spark.model.RowModel;
import ristretto.spark.plan.Prediction;
import ristretto.spark.predict.NetworkModel;
import ristretto.spark.predict.OpenedModel;
import ristretto.spark.predict.TensorModel;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;

/**
 * Model that can be sent to the processes of a cluster: a description with weights, which each
 * process opens once for each task that it runs at a time.
 */
public final class SparkModel implements Prediction.Sent {
  private static final long serialVersionUID = 1L;

  /** Number of frames of a chunk of an utterance. */
  private static final int CHUNK = 50;

  /** Maximum number of compiled computations of a network. */
  private static final int COMPUTATIONS = 128;

  /** Key of the model in the processes of the cluster. */
  private final String key = UUID.randomUUID().toString();

  private final Kind kind;

  /** Builder of a symbolic model; else null. */
  private final ModelBuilder builder;

  /** Weights of a symbolic model, or the content of a file. */
  private final byte[] content;

  private enum Kind {
    SYMBOLIC,
    ONNX,
    NNET3
  }

  private SparkModel(Kind kind, ModelBuilder builder, byte[] content) {
    this.kind = kind;
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
    return new SparkModel(Kind.ONNX, null, content.clone());
  }

  /**
   * Returns a symbolic model with the current parameters and states of an executor.
   *
   * @param builder builds the model that the executor runs
   */
  public static SparkModel symbolic(ModelBuilder builder, Executor executor) {
    return new SparkModel(Kind.SYMBOLIC, builder, Weights.of(executor));
  }

  /**
   * Returns a network of Kaldi's nnet3, whose rows are utterances: a column of features, {@code
   * array<array<float>>}, and a column of i-vectors, {@code array<float>}, if the network needs
   * them. The output has the same type as features. Chunks and contexts are those of {@code
   * nnet3-compute} without options.
   *
   * @param rxfilename a {@code .raw} or {@code .mdl} file, as commands read it
   */
  public static SparkModel nnet3(String rxfilename) {
    Nnet nnet = Nnet.load(rxfilename);
    return new SparkModel(Kind.NNET3, null, KaldiOutput.bytes(true, nnet::write));
  }

  @Override
  public String key() {
    return key;
  }

  @Override
  public OpenedModel open(Context ctx, List<String> outputs) {
    return switch (kind) {
      case SYMBOLIC -> new TensorModel(symbolic(ctx, outputs));
      case ONNX -> new TensorModel(new OnnxModel(ctx, Onnx.load(ctx, content), outputs));
      case NNET3 -> network(ctx);
    };
  }

  private RowModel symbolic(Context ctx, List<String> outputs) {
    List<Variable<?>> chosen = chosen(builder.build().outputs(), outputs);
    var executor = new Executor(ctx, chosen.toArray(Variable<?>[]::new));
    Weights.give(ctx, content, executor);
    return new ExecutorModel(executor, chosen);
  }

  private OpenedModel network(Context ctx) {
    Nnet nnet;
    try (KaldiInput in = KaldiInput.of("the network", content)) {
      nnet = new NetworkEdits(Nnet.read(in), EditLog.NONE).prepareForTest().nnet();
    }
    SimpleContext context = SimpleContext.of(nnet);
    SplitOptions chunks = new SplitOptions(0, 0, -1, -1, 1, CHUNK).rounded(nnet.modulus());
    var job = new UtteranceJob(chunks, context, CompileSettings.DEFAULT, COMPUTATIONS);
    return new NetworkModel(nnet, job.computer(nnet, ctx));
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
