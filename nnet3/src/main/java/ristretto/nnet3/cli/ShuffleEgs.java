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

/** Copies examples in random order. */
final class ShuffleEgs<E extends Example<E>> extends Tool {
  ShuffleEgs(ExampleKind<E> kind) {
    super(
        kind.prefix() + "-shuffle-egs",
        """
        Copies examples in random order. Holds all examples in memory, unless --buffer-size is set.

        Usage:  PREFIX-shuffle-egs [options] <egs-rspecifier> <egs-wspecifier>
        e.g.
        PREFIX-shuffle-egs --srand=1 ark:train.egs ark:shuffled.egs
        """
            .replace("PREFIX", kind.prefix()),
        2,
        2);
    this.kind = kind;
  }

  private final ExampleKind<E> kind;

  private final Option<Integer> seed = options.integer("srand", 0, "Seed of the order");
  private final Option<Integer> buffer =
      options.integer(
          "buffer-size",
          0,
          "Number of examples in memory, for an approximately random order; 0 for all");

  @Override
  public int run(List<String> arguments, CommandLog log) {
    var random = new Random(seed.get());
    if (buffer.get() < 0) {
      throw new UsageException(
          String.format(
              Locale.ROOT,
              "[options] --buffer-size must be 0 or more; got %d; leave it out for all.",
              buffer.get()));
    }
    int done = 0;
    try (var reader = kind.reader(arguments.get(0));
        var writer = kind.writer(arguments.get(1))) {
      var held = new ArrayList<KeyedExample<E>>();
      for (; reader.next(); done++) {
        if (buffer.get() == 0 || held.size() < buffer.get()) {
          held.add(KeyedExample.at(reader));
        } else {
          held.set(random.nextInt(held.size()), KeyedExample.at(reader)).writeTo(writer);
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
