// Classifies spoken digits with a small convolutional network over time, trained on 600 utterances
// and tested on 180 utterances of other speakers. Each utterance is eight segments of 20 features
// (MFCCs), and windows slide over the segments.
//
// A report with learning curves, the confusion matrix and all numbers of the run is written to
// out/spoken-digits/index.html.
//
//   ./ristretto run examples/SpokenDigits.java [--data FILE.npz] [--out DIR] [--quick]

import module ristretto.symbolic;
import module ristretto.expr;
import static ristretto.expr.Ops.*;
import static ristretto.symbolic.Layers.*;
import ristretto.symbolic.Executor;

static final int TIMES = 8;
static final int FEATURES = 20;

void main(String[] args) {
  var options = Options.of(args);
  Variable<F32> x = Variable.input("x", F32, -1, TIMES * FEATURES);
  Variable<I32> y = Variable.input("y", I32, -1);
  // Features are channels, time is the axis that windows slide over.
  Variable<F32> seen = dropout(x, 0.2);
  Variable<F32> channels = permute(reshape(seen, -1, TIMES, FEATURES), 0, 2, 1);
  Variable<F32> c = relu(conv("conv", channels, 64, Window.of(3).padding(1)));
  Variable<F32> logits = dense("out", dropout(flatten(c), 0.5), 10);
  Variable<F32> loss = softmaxCrossEntropy(logits, y);

  try (var ctx = Context.open()) {
    var data = ctx.loadAll(options.data);
    Dataset train = Dataset.of(Map.of("x", data.get("x_train"), "y", data.get("y_train")));
    Dataset test = Dataset.of(Map.of("x", data.get("x_test"), "y", data.get("y_test")));
    int epochs = options.quick ? 5 : 20;
    var rate = Schedule.cosine(0.002, epochs * (train.size() / 50));
    var trainer =
        new Trainer(
            new Executor(ctx, 1, logits, loss), loss, Optimizer.adamW(rate, 0.9, 0.999, 1e-8, 0.3));
    trainer.metrics(new ConfusionMatrix(logits, y), Metric.topK(2, logits, y));
    trainer.validation(new Batcher(test, 180)).report("Spoken digits", options.out);
    long start = System.nanoTime();
    History history = trainer.train(new Batcher(train, 50).shuffled(1).dropLast(), epochs);
    double seconds = (System.nanoTime() - start) / 1e9;
    IO.println("report: " + options.out.resolve("index.html"));
    IO.println(
        String.format(
            Locale.ROOT,
            "result: test_accuracy=%.4f samples_per_second=%.0f",
            history.last("valid_accuracy"),
            epochs * train.size() / seconds));
  }
}

/// Parses --quick, --data FILE and --out DIR; other arguments end the program with exit code 2.
record Options(boolean quick, Path data, Path out) {
  static Options of(String[] args) {
    boolean quick = false;
    Path data = Path.of("examples", "data", "digits.npz");
    Path out = Path.of("out", "spoken-digits");
    for (int k = 0; k < args.length; k++) {
      if (args[k].equals("--quick")) {
        quick = true;
      } else if (args[k].equals("--data") && k + 1 < args.length) {
        data = Path.of(args[++k]);
      } else if (args[k].equals("--out") && k + 1 < args.length) {
        out = Path.of(args[++k]);
      } else {
        wrong("SpokenDigits takes --quick, --data FILE.npz and --out DIR; got " + args[k]);
      }
    }
    if (!Files.isReadable(data)) {
      wrong("cannot read " + data + "; run it in the repository's folder or give --data FILE.npz");
    }
    return new Options(quick, data, out);
  }

  private static void wrong(String message) {
    System.err.println(message);
    System.exit(2);
  }
}
