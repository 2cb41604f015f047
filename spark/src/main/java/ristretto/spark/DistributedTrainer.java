package ristretto.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function2;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.functions;
import org.apache.spark.storage.StorageLevel;
import ristretto.expr.Context;
import ristretto.expr.measure.Progress;
import ristretto.kernels.FileException;
import ristretto.kernels.ShapeException;
import ristretto.spark.model.RowInput;
import ristretto.spark.slot.ClusterSettings;
import ristretto.spark.train.FlatTensors;
import ristretto.spark.train.OuterMomentum;
import ristretto.spark.train.Round;
import ristretto.spark.train.Shard;
import ristretto.spark.train.ShardMaker;
import ristretto.spark.train.ShardRounds;
import ristretto.spark.train.State;
import ristretto.spark.train.Trainee;
import ristretto.spark.train.Wire;
import ristretto.spark.train.Work;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.optim.Optimizer;
import ristretto.symbolic.optim.OuterStep;
import ristretto.symbolic.run.Graph;
import ristretto.symbolic.train.History;
import ristretto.symbolic.train.Trainer;

/**
 * Trains a symbolic model on a data frame, in parallel on shards of the rows. All shards start from
 * the same parameters, states and optimizer states, train some steps on their own, and are
 * averaged, weighted by their numbers of examples (local SGD). The result depends on the rows, the
 * number of shards and the seed: it has the same bits whichever executors run the shards, and if
 * tasks run again.
 *
 * <pre>{@code
 * var training =
 *     new DistributedTrainer(ctx, builder, () -> Optimizer.adam(0.001)).shards(8).batch(100);
 * training.trainer().validation(new Batcher(valid, 1000));
 * History history = training.train(frame, 10);
 * Dataset<Row> result = RistrettoSpark.predict(others, training.model(), "pixels");
 * }</pre>
 */
public final class DistributedTrainer {
  private final Context ctx;
  private final ModelBuilder builder;
  private final OptimizerBuilder optimizers;
  private final long seed;
  private final Network network;
  private final Executor executor;
  private final Optimizer optimizer;
  private final Trainer trainer;
  private final Map<String, List<String>> columns = new LinkedHashMap<>();
  private int shards = 1;
  private int batch = 64;
  private int steps;
  private Wire wire = Wire.F32;
  private OuterStep outer = new OuterStep(1, 0);
  private BadRows badRows = BadRows.FAIL;
  private String key = "";
  private Path folder;

  /** Creates a trainer with seed 0. */
  public DistributedTrainer(Context ctx, ModelBuilder builder, OptimizerBuilder optimizers) {
    this(ctx, builder, optimizers, 0);
  }

  /**
   * Creates a trainer, with a model on the driver that gets each average.
   *
   * @param ctx device of the driver, which validates
   * @param optimizers creates the optimizer in each process
   * @param seed seed of the initial parameters, of random numbers and of the order of rows
   */
  public DistributedTrainer(
      Context ctx, ModelBuilder builder, OptimizerBuilder optimizers, long seed) {
    this.ctx = ctx;
    this.builder = builder;
    this.optimizers = optimizers;
    this.seed = seed;
    this.network = builder.build();
    if (network.loss() == null) {
      throw new ShapeException(
          "[train] a model to be trained must have a loss; got none; build it with Network.of(loss,"
              + " outputs).");
    }
    this.executor = executor(ctx, network, seed);
    this.optimizer = optimizers.build();
    this.trainer = new Trainer(executor, network.loss(), optimizer);
  }

  private static Executor executor(Context ctx, Network network, long seed) {
    return new Executor(ctx, seed, variables(network).toArray(Variable<?>[]::new));
  }

  private static List<Variable<?>> variables(Network network) {
    List<Variable<?>> all = new ArrayList<>(List.of(network.loss()));
    all.addAll(network.outputs());
    return all;
  }

  /**
   * Names the columns that make the rows of an input; by default, an input has the column of its
   * name.
   *
   * @throws ShapeException if the model has no such input
   */
  public DistributedTrainer columns(String input, String... names) {
    input(input);
    columns.put(input, List.of(names));
    return this;
  }

  /** Sets the number of shards, which train at the same time; 1 by default. */
  public DistributedTrainer shards(int number) {
    shards = atLeast(1, "shards", number);
    return this;
  }

  /** Sets the number of rows of a batch of a shard; 64 by default. */
  public DistributedTrainer batch(int rows) {
    batch = atLeast(1, "rows of a batch", rows);
    return this;
  }

  /** Sets the number of steps between two averages; 0, the default, for one average an epoch. */
  public DistributedTrainer averageEvery(int number) {
    steps = atLeast(0, "steps between averages", number);
    return this;
  }

  /** Sends changes to the average in BF16 instead of values in F32: half of the bytes. */
  public DistributedTrainer halvedTraffic() {
    wire = Wire.BF16;
    return this;
  }

  /**
   * Applies an outer optimizer to averages: stochastic gradient descent with Nesterov momentum, as
   * in DiLoCo (Douillard et al., 2023), which recommends a rate of 0.7 and a momentum of 0.9.
   *
   * @throws ShapeException if the rate is not positive, or the momentum not from 0 to below 1
   */
  public DistributedTrainer outerMomentum(double rate, double momentum) {
    if (!(rate > 0) || !(momentum >= 0 && momentum < 1)) {
      throw new ShapeException(
          "[train] the outer rate must be positive, and the momentum from 0 to below 1; got %s and %s."
              .formatted(Double.toString(rate), Double.toString(momentum)));
    }
    outer = new OuterStep(rate, momentum);
    return this;
  }

  /** Sets the treatment of rows that are no input: {@link BadRows#NULL} leaves them out. */
  public DistributedTrainer badRows(BadRows treatment) {
    badRows = treatment;
    return this;
  }

  /**
   * Names a column whose values differ from row to row, by which rows are distributed to shards and
   * named in errors. By default, all used columns are compared.
   */
  public DistributedTrainer key(String column) {
    key = column;
    return this;
  }

  /**
   * Writes checkpoints, and continues from the last one, as {@link Trainer#checkpoints} does.
   *
   * @param folder folder of the driver
   */
  public DistributedTrainer checkpoints(Path folder) {
    this.folder = folder;
    trainer.checkpoints(folder);
    return this;
  }

  private static int atLeast(int least, String what, int number) {
    if (number < least) {
      throw new ShapeException(
          "[train] the number of %s must be at least %s; got %s."
              .formatted(what, Integer.toString(least), Integer.toString(number)));
    }
    return number;
  }

  /** Returns the trainer of the driver, for validation, metrics, reports and listeners. */
  public Trainer trainer() {
    return trainer;
  }

  /** Returns the model of the driver. */
  public Network network() {
    return network;
  }

  /** Returns the executor of the driver, which has the last average. */
  public Executor executor() {
    return executor;
  }

  /** Returns the model with the last average, for predictions. */
  public SparkModel model() {
    return SparkModel.symbolic(builder, executor);
  }

  /**
   * Returns an input of the driver's model, for metrics.
   *
   * @throws ShapeException if the model has no such input
   */
  public Variable<?> input(String name) {
    return executor.inputs().stream()
        .filter(v -> v.name().equals(name))
        .findFirst()
        .orElseThrow(() ->
            new ShapeException(
                "[train] an input must be one of the model's, %s; got '%s'; choose one of these."
                    .formatted(executor.inputs().stream().map(Variable::name).toList(), name)));
  }

  /**
   * Trains up to a total number of epochs, including those before a resumed checkpoint.
   *
   * @throws ShapeException if columns and inputs do not fit, or there are no rows
   * @throws ristretto.symbolic.train.NotFiniteException if a loss becomes NaN or infinite
   */
  public History train(Dataset<Row> frame, int epochs) {
    ClusterSettings.require("train", frame.sparkSession().sparkContext().conf());
    Dataset<Row> rows = distributed(frame);
    var spark =
        JavaSparkContext.fromSparkContext(
            ((org.apache.spark.sql.classic.SparkSession) frame.sparkSession()).sparkContext());
    ModelBuilder model = builder;
    OptimizerBuilder built = optimizers;
    long first = seed;
    ShardMaker maker = maker(rows, () -> inputs(model));
    maker.conversions();
    Function2<Integer, Iterator<InternalRow>, Iterator<Shard>> make =
        (number, partition) -> List.of(maker.make(number, partition)).iterator();
    spark.setCallSite("Ristretto: make shards");
    JavaRDD<Shard> data =
        ((org.apache.spark.sql.classic.Dataset<Row>) rows)
            .queryExecution()
            .toRdd()
            .toJavaRDD()
            .mapPartitionsWithIndex(make, true)
            .setName("shards")
            .persist(StorageLevel.MEMORY_AND_DISK());
    Broadcast<Work> work =
        spark.broadcast(
            new Work(UUID.randomUUID().toString(), on -> trainee(on, model, built, first)));
    try {
      long longest = longest(data);
      var rounds = new ShardRounds(spark, data, work, wire);
      var tensors = new FlatTensors(ctx, executor.trainedTensors(optimizer));
      OuterMomentum averaging =
          outer.isPlain()
              ? null
              : new OuterMomentum(
                  outer, tensors, executor.parameters().stream().map(Variable::name).toList());
      return trainer.train(
          (epoch, measures) -> epoch(rounds, tensors, averaging, epoch, (int) longest, measures),
          epochs);
    } finally {
      spark.clearCallSite();
      data.unpersist(false);
      work.destroy();
    }
  }

  /** Returns the inputs in the order of an executor's, without memory for the model. */
  private static List<RowInput> inputs(ModelBuilder builder) {
    return new Graph(variables(builder.build()))
        .of(Variable.Kind.INPUT).stream()
            .map(v -> new RowInput(v.name(), v.dtype(), v.dims()))
            .toList();
  }

  private static Trainee trainee(
      Context ctx, ModelBuilder builder, OptimizerBuilder optimizers, long seed) {
    Network built = builder.build();
    return new Trainee(ctx, executor(ctx, built, seed), built.loss(), optimizers.build());
  }

  private List<String> columns(Variable<?> input) {
    return columns.getOrDefault(input.name(), List.of(input.name()));
  }

  /** Distributes the rows to shards, in an order that depends on their values only. */
  private Dataset<Row> distributed(Dataset<Row> frame) {
    Set<String> needed = new LinkedHashSet<>();
    executor.inputs().forEach(v -> needed.addAll(columns(v)));
    if (!key.isEmpty()) {
      needed.add(key);
    }
    for (String name : needed) {
      if (!Arrays.asList(frame.columns()).contains(name)) {
        throw new ShapeException(
            "[train] a column must be one of the frame's, %s; got '%s'; name the columns of an input with columns(input, names)."
                .formatted(Arrays.toString(frame.columns()), name));
      }
    }
    Column[] order =
        (key.isEmpty() ? needed : Set.of(key)).stream().map(functions::col).toArray(Column[]::new);
    return frame
        .select(needed.stream().map(functions::col).toArray(Column[]::new))
        .repartition(shards, order)
        .sortWithinPartitions(order);
  }

  private ShardMaker maker(Dataset<Row> rows, ShardMaker.Inputs inputs) {
    List<String> names = Arrays.asList(rows.columns());
    List<int[]> numbers =
        executor.inputs().stream()
            .map(v -> columns(v).stream().mapToInt(names::indexOf).toArray())
            .toList();
    return new ShardMaker(
        inputs, rows.schema(), numbers, names.indexOf(key), badRows == BadRows.NULL);
  }

  /** Makes the shards, and returns the number of rows of the longest. */
  private long longest(JavaRDD<Shard> data) {
    List<long[]> sizes =
        ClusterSettings.run(
            "train", () -> data.map(shard -> new long[] {shard.rows(), shard.left()}).collect());
    long rows = sizes.stream().mapToLong(s -> s[0]).sum();
    long left = sizes.stream().mapToLong(s -> s[1]).sum();
    if (rows == 0) {
      throw new ShapeException(
          "[train] a frame must have rows to train on; got 0, and %s that are no input; give others."
              .formatted(Long.toString(left)));
    }
    return sizes.stream().mapToLong(s -> s[0]).max().getAsLong();
  }

  private void epoch(
      ShardRounds rounds,
      FlatTensors tensors,
      OuterMomentum outer,
      int epoch,
      int longest,
      Map<String, Double> measures) {
    if (outer != null && folder != null && epoch > 0) {
      outer.load(ctx, folder, epoch);
    }
    int batches = (longest + batch - 1) / batch;
    int every = steps == 0 ? batches : steps;
    int count = (batches + every - 1) / every;
    State state = tensors.get();
    double loss = 0;
    long examples = 0;
    try (var progress = Progress.onTerminal("epoch " + (epoch + 1), count)) {
      for (int from = 0; from < batches; from += every) {
        var round = new Round(seed, epoch, from, Math.min(batches, from + every), batch);
        ShardRounds.Result result = rounds.run(state, round);
        loss += result.loss();
        examples += result.examples();
        state = outer == null ? result.average() : outer.apply(state, result.average());
        double mean = loss / examples;
        progress.step(() -> String.format(Locale.ROOT, "loss %.4f", mean));
      }
    }
    tensors.set(state);
    measures.put("loss", loss / examples);
    if (outer != null && folder != null) {
      makeFolder();
      outer.save(ctx, folder, epoch + 1);
    }
  }

  private void makeFolder() {
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new FileException(
          "[train] the folder of checkpoints must be writable; got %s (%s); choose another."
              .formatted(folder, e.getMessage()),
          e);
    }
  }
}
