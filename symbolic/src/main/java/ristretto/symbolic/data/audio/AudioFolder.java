package ristretto.symbolic.data.audio;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import ristretto.expr.Ops;
import ristretto.expr.file.Excerpt;
import ristretto.expr.media.Wav;
import ristretto.expr.type.Shape;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.data.Dataset;
import ristretto.symbolic.data.Draws;
import ristretto.symbolic.data.folder.ClassFolders;

/**
 * WAV files in folders, one folder for each class: field {@code audio}, F32 {@code [samples]}, the
 * mean of all channels from -1 to 1; field {@code label}, I32, the number of the folder among all
 * folders in alphabetical order; and field {@code steps}, I32, the number of samples. Files are
 * read when a batch needs them, and have unequal lengths unless {@link #cut} makes them equal.
 *
 * <pre>{@code
 * var train = AudioFolder.of(Path.of("train"));
 * var test = AudioFolder.of(Path.of("test")).classes(train.classes());
 * try (var batches = new Batcher(train, 16).shuffled(1).bucketed()) { ... }
 * }</pre>
 *
 * <p>All files have the same sample rate. Files whose names begin with a dot are ignored.
 */
public final class AudioFolder implements Dataset {
  /** Limit of threads, each of which holds a batch. */
  private static final int MOST_LOADERS = 16;

  /** Number of the field with the class. */
  private static final int LABEL = 1;

  private final ClassFolders folders;
  private final List<Wav> files;
  private final int longest;

  /** Samples of each example; 0 for all samples of its file. */
  private final int cut;

  /** Seed of random sections; null for the first samples. */
  private final Long seed;

  private final long epoch;

  private AudioFolder(ClassFolders folders, List<Wav> files, int cut, Long seed, long epoch) {
    this.folders = folders;
    this.files = files;
    this.longest = files.stream().mapToInt(Wav::samples).max().orElse(0);
    this.cut = cut;
    this.seed = seed;
    this.epoch = epoch;
  }

  /**
   * Lists the files of a folder and reads their headers.
   *
   * @param root folder with a folder for each class
   * @throws FileException if a file cannot be read
   * @throws FileFormatException if there is no class, or a class without a file, or a file is no
   *     WAV file of PCM or floating point, or sample rates differ
   */
  public static AudioFolder of(Path root) {
    ClassFolders folders = ClassFolders.of("audio", root);
    List<Wav> files = folders.items().stream().map(item -> Wav.of("audio", item.file())).toList();
    Wav first = files.get(0);
    for (Wav file : files) {
      if (file.rate() != first.rate()) {
        throw file.malformed(
            "all files must have the same sample rate",
            String.format(
                Locale.ROOT,
                "%d Hz in %s and %d Hz",
                first.rate(),
                Excerpt.whole(first.file().toString()),
                file.rate()));
      }
    }
    return new AudioFolder(folders, files, 0, null, 0);
  }

  /** Numbers the classes by a list, most often {@link #classes()} of the training data. */
  public AudioFolder classes(List<String> names) {
    return new AudioFolder(folders.numbered(names), files, cut, seed, epoch);
  }

  /** Cuts longer files to their first samples, and pads shorter ones with zeros at the end. */
  public AudioFolder cut(int samples) {
    if (samples < 1) {
      throw new ShapeException("[audio] there must be at least 1 sample; got " + samples + ".");
    }
    return new AudioFolder(folders, files, samples, null, epoch);
  }

  /**
   * Cuts longer files to random sections, which depend on the seed, the epoch and the example only,
   * and pads shorter ones with zeros at the end.
   */
  public AudioFolder cut(int samples, long seed) {
    return new AudioFolder(folders, files, cut(samples).cut, seed, epoch);
  }

  /** Returns the names of the classes by their numbers. */
  public List<String> classes() {
    return folders.classes();
  }

  /** Returns the sample rate in Hz. */
  public int rate() {
    return files.get(0).rate();
  }

  /** Returns the file of an example. */
  public Path file(long example) {
    return files.get((int) example).file();
  }

  @Override
  public List<Field> fields() {
    return List.of(
        new Field("audio", Ops.F32, Shape.of(cut == 0 ? longest : cut)),
        new Field("label", Ops.I32, Shape.SCALAR),
        new Field("steps", Ops.I32, Shape.SCALAR));
  }

  @Override
  public List<?> codes(int field) {
    return field == LABEL ? classes() : List.of();
  }

  @Override
  public long size() {
    return files.size();
  }

  @Override
  public boolean hasSteps(int field) {
    return field == 0 && cut == 0;
  }

  /** Returns the number of samples of an example, without padding. */
  @Override
  public long steps(long example) {
    int samples = files.get((int) example).samples();
    return cut == 0 ? samples : Math.min(samples, cut);
  }

  @Override
  public int loaders() {
    return Math.min(MOST_LOADERS, Runtime.getRuntime().availableProcessors());
  }

  @Override
  public Dataset epoch(long number) {
    return new AudioFolder(folders, files, cut, seed, number);
  }

  /**
   * {@inheritDoc}
   *
   * @throws FileException if the file cannot be read
   * @throws FileFormatException if the file has been shortened since it was listed
   */
  @Override
  public void read(int field, long example, MemorySegment to) {
    Wav file = files.get((int) example);
    int count = (int) steps(example);
    if (field > 0) {
      int label = folders.items().get((int) example).label();
      to.set(ValueLayout.JAVA_INT_UNALIGNED, 0, field == LABEL ? label : count);
      return;
    }
    int from = 0;
    if (seed != null && file.samples() > count) {
      from = Draws.of(seed, epoch, example).nextInt(file.samples() - count + 1);
    }
    MemorySegment.copy(file.read(from, count), 0, to, ValueLayout.JAVA_FLOAT_UNALIGNED, 0, count);
    to.asSlice((long) count * Float.BYTES).fill((byte) 0);
  }

  /** Returns text like {@code 3000 files of 10 classes, 8000 Hz}. */
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT, "%d files of %d classes, %d Hz", files.size(), classes().size(), rate());
  }
}
