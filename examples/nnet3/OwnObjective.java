// Trains a network for spoken digits with a user-defined objective: cross-entropy with label
// smoothing, where the class of a frame has a probability of nine tenths. The gradient is derived;
// the rest works like nnet3-train. Frames of other speakers measure the accuracy.
//
//   ./ristretto run examples/nnet3/OwnObjective.java [--quick] [--save FILE.raw]

import module ristretto.expr;
import module ristretto.nnet3;

static final String DIGITS = "examples/nnet3/digits/";
static final int CLASSES = 11;

void main(String[] args) throws Exception {
  boolean quick = List.of(args).contains("--quick");
  String config = Files.readString(Path.of(DIGITS + "final.config"));
  Nnet nnet = Nnet.fromConfig("final.config", config, 1);
  List<NnetExample> examples = examples("train", 8);
  try (Context context = Context.open()) {
    Objective smooth = (output, target) -> output.times(target.times(0.9).plus(0.1 / CLASSES));
    var trainer =
        new NnetTrainer(context, nnet, TrainingOptions.DEFAULT).objective("output", smooth);
    var random = new Random(1);
    int epochs = quick ? 1 : 4;
    for (int epoch = 0; epoch < epochs; epoch++) {
      trainer.learningRate((float) (0.001 * Math.pow(0.5, epoch)));
      Collections.shuffle(examples, random);
      minibatches(quick ? examples.subList(0, 2000) : examples, 64).forEach(trainer::train);
      ObjectiveTotals.Value value = trainer.totals().all().get("output");
      IO.println(
          String.format(Locale.ROOT, "after epoch %d: objective %.3f", epoch + 1, value.average()));
    }
    Nnet learned = trainer.nnet();
    if (args.length > 1 && args[args.length - 2].equals("--save")) {
      learned.save(args[args.length - 1], true);
    }
    IO.println(String.format(Locale.ROOT, "result: accuracy=%.3f", accuracy(context, learned)));
  }
}

/** Chunks of utterances, with eleven frames of context at both sides. */
List<NnetExample> examples(String set, int frames) {
  List<NnetExample> examples = new ArrayList<>();
  var chunker = new Chunker(ExampleGenerationOptions.of(frames, 11, 11), 0);
  var maker = new ExampleMaker(chunker, 0, true, (key, example) -> examples.add(example));
  try (var features =
          TableReader.open("ark:" + DIGITS + set + ".feats.ark", Holder.GENERAL_MATRIX);
      var classes =
          RandomAccessTable.open("ark:gunzip -c " + DIGITS + set + ".ali.txt.gz |", Holder.INTS)) {
    while (features.next()) {
      Posterior targets = Posterior.of(classes.get(features.key()));
      maker.accept(features.key(), features.value(), targets, CLASSES, null);
    }
  }
  return examples;
}

List<NnetExample> minibatches(List<NnetExample> examples, int size) {
  List<NnetExample> minibatches = new ArrayList<>();
  for (int k = 0; k + size <= examples.size(); k += size) {
    minibatches.add(NnetExample.merge(examples.subList(k, k + size)));
  }
  return minibatches;
}

/** The share of frames whose class gets the largest output. */
double accuracy(Context context, Nnet nnet) {
  long frames = 0;
  long right = 0;
  var computer = new OnlineComputer(context, nnet, 50, 1);
  try (var features = TableReader.open("ark:" + DIGITS + "test.feats.ark", Holder.MATRIX);
      var classes =
          RandomAccessTable.open("ark:gunzip -c " + DIGITS + "test.ali.txt.gz |", Holder.INTS)) {
    while (features.next()) {
      computer.accept(features.value());
      computer.finish();
      Matrix outputs = computer.outputs();
      int[] wanted = classes.get(features.key());
      for (int t = 0; t < outputs.rows(); t++) {
        float[] row = outputs.row(t);
        int best = 0;
        for (int k = 1; k < row.length; k++) {
          best = row[k] > row[best] ? k : best;
        }
        right += best == wanted[t] ? 1 : 0;
        frames++;
      }
      computer.reset();
    }
  }
  return (double) right / frames;
}
