package ristretto.nnet3.tool;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Selects a random subset of examples. */
final class SubsetEgs implements Tool {
  private final Options options =
      new Options(
          "nnet3-subset-egs",
          """
          Takes a number of examples at random, each with the same probability. No more than those
          are in memory.

          Usage:  nnet3-subset-egs [options] <egs-rspecifier> <egs-wspecifier>
          e.g.
          nnet3-copy-egs ark:egs.1.ark ark:- | nnet3-subset-egs --n=1000 ark:- ark:subset.egs
          """);
  private final Option<Integer> seed = options.integer("srand", 0, "Seed of the choice");
  private final Option<Integer> count = options.integer("n", 1000, "Number of examples to take");
  private final Option<Boolean> shuffle =
      options.bool("randomize-order", true, "Write them in random order");

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
    if (count.get() < 1) {
      throw new UsageException(
          String.format(
              Locale.ROOT,
              "[options] --n must be at least 1; got %d; give a number of examples.",
              count.get()));
    }
    var random = new Random(seed.get());
    var taken = new ArrayList<Egs>();
    long read = 0;
    try (var reader = Egs.reader(arguments.get(0));
        var writer = Egs.writer(arguments.get(1))) {
      while (reader.next()) {
        read++;
        if (taken.size() < count.get()) {
          taken.add(Egs.at(reader));
        } else {
          long place = random.nextLong(read);
          if (place < taken.size()) {
            taken.set((int) place, Egs.at(reader));
          }
        }
      }
      if (shuffle.get()) {
        Collections.shuffle(taken, random);
      }
      taken.forEach(eg -> eg.writeTo(writer));
      if (!taken.isEmpty()) {
        writer.commit();
      }
    }
    log.info(
        "Selected a subset of %d out of %d neural-network training examples", taken.size(), read);
    return taken.isEmpty() ? 1 : 0;
  }
}
