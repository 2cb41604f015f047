package ristretto.symbolic.data.image;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import ristretto.expr.Ops;
import ristretto.expr.media.Pixels;
import ristretto.expr.type.Shape;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.data.Dataset;
import ristretto.symbolic.data.Draws;
import ristretto.symbolic.data.folder.ClassFolders;

/**
 * Images in folders, one folder for each class: field {@code image}, F32 {@code [3, height,
 * width]}, values from 0 to 1, and field {@code label}, I32, the number of the folder among all
 * folders in alphabetical order. Images are decoded (PNG, JPEG, GIF, BMP, TIFF; without alpha and
 * EXIF orientation) and changed as they are read:
 *
 * <pre>{@code
 * var train = ImageFolder.of(Path.of("train"), 32, 32).padded(4).flipped().jittered(0.2, 0.2, 0.2);
 * var test = ImageFolder.of(Path.of("test"), 32, 32).classes(train.classes());
 * try (var batches = new Batcher(train, 64).shuffled(1)) { ... }
 * }</pre>
 *
 * <p>Each image is stretched to the height and the width, by linear interpolation that averages
 * pixels where it shrinks. Random changes depend on the seed, the epoch and the example only. Files
 * whose names begin with a dot are ignored.
 */
public final class ImageFolder implements Dataset {
  private static final int MOST_EXTENT = 1 << 14;

  /** Limit of threads, each of which holds a batch. */
  private static final int MOST_LOADERS = 16;

  /** Number of the field with the class. */
  private static final int LABEL = 1;

  /** Presentation of the images. */
  private record Form(
      int height,
      int width,
      boolean grey,
      List<Double> means,
      List<Double> deviations,
      Variation variation,
      long seed,
      long epoch) {
    Form with(Variation other) {
      return new Form(height, width, grey, means, deviations, other, seed, epoch);
    }

    Form with(long otherSeed, long otherEpoch) {
      return new Form(height, width, grey, means, deviations, variation, otherSeed, otherEpoch);
    }

    int channels() {
      return grey ? 1 : Pixels.RGB;
    }
  }

  private final ClassFolders folders;
  private final Form form;

  private ImageFolder(ClassFolders folders, Form form) {
    this.folders = folders;
    this.form = form;
  }

  /**
   * Lists the images of a folder; none is decoded yet.
   *
   * @param root folder with a folder for each class
   * @throws FileException if a folder cannot be read
   * @throws FileFormatException if there is no class, or a class without an image
   */
  public static ImageFolder of(Path root, int height, int width) {
    if (height < 1 || width < 1 || height > MOST_EXTENT || width > MOST_EXTENT) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[images] height and width must be from 1 to %d; got %d x %d.",
              MOST_EXTENT,
              height,
              width));
    }
    var form = new Form(height, width, false, List.of(), List.of(), Variation.NONE, 0, 0);
    return new ImageFolder(ClassFolders.of("images", root), form);
  }

  private ImageFolder with(Form other) {
    return new ImageFolder(folders, other);
  }

  // Presentation

  /** Numbers the classes by a list, most often {@link #classes()} of the training data. */
  public ImageFolder classes(List<String> names) {
    return new ImageFolder(folders.numbered(names), form);
  }

  /** Reduces images to their luma, F32 {@code [1, height, width]}. */
  public ImageFolder grey() {
    if (!form.means.isEmpty()) {
      throw new ShapeException("[images] grey() must come before normalized(...).");
    }
    return with(
        new Form(
            form.height,
            form.width,
            true,
            form.means,
            form.deviations,
            form.variation,
            form.seed,
            form.epoch));
  }

  /**
   * Subtracts a mean from each channel and divides by a standard deviation.
   *
   * @throws ShapeException unless there is one of each for each channel
   */
  public ImageFolder normalized(List<Double> means, List<Double> deviations) {
    if (means.size() != form.channels()
        || deviations.size() != form.channels()
        || deviations.stream().anyMatch(d -> !(d > 0))) {
      throw new ShapeException(
          "[images] there must be a mean and a positive deviation for each of "
              + form.channels()
              + " channels; got "
              + means
              + " and "
              + deviations
              + ".");
    }
    return with(
        new Form(
            form.height,
            form.width,
            form.grey,
            List.copyOf(means),
            List.copyOf(deviations),
            form.variation,
            form.seed,
            form.epoch));
  }

  // Random changes

  /** Sets the seed of random changes; 0 by default. */
  public ImageFolder seed(long seed) {
    return with(form.with(seed, form.epoch));
  }

  /** Moves images by up to some pixels in each direction; what comes in is black. */
  public ImageFolder padded(int pixels) {
    if (pixels < 0 || pixels > MOST_EXTENT) {
      throw new ShapeException(
          "[images] padding must be from 0 to " + MOST_EXTENT + " pixels; got " + pixels + ".");
    }
    Variation v = form.variation;
    return with(
        form.with(
            new Variation(
                pixels, v.leastArea(), v.flip(), v.brightness(), v.contrast(), v.saturation())));
  }

  /**
   * Cuts a random section out of each image and stretches it to the full size: its share of the
   * area is from {@code leastArea} to 1, its ratio of width to height from 3/4 to 4/3.
   */
  public ImageFolder cropped(double leastArea) {
    if (!(leastArea > 0 && leastArea <= 1)) {
      throw new ShapeException(
          "[images] the least area must be above 0 and at most 1; got " + leastArea + ".");
    }
    Variation v = form.variation;
    return with(
        form.with(
            new Variation(
                v.padding(), leastArea, v.flip(), v.brightness(), v.contrast(), v.saturation())));
  }

  /** Mirrors half of the images, left to right. */
  public ImageFolder flipped() {
    Variation v = form.variation;
    return with(
        form.with(
            new Variation(
                v.padding(), v.leastArea(), true, v.brightness(), v.contrast(), v.saturation())));
  }

  /**
   * Multiplies brightness, contrast and saturation, in this order, by random factors from {@code 1
   * - x} (at least 0) to {@code 1 + x}.
   */
  public ImageFolder jittered(double brightness, double contrast, double saturation) {
    if (!(brightness >= 0 && contrast >= 0 && saturation >= 0)) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[images] changes of colours must be at least 0; got %s, %s and %s.",
              brightness,
              contrast,
              saturation));
    }
    Variation v = form.variation;
    return with(
        form.with(
            new Variation(v.padding(), v.leastArea(), v.flip(), brightness, contrast, saturation)));
  }

  // Examples

  /** Returns the names of the classes by their numbers. */
  public List<String> classes() {
    return folders.classes();
  }

  /** Returns the file of an example. */
  public Path file(long example) {
    return folders.items().get((int) example).file();
  }

  @Override
  public List<Field> fields() {
    return List.of(
        new Field("image", Ops.F32, Shape.of(form.channels(), form.height, form.width)),
        new Field("label", Ops.I32, Shape.SCALAR));
  }

  @Override
  public List<?> codes(int field) {
    return field == LABEL ? classes() : List.of();
  }

  @Override
  public long size() {
    return folders.items().size();
  }

  @Override
  public int loaders() {
    return Math.min(MOST_LOADERS, Runtime.getRuntime().availableProcessors());
  }

  @Override
  public Dataset epoch(long number) {
    return with(form.with(form.seed, number));
  }

  /**
   * {@inheritDoc}
   *
   * @throws FileException if the file cannot be read
   * @throws FileFormatException if the file is damaged, no image, or has more than 2^26 pixels
   */
  @Override
  public void read(int field, long example, MemorySegment to) {
    ClassFolders.Item item = folders.items().get((int) example);
    if (field == LABEL) {
      to.set(ValueLayout.JAVA_INT_UNALIGNED, 0, item.label());
      return;
    }
    float[] rgb =
        form.variation.apply(
            Pixels.read("images", item.file()).toRgb(),
            form.height,
            form.width,
            Draws.of(form.seed, form.epoch, example));
    int pixels = form.height * form.width;
    for (int k = 0; k < form.channels() * pixels; k++) {
      double v = form.grey ? Variation.grey(rgb, k) : rgb[k];
      if (!form.means.isEmpty()) {
        v = (v - form.means.get(k / pixels)) / form.deviations.get(k / pixels);
      }
      to.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, k, (float) v);
    }
  }

  /** Returns text like {@code 60000 images of 10 classes}. */
  @Override
  public String toString() {
    return folders.items().size() + " images of " + classes().size() + " classes";
  }
}
