package ristretto.nnet3.cli.tool;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.options.UsageException;
import ristretto.nnet3.egs.Example;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.RandomAccessTable;
import ristretto.nnet3.io.TableWriter;

/** Copies examples, whole or in part, to one archive or to several in turn. */
public abstract class CopyExamples<E extends Example<E>> extends Tool {
  private final ExampleKind<E> kind;

  protected CopyExamples(ExampleKind<E> kind) {
    super(
        kind.prefix() + "-copy-egs",
        """
        Copies examples to one or several archives, for example to convert between text and binary.

        Usage:  PREFIX-copy-egs [options] <egs-rspecifier> <egs-wspecifier1> [<egs-wspecifier2> ...]
        e.g.
        PREFIX-copy-egs ark:train.egs ark,t:text.egs
        or:
        PREFIX-copy-egs ark:train.egs ark:1.egs ark:2.egs
        See also: PREFIX-subset-egs, PREFIX-merge-egs, PREFIX-shuffle-egs
        """
            .replace("PREFIX", kind.prefix()),
        2,
        Integer.MAX_VALUE);
    this.kind = kind;
  }

  private final Option<Boolean> randomly =
      options.bool(
          "random", false, "Write each example to a random archive, not to the archives in turn");
  protected final Option<Integer> shift =
      options.integer(
          "frame-shift", 0, "Number added to all times, except those of an input named ivector");
  private final Option<Float> proportion =
      options.real(
          "keep-proportion",
          1,
          "Average number of copies per example; below 1, the probability of copying it");
  private final Option<Integer> seed = options.integer("srand", 0, "Seed of random choices");
  protected final Option<Integer> left =
      options.integer(
          "left-context", -1, "Input frames to keep before the output frames; -1 for all");
  protected final Option<Integer> right =
      options.integer(
          "right-context", -1, "Input frames to keep after the output frames; -1 for all");
  private final Option<String> weights =
      options.string("weights", "", "Rspecifier of weights of the output, by example");
  private final Option<String> names =
      options.string("outputs", "", "Rspecifier of new output names, by example");

  /**
   * Returns a function that selects a part of an example and shifts its times; it returns null to
   * leave an example out.
   */
  protected abstract UnaryOperator<E> select(Random random, CommandLog log);

  /** Returns an example whose output {@code output} has its weight multiplied by a factor. */
  protected abstract E weighted(E example, float factor);

  /** Returns an example whose output {@code output} has another name. */
  protected abstract E renamed(E example, String name);

  @Override
  public int run(List<String> arguments, CommandLog log) {
    if (!(proportion.get() >= 0)) {
      throw new UsageException(
          "[options] --keep-proportion must be 0 or more; got %s; give a number of copies."
              .formatted(proportion.get()));
    }
    var random = new Random(seed.get());
    UnaryOperator<E> select = select(random, log);
    List<TableWriter<E>> writers = new ArrayList<>();
    long read = 0;
    long written = 0;
    long errors = 0;
    try (var reader = kind.reader(arguments.get(0));
        var factors = table(weights.get(), Holder.FLOAT);
        var outputs = table(names.get(), Holder.TOKEN)) {
      for (String wspecifier : arguments.subList(1, arguments.size())) {
        writers.add(kind.writer(wspecifier));
      }
      for (; reader.next(); read++) {
        String key = reader.key();
        int copies = copies(random);
        if (factors != null && !factors.has(key) || outputs != null && !outputs.has(key)) {
          log.warning("No %s for example %s", lacks(factors, key) ? "weight" : "output", key);
          errors++;
          continue;
        }
        E example = reader.value();
        if (factors != null) {
          float factor = factors.get(key);
          example = weighted(example, factor);
        }
        if (outputs != null) {
          String name = outputs.get(key);
          example = renamed(example, name);
        }
        for (int c = 0; c < copies; c++) {
          E copy = select.apply(example);
          if (copy != null) {
            int at =
                randomly.get() ? random.nextInt(writers.size()) : (int) (written % writers.size());
            writers.get(at).write(key, copy);
            written++;
          }
        }
      }
      if (written > 0) {
        writers.forEach(TableWriter::commit);
      }
    } finally {
      writers.forEach(TableWriter::close);
    }
    log.info(
        "Read %d neural-network training examples, wrote %d, %d examples had errors.",
        read, written, errors);
    return written == 0 ? 1 : 0;
  }

  /** Returns a random number of copies with the mean {@code --keep-proportion}. */
  private int copies(Random random) {
    int whole = (int) Math.floor(proportion.get());
    return whole + (random.nextFloat() < proportion.get() - whole ? 1 : 0);
  }

  private static boolean lacks(RandomAccessTable<?> table, String key) {
    return table != null && !table.has(key);
  }

  private static <T> RandomAccessTable<T> table(String rspecifier, Holder<T> holder) {
    return rspecifier.isEmpty() ? null : RandomAccessTable.open(rspecifier, holder);
  }
}
