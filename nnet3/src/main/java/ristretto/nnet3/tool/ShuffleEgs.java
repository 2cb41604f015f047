package ristretto.nnet3.tool;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Copies examples in random order. */
final class ShuffleEgs implements Tool {
  private final Options options =
      new Options(
          "nnet3-shuffle-egs",
          """
          Copies examples in random order. All are in memory at once, unless there is a buffer.

          Usage:  nnet3-shuffle-egs [options] <egs-rspecifier> <egs-wspecifier>
          e.g.
          nnet3-shuffle-egs --srand=1 ark:train.egs ark:shuffled.egs
          """);
  private final Option<Integer> seed = options.integer("srand", 0, "Seed of the order");
  private final Option<Integer> buffer =
      options.integer(
          "buffer-size", 0, "Examples in memory at once, for less random an order; 0 for all");

  @Override
  public Options options() {
    return options;
  }

  @Override
  public Arguments arguments() {
    return new Arguments(2, 2);
  }

  @Override
  public int run(List<String> arguments, Log log) {
    var random = new Random(seed.get());
    if (buffer.get() < 0) {
      throw new UsageException(
          String.format(
              Locale.ROOT,
              "[options] --buffer-size must be 0 or more; got %d; leave it out for all.",
              buffer.get()));
    }
    int done = 0;
    try (var reader = Egs.reader(arguments.get(0));
        var writer = Egs.writer(arguments.get(1))) {
      var held = new ArrayList<Egs>();
      for (; reader.next(); done++) {
        if (buffer.get() == 0 || held.size() < buffer.get()) {
          held.add(Egs.at(reader));
        } else {
          held.set(random.nextInt(held.size()), Egs.at(reader)).writeTo(writer);
        }
      }
      Collections.shuffle(held, random);
      held.forEach(eg -> eg.writeTo(writer));
      if (done > 0) {
        writer.commit();
      }
    }
    log.info(
        "Shuffled order of %d neural-network training examples%s",
        done, buffer.get() > 0 ? " using a buffer (partial randomization)" : "");
    return done == 0 ? 1 : 0;
  }
}
