// Language model: the LSTM of Zaremba, Sutskever and Vinyals (2014), in its three sizes. The
// default text is Psalms and Proverbs (King James version); --data names a folder with files in the
// format of the Penn Treebank: NAME.train.txt, NAME.valid.txt and NAME.test.txt.
//
// The text is split into 20 streams, and a batch has the next words of each; the final states of a
// batch are the initial states of the next. Perplexity is e to the mean negative log probability of
// the next word.
//
//   ./ristretto run examples/LanguageModel.java [--model small|medium|large] [--data DIR]
//       [--epochs N] [--seed N] [--quick]

import module ristretto.expr;
import module ristretto.symbolic;
import static ristretto.expr.Ops.*;
import static ristretto.symbolic.Layers.*;
import ristretto.symbolic.Executor;

static final int BATCH = 20;

/// Size of the model, with the training settings of the paper.
///
/// @param range largest magnitude of the initial weights
/// @param steady epochs with the initial learning rate; each later epoch divides it by `decay`
record Size(
    int hidden,
    int steps,
    int epochs,
    int steady,
    double decay,
    double dropout,
    double range,
    double clip) {
  static final Map<String, Size> ALL =
      Map.of(
          "small", new Size(200, 20, 13, 4, 2, 0, 0.1, 5),
          "medium", new Size(650, 35, 39, 6, 1.2, 0.5, 0.05, 5),
          "large", new Size(1500, 35, 55, 14, 1.15, 0.65, 0.04, 10),
          "quick", new Size(32, 10, 1, 4, 2, 0, 0.1, 5));
}

void main(String[] args) {
  var options = Options.of(args);
  Size size = options.size();
  Vocabulary vocabulary = Vocabulary.of(options.file("train"));
  try (var ctx = Context.open()) {
    var model = new Model(ctx, size, vocabulary.size(), options.seed);
    int[] train = vocabulary.read(options.file("train"));
    var training = new Text(train, size.steps);
    var validation = new Text(vocabulary.read(options.file("valid")), size.steps);
    var test = new Text(vocabulary.read(options.file("test")), size.steps);
    IO.println(String.format(Locale.ROOT, "%,d training words, %s", train.length, vocabulary));
    Optimizer optimizer = optimizer(size, training.batches());
    double seconds = 0;
    double perplexity = Double.NaN;
    int epochs = options.epochs > 0 ? options.epochs : size.epochs;
    for (int epoch = 0; epoch < epochs; epoch++) {
      long start = System.nanoTime();
      double learned = model.read(training, () -> model.executor.step(model.loss, optimizer));
      double time = (System.nanoTime() - start) / 1e9;
      seconds += time;
      perplexity = model.read(validation, model.executor::forward);
      IO.println(
          String.format(
              Locale.ROOT,
              "epoch %2d  perplexity %7.1f in training, %7.1f in validation  %,6.0f words/s",
              epoch + 1,
              learned,
              perplexity,
              training.words() / time));
    }
    IO.println(
        String.format(
            Locale.ROOT,
            "result: valid_perplexity=%.2f test_perplexity=%.2f words_per_second=%.0f",
            perplexity,
            model.read(test, model.executor::forward),
            epochs * training.words() / seconds));
  }
}

/// Gradient descent with a learning rate of 1 that decays after the steady epochs.
static Optimizer optimizer(Size size, long perEpoch) {
  double halvings = Math.log(size.decay) / Math.log(2);
  Schedule rate =
      step -> exp2(max(floor(step.div(perEpoch)).plus(1 - size.steady), 0.0).times(-halvings));
  return Optimizer.sgd(rate).clip(size.clip);
}

/// Batches of a text.
record Text(Batcher batcher, int steps) {
  Text(int[] words, int steps) {
    this(new Batcher(Dataset.contiguous(words, BATCH, steps), BATCH), steps);
  }

  long batches() {
    return batcher.batches();
  }

  double words() {
    return (double) batches() * BATCH * steps;
  }
}

/// Network of word embeddings, two LSTM layers, and a score for each possible next word.
static class Model {
  final Variable<I32> words = Variable.input("words", I32, BATCH, -1);
  final Variable<I32> next = Variable.input("next", I32, BATCH, -1);
  final Variable<F32> error;
  final Variable<F32> loss;
  final Executor executor;
  private final List<Variable<F32>> before;
  private final Recurrent.Result<F32> lstm;

  Model(Context ctx, Size size, int vocabulary, long seed) {
    int hidden = size.hidden;
    var range = Initializer.uniform(-size.range, size.range);
    Variable<F32> vectors = Variable.parameter("vectors", F32, range, vocabulary, hidden);
    Variable<F32> input =
        apply("words", F32, x -> take(x.get(vectors), x.get(words).t(), 0), vectors, words);
    before =
        List.of(
            Variable.input("output before", F32, 2, BATCH, hidden),
            Variable.input("cell before", F32, 2, BATCH, hidden));
    lstm =
        Recurrent.of(Cell.lstm(), hidden)
            .layers(2)
            .dropout(size.dropout)
            .initializer(range)
            .over("lstm", dropout(input, size.dropout), before);
    Variable<F32> top = reshape(dropout(lstm.outputs(), size.dropout), -1, hidden);
    Variable<F32> scores =
        dense(
            "scores",
            top,
            Variable.parameter("scores.weight", F32, range, hidden, vocabulary),
            Variable.parameter("scores.bias", F32, range, vocabulary));
    Variable<I32> wanted = apply("wanted", I32, x -> x.get(next).t().reshape(-1), next);
    error = softmaxCrossEntropy(scores, wanted);
    // As in the paper: the sum over the steps, the mean over the batch.
    loss = error.times(size.steps);
    executor = new Executor(ctx, seed, error, loss, lstm.last().get(0), lstm.last().get(1));
  }

  /// Reads a text from its beginning and returns the perplexity.
  double read(Text text, Runnable run) {
    for (Variable<F32> state : before) {
      executor.set(state, fill(F32, 0, state.dims().at(0), state.dims().at(1), state.dims().at(2)));
    }
    double sum = 0;
    for (Batch batch : text.batcher.epoch(0)) {
      batch.giveTo(executor, words);
      batch.giveTo(executor, next);
      run.run();
      sum += executor.tensor(error).item();
      for (int k = 0; k < before.size(); k++) {
        executor.set(before.get(k), executor.tensor(lstm.last().get(k)));
      }
    }
    return Math.exp(sum / text.batches());
  }
}

static class Options {
  private String model = "small";
  private Path data = Path.of("examples/data");
  private boolean quick;
  int epochs;
  long seed = 1;

  static Options of(String[] args) {
    var options = new Options();
    for (int k = 0; k < args.length; k++) {
      switch (args[k]) {
        case "--quick" -> options.quick = true;
        case "--model" -> options.model = value(args, ++k);
        case "--data" -> options.data = Path.of(value(args, ++k));
        case "--epochs" -> options.epochs = Integer.parseInt(value(args, ++k));
        case "--seed" -> options.seed = Long.parseLong(value(args, ++k));
        default ->
            wrong(
                "LanguageModel takes --quick, --model small|medium|large, --data DIR, --epochs N"
                    + " and --seed N; got "
                    + args[k]);
      }
    }
    if (!Size.ALL.containsKey(options.model)) {
      wrong("--model must be small, medium or large; got " + options.model);
    }
    return options;
  }

  private static String value(String[] args, int k) {
    if (k == args.length) {
      wrong(args[k - 1] + " needs a value");
    }
    return args[k];
  }

  Size size() {
    return Size.ALL.get(quick ? "quick" : model);
  }

  /// File of a part: train, valid or test.
  Path file(String part) {
    try (var files = Files.list(data)) {
      var found = files.filter(f -> f.toString().endsWith("." + part + ".txt")).sorted().toList();
      if (!found.isEmpty()) {
        return found.get(0);
      }
    } catch (IOException e) {
      wrong(
          "cannot read the folder "
              + data
              + "; run it in the repository's folder or give --data DIR");
    }
    wrong("there must be a file NAME." + part + ".txt; got none in " + data);
    return null;
  }

  private static void wrong(String message) {
    System.err.println(message);
    System.exit(2);
  }
}
