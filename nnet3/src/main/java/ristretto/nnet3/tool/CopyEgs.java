package ristretto.nnet3.tool;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.RandomAccessTable;
import ristretto.nnet3.io.TableWriter;

/** Copies examples, whole or in part, to one archive or to several in turn. */
final class CopyEgs implements Tool {
  private final Options options =
      new Options(
          "nnet3-copy-egs",
          """
          Copies examples, and so from text to binary or back; to several archives in turn.

          Usage:  nnet3-copy-egs [options] <egs-rspecifier> <egs-wspecifier1> [<egs-wspecifier2> ...]
          e.g.
          nnet3-copy-egs ark:train.egs ark,t:text.egs
          or:
          nnet3-copy-egs ark:train.egs ark:1.egs ark:2.egs
          See also: nnet3-subset-egs, nnet3-get-egs, nnet3-merge-egs, nnet3-shuffle-egs
          """);
  private final Option<Boolean> randomly =
      options.bool("random", false, "Choose archives at random, not in turn");
  private final Option<Integer> shift =
      options.integer(
          "frame-shift", 0, "Times become later by this, but for an input named ivector");
  private final Option<Float> proportion =
      options.real(
          "keep-proportion",
          1,
          "Copies of each example on average; below 1, the probability that it is copied");
  private final Option<Integer> seed =
      options.integer("srand", 0, "Seed of --random, --keep-proportion and --frame=random");
  private final Option<String> frame =
      options.string("frame", "", "The time of the one frame of output to keep, or 'random'");
  private final Option<Integer> left =
      options.integer("left-context", -1, "Frames of input to keep before the output's; -1: all");
  private final Option<Integer> right =
      options.integer("right-context", -1, "Frames of input to keep after the output's; -1: all");
  private final Option<String> weights =
      options.string("weights", "", "Rspecifier of factors for the output, by example");
  private final Option<String> names =
      options.string("outputs", "", "Rspecifier of new names for the output, by example");

  @Override
  public Options options() {
    return options;
  }

  @Override
  public Arguments arguments() {
    return new Arguments(2, Integer.MAX_VALUE);
  }

  @Override
  public int run(List<String> arguments, Log log) {
    if (!(proportion.get() >= 0)) {
      throw new UsageException(
          "[options] --keep-proportion must be 0 or more; got %s; give a number of copies."
              .formatted(proportion.get()));
    }
    var random = new Random(seed.get());
    var select = new SelectFrames(frame.get(), left.get(), right.get(), shift.get(), random, log);
    List<TableWriter<NnetExample>> writers = new ArrayList<>();
    long read = 0;
    long written = 0;
    long errors = 0;
    try (var reader = Egs.reader(arguments.get(0));
        var factors = table(weights.get(), Holder.FLOAT);
        var outputs = table(names.get(), Holder.TOKEN)) {
      for (String wspecifier : arguments.subList(1, arguments.size())) {
        writers.add(Egs.writer(wspecifier));
      }
      for (; reader.next(); read++) {
        String key = reader.key();
        int copies = copies(random);
        if (factors != null && !factors.has(key) || outputs != null && !outputs.has(key)) {
          log.warning("No %s for example %s", lacks(factors, key) ? "weight" : "output", key);
          errors++;
          continue;
        }
        NnetExample example = reader.value();
        if (factors != null) {
          float factor = factors.get(key);
          example = OutputOf.change(example, io -> io.scaled(factor));
        }
        if (outputs != null) {
          String name = outputs.get(key);
          example = OutputOf.change(example, io -> io.renamed(name));
        }
        for (int c = 0; c < copies; c++) {
          NnetExample copy = select.apply(example);
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
