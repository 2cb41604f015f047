package ristretto.nnet3.cli;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.options.UsageException;
import ristretto.nnet3.cli.tool.ExampleKind;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.egs.Example;

/** Selects a random subset of examples. */
final class SubsetEgs<E extends Example<E>> extends Tool {
  SubsetEgs(ExampleKind<E> kind) {
    super(
        kind.prefix() + "-subset-egs",
        """
        Selects a number of examples at random, with equal probabilities. Holds only the selected
        examples in memory.

        Usage:  PREFIX-subset-egs [options] <egs-rspecifier> <egs-wspecifier>
        e.g.
        PREFIX-copy-egs ark:egs.1.ark ark:- | PREFIX-subset-egs --n=1000 ark:- ark:subset.egs
        """
            .replace("PREFIX", kind.prefix()),
        2,
        2);
    this.kind = kind;
  }

  private final ExampleKind<E> kind;

  private final Option<Integer> seed = options.integer("srand", 0, "Seed of the choice");
  private final Option<Integer> count = options.integer("n", 1000, "Number of examples to select");
  private final Option<Boolean> shuffle =
      options.bool("randomize-order", true, "Write them in random order");

  @Override
  public int run(List<String> arguments, CommandLog log) {
    if (count.get() < 1) {
      throw new UsageException(
          String.format(
              Locale.ROOT,
              "[options] --n must be at least 1; got %d; give a number of examples.",
              count.get()));
    }
    var random = new Random(seed.get());
    var taken = new ArrayList<KeyedExample<E>>();
    long read = 0;
    try (var reader = kind.reader(arguments.get(0));
        var writer = kind.writer(arguments.get(1))) {
      while (reader.next()) {
        read++;
        if (taken.size() < count.get()) {
          taken.add(KeyedExample.at(reader));
        } else {
          long place = random.nextLong(read);
          if (place < taken.size()) {
            taken.set((int) place, KeyedExample.at(reader));
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
        "Selected a subset of %d out of %d %s training examples", taken.size(), read, kind.words());
    return taken.isEmpty() ? 1 : 0;
  }
}
