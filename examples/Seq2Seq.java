// Translates dates in everyday notations ("3rd of March 2021", "Mar 3, 21") to "2021-03-03",
// letter by letter: a bidirectional encoder, a decoder, and attention from each output letter to
// the input letters (Bahdanau et al., 2015; Luong et al., 2015).
//
//   ./ristretto run examples/Seq2Seq.java [--quick] [--seed N]

import module ristretto.expr;
import module ristretto.symbolic;
import static ristretto.expr.Ops.*;
import static ristretto.symbolic.Layers.*;
import java.time.LocalDate;
import ristretto.symbolic.Executor;

static final String LETTERS = " ,./-0123456789abcdefghijklmnopqrstuvwxyz";
static final String START = "^";
static final String WRITTEN = START + "-0123456789";
static final int LONGEST = 30;
static final int OUT = 10;
static final int HIDDEN = 64;
static final int BATCH = 64;
static final int TEST = 1000;

/// Input and output text of a date.
record Example(String read, String written) {
  static Example of(SplittableRandom random) {
    var date = LocalDate.of(1950, 1, 1).plusDays(random.nextInt(36_525));
    int day = date.getDayOfMonth();
    String month = date.getMonth().name().toLowerCase(Locale.ROOT);
    String shortMonth = month.substring(0, 3);
    int year = date.getYear();
    String th =
        day
            + (day / 10 == 1
                ? "th"
                : List.of("th", "st", "nd", "rd").get(day % 10 < 4 ? day % 10 : 0));
    String read =
        switch (random.nextInt(8)) {
          case 0 -> String.format(Locale.ROOT, "%d %s %d", day, month, year);
          case 1 -> String.format(Locale.ROOT, "%s %d, %d", month, day, year);
          case 2 -> String.format(Locale.ROOT, "%s of %s %d", th, month, year);
          case 3 -> String.format(Locale.ROOT, "%s %s, %d", shortMonth, th, year);
          case 4 -> String.format(Locale.ROOT, "%d.%d.%d", day, date.getMonthValue(), year);
          case 5 -> String.format(Locale.ROOT, "%02d/%02d/%d", date.getMonthValue(), day, year);
          case 6 -> String.format(Locale.ROOT, "%d %s. %d", day, shortMonth, year);
          default ->
              String.format(
                  Locale.ROOT,
                  "%s, %s %s %d",
                  date.getDayOfWeek().name().toLowerCase(Locale.ROOT),
                  th,
                  shortMonth,
                  year);
        };
    return new Example(read, date.toString());
  }
}

void main(String[] args) {
  var options = Options.of(args);
  try (var ctx = Context.open()) {
    var model = new Model(ctx, options.seed);
    var random = new SplittableRandom(options.seed);
    int steps = options.quick ? 20 : 1000;
    Optimizer optimizer =
        Optimizer.adamW(Schedule.cosine(0.003, steps), 0.9, 0.999, 1e-8, 0).clip(1);
    long start = System.nanoTime();
    for (int k = 1; k <= steps; k++) {
      model.give(ctx, Stream.generate(() -> Example.of(random)).limit(BATCH).toList());
      model.executor.step(model.loss, optimizer);
      if (k % (steps / 10) == 0) {
        IO.println(
            String.format(
                Locale.ROOT, "step %4d  loss %.4f", k, model.executor.tensor(model.loss).item()));
      }
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    // The test set has other seeds; some of its dates may also occur in training.
    var unseen = new SplittableRandom(options.seed + 1);
    var test =
        Stream.generate(() -> Example.of(unseen)).limit(options.quick ? BATCH : TEST).toList();
    List<String> translated = model.translate(ctx, test);
    int right = 0;
    for (int k = 0; k < test.size(); k++) {
      right += translated.get(k).equals(test.get(k).written) ? 1 : 0;
      if (k < 5) {
        IO.println("%-32s %s".formatted(test.get(k).read, translated.get(k)));
      }
    }
    IO.println(
        String.format(
            Locale.ROOT,
            "result: exact_match=%.4f samples_per_second=%.0f",
            (double) right / test.size(),
            steps * BATCH / seconds));
  }
}

static class Model {
  final Variable<I32> letters = Variable.input("letters", I32, LONGEST, -1);
  final Variable<I32> lengths = Variable.input("lengths", I32, -1);

  /// Decoder input: the target text shifted by one letter, so that each letter is predicted from
  /// the letters before.
  final Variable<I32> before = Variable.input("before", I32, -1, OUT);

  final Variable<I32> wanted = Variable.input("wanted", I32, -1, OUT);
  final Variable<F32> loss;
  final Executor executor;
  final Decoding<F32> writer;

  Model(Context ctx, long seed) {
    Variable<F32> read = embedding("read", letters, LETTERS.length(), 32);
    var encoder =
        Recurrent.of(Cell.gru(), HIDDEN).bidirectional().lengths(lengths).over("encoder", read);

    // The last outputs of both directions are the initial state of the decoder.
    Variable<F32> last = permute(encoder.last().get(0), 1, 0, 2);
    Variable<F32> first = tanh(dense("first", reshape(last, -1, 2 * HIDDEN), HIDDEN));
    var decoder =
        Decoder.of("decoder", Cell.gru(), HIDDEN, WRITTEN.length())
            .width(16)
            .reading(encoder.outputs(), lengths, List.of(unsqueeze(first, 0)));
    loss = softmaxCrossEntropy(decoder.scores(before), wanted);
    executor = new Executor(ctx, seed, loss);
    writer = decoder.use(executor);
  }

  /// Sets a batch of training examples as inputs.
  void give(Context ctx, List<Example> examples) {
    int n = examples.size();
    var before = new int[n * OUT];
    var wanted = new int[n * OUT];
    for (int k = 0; k < n; k++) {
      before[k * OUT] = WRITTEN.indexOf(START);
      for (int t = 0; t < OUT; t++) {
        int letter = WRITTEN.indexOf(examples.get(k).written.charAt(t));
        wanted[k * OUT + t] = letter;
        if (t + 1 < OUT) {
          before[k * OUT + t + 1] = letter;
        }
      }
    }
    read(ctx, executor, examples);
    executor.set(this.before, ctx.tensor(before, n, OUT));
    executor.set(this.wanted, ctx.tensor(wanted, n, OUT));
  }

  private void read(Context ctx, Executor by, List<Example> examples) {
    int n = examples.size();
    var letters = new int[LONGEST * n];
    var lengths = new int[n];
    for (int k = 0; k < n; k++) {
      String text = examples.get(k).read;
      lengths[k] = text.length();
      for (int t = 0; t < text.length(); t++) {
        letters[t * n + k] = LETTERS.indexOf(text.charAt(t));
      }
    }
    by.set(this.letters, ctx.tensor(letters, LONGEST, n));
    by.set(this.lengths, ctx.tensor(lengths));
  }

  /// Translates by beam search with three beams.
  List<String> translate(Context ctx, List<Example> examples) {
    read(ctx, writer.reader(), examples);
    var texts = new ArrayList<String>();
    for (int[] written : writer.beam(3, WRITTEN.indexOf(START), -1, OUT)) {
      var text = new StringBuilder();
      for (int letter : written) {
        text.append(WRITTEN.charAt(letter));
      }
      texts.add(text.toString());
    }
    return texts;
  }
}

record Options(boolean quick, long seed) {
  static Options of(String[] args) {
    boolean quick = false;
    long seed = 1;
    for (int k = 0; k < args.length; k++) {
      if (args[k].equals("--quick")) {
        quick = true;
      } else if (args[k].equals("--seed") && k + 1 < args.length && args[k + 1].matches("\\d+")) {
        seed = Long.parseLong(args[++k]);
      } else {
        System.err.println("Seq2Seq takes --quick and --seed N; got " + args[k]);
        System.exit(2);
      }
    }
    return new Options(quick, seed);
  }
}
