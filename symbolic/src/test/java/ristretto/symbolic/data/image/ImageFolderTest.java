package ristretto.symbolic.data.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;
import javax.imageio.ImageIO;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.RistrettoException;
import ristretto.kernels.ShapeException;
import ristretto.kernels.standin.Mutations;
import ristretto.symbolic.data.Batch;
import ristretto.symbolic.data.Batcher;
import ristretto.symbolic.data.Dataset;

class ImageFolderTest {
  @TempDir Path root;

  /** Image with red by column, green by row, and blue by a number. */
  private static BufferedImage image(int width, int height, int blue) {
    var image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
    for (int y = 0; y < height; y++) {
      for (int x = 0; x < width; x++) {
        image.setRGB(x, y, x * 10 << 16 | y * 10 << 8 | blue);
      }
    }
    return image;
  }

  private Path write(String name, String format, BufferedImage image) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    assertThat(ImageIO.write(image, format, file.toFile())).isTrue();
    return file;
  }

  private void some(int count, int width, int height) throws IOException {
    for (int k = 0; k < count; k++) {
      write((k % 2 == 0 ? "cat/" : "dog/") + (10 + k) + ".png", "png", image(width, height, k));
    }
  }

  private static float[] floats(Dataset data, long example) {
    var to = MemorySegment.ofArray(new float[(int) data.fields().get(0).shape().size()]);
    data.read(0, example, to);
    return to.toArray(ValueLayout.JAVA_FLOAT);
  }

  private static int label(Dataset data, long example) {
    var to = MemorySegment.ofArray(new int[1]);
    data.read(1, example, to);
    return to.get(ValueLayout.JAVA_INT_UNALIGNED, 0);
  }

  @Test
  void foldersAreClasses() throws IOException {
    some(5, 3, 2);
    Files.writeString(root.resolve("cat/.hidden"), "x");
    var folder = ImageFolder.of(root, 2, 3);
    assertThat(folder).hasToString("5 images of 2 classes");
    assertThat(folder.classes()).containsExactly("cat", "dog");
    Dataset some = folder.split(0.5, 1).get(0).mixup("label", 2, 0.2, 3);
    assertThat(List.copyOf(some.codes(1))).isEqualTo(List.of("cat", "dog"));
    assertThat(some.codes(0)).isEmpty();
    assertThat(folder.fields()).hasToString("[image f32[3,2,3], label i32[]]");
    assertThat(folder.file(1)).isEqualTo(root.resolve("cat/12.png"));
    assertThat(label(folder, 2)).isZero();
    assertThat(label(folder, 3)).isEqualTo(1);
    float[] x = floats(folder, 1);
    float[] expected = {0, 10, 20, 0, 10, 20, 0, 0, 0, 10, 10, 10, 2, 2, 2, 2, 2, 2};
    for (int k = 0; k < x.length; k++) {
      assertThat(x[k]).isCloseTo(expected[k] / 255, within(1e-6f));
    }
    var same = folder.classes(List.of("bird", "dog", "cat"));
    assertThat(label(same, 0)).isEqualTo(2);
    assertThatThrownBy(() -> folder.classes(List.of("dog")))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[images] folders must be classes of the list; got cat of "
                + root
                + ", which is not in [dog].");
  }

  @Test
  void pixelsAreAveragedWhereImagesShrink() throws IOException {
    some(1, 24, 24);
    float[] small = floats(ImageFolder.of(root, 4, 6), 0);
    // Away from the borders, the triangle is symmetric, so the average is the value at the centre.
    for (int y = 1; y < 3; y++) {
      for (int x = 1; x < 5; x++) {
        assertThat(small[y * 6 + x]).isCloseTo((4 * x + 1.5f) * 10 / 255, within(1e-5f));
        assertThat(small[24 + y * 6 + x]).isCloseTo((6 * y + 2.5f) * 10 / 255, within(1e-5f));
      }
    }
    float[] large = floats(ImageFolder.of(root, 48, 48), 0);
    assertThat(large[20 * 48 + 21]).isCloseTo(10.25f * 10 / 255, within(1e-5f));
    assertThat(large[0]).isZero();
  }

  @Test
  void greyImagesKeepTheirValues() throws IOException {
    for (int type : new int[] {BufferedImage.TYPE_BYTE_GRAY, BufferedImage.TYPE_USHORT_GRAY}) {
      var image = new BufferedImage(2, 1, type);
      int scale = type == BufferedImage.TYPE_BYTE_GRAY ? 1 : 257;
      image.getRaster().setSample(0, 0, 0, 100 * scale);
      image.getRaster().setSample(1, 0, 0, 200 * scale);
      write("a/x.png", "png", image);
      var folder = ImageFolder.of(root, 1, 2);
      for (Dataset data : new Dataset[] {folder, folder.grey()}) {
        assertThat(floats(data, 0)[0]).isCloseTo(100f / 255, within(1e-6f));
        assertThat(floats(data, 0)[1]).isCloseTo(200f / 255, within(1e-6f));
      }
      assertThat(folder.grey().fields().get(0)).hasToString("image f32[1,1,2]");
    }
  }

  @Test
  void otherFormats() throws IOException {
    for (String format : new String[] {"jpg", "gif", "bmp", "tiff"}) {
      write("a/x", format, image(16, 16, 50));
      float[] x = floats(ImageFolder.of(root, 16, 16), 0);
      assertThat(x[8 * 16 + 8]).as(format).isCloseTo(80f / 255, within(0.1f));
    }
  }

  @Test
  void channelsAreNormalized() throws IOException {
    some(1, 3, 2);
    var folder = ImageFolder.of(root, 2, 3);
    float[] x = floats(folder, 0);
    float[] y = floats(folder.normalized(List.of(0.5, 0.25, 0.0), List.of(2.0, 0.5, 1.0)), 0);
    assertThat(y[1]).isCloseTo((x[1] - 0.5f) / 2, within(1e-6f));
    assertThat(y[9]).isCloseTo((x[9] - 0.25f) / 0.5f, within(1e-6f));
    assertThat(y[17]).isEqualTo(x[17]);
    mistake(
        () -> folder.normalized(List.of(0.5), List.of(0.0)),
        "[images] there must be a mean and a positive deviation for each of 3 channels; got [0.5]"
            + " and [0.0].");
    mistake(
        () -> folder.normalized(List.of(0.0, 0.0, 0.0), List.of(1.0, 1.0, 1.0)).grey(),
        "[images] grey() must come before normalized(...).");
  }

  @Test
  void imagesAreMovedAndMirrored() throws IOException {
    some(1, 5, 4);
    var plain = ImageFolder.of(root, 4, 5);
    float[] x = floats(plain, 0);
    int mirrored = 0;
    for (int epoch = 0; epoch < 40; epoch++) {
      float[] y = floats(plain.flipped().epoch(epoch), 0);
      if (y[1] == x[3] && y[0] == x[4] && y[2] == x[2]) {
        mirrored++;
      } else {
        assertThat(y).isEqualTo(x);
      }
      float[] moved = floats(plain.padded(2).epoch(epoch), 0);
      // Rows 1 to 3 and columns 1 to 4 have other values than the padding.
      int dx = 9;
      int dy = 9;
      for (int a = -2; a <= 2; a++) {
        for (int b = -2; b <= 2; b++) {
          if (isMoved(x, moved, a, b)) {
            dx = a;
            dy = b;
          }
        }
      }
      assertThat(Math.max(Math.abs(dx), Math.abs(dy))).isLessThanOrEqualTo(2);
    }
    assertThat(mirrored).isBetween(8, 32);
  }

  private static boolean isMoved(float[] from, float[] to, int dx, int dy) {
    for (int c = 0; c < 3; c++) {
      for (int y = 0; y < 4; y++) {
        for (int x = 0; x < 5; x++) {
          boolean inside = x - dx >= 0 && x - dx < 5 && y - dy >= 0 && y - dy < 4;
          float expected = inside ? from[(c * 4 + y - dy) * 5 + x - dx] : 0;
          if (to[(c * 4 + y) * 5 + x] != expected) {
            return false;
          }
        }
      }
    }
    return true;
  }

  @Test
  void sectionsAndColoursVary() throws IOException {
    some(1, 20, 20);
    var plain = ImageFolder.of(root, 8, 8);
    var cropped = plain.cropped(0.3);
    var coloured = plain.jittered(0.5, 0.5, 0.5);
    var seen = new ArrayList<Float>();
    for (int epoch = 0; epoch < 20; epoch++) {
      float[] y = floats(cropped.epoch(epoch), 0);
      // Sections keep the slopes' signs, and are not steeper than the whole image.
      assertThat(y[7] - y[0]).isBetween(0.2f, 0.74f);
      seen.add(y[0]);
      for (float v : floats(coloured.epoch(epoch), 0)) {
        assertThat(v).isBetween(0f, 1f);
      }
    }
    assertThat(seen).doesNotHaveDuplicates();
    assertThat(floats(coloured.epoch(1), 0)).isNotEqualTo(floats(coloured.epoch(2), 0));
    assertThat(floats(plain.jittered(0, 0, 0), 0)).isEqualTo(floats(plain, 0));
  }

  @Test
  void theNumberOfThreadsChangesNothing() throws IOException {
    some(23, 12, 9);
    Dataset data =
        ImageFolder.of(root, 8, 8).seed(5).padded(1).cropped(0.5).flipped().jittered(0.1, 0.2, 0.3);
    Dataset mixed = data.mixup("label", 2, 0.3, 4);
    for (Dataset each : new Dataset[] {data, mixed}) {
      List<float[]> one = epoch(each, 1, 3);
      List<float[]> three = epoch(each, 3, 3);
      List<float[]> other = epoch(each, 1, 4);
      assertThat(one).hasSize(4);
      for (int k = 0; k < 4; k++) {
        assertThat(three.get(k)).isEqualTo(one.get(k)).isNotEqualTo(other.get(k));
      }
    }
  }

  private static List<float[]> epoch(Dataset data, int threads, long number) {
    var all = new ArrayList<float[]>();
    try (var batches = new Batcher(data, 6).shuffled(2).threads(threads)) {
      for (Batch batch : batches.epoch(number)) {
        all.add(batch.data("image").toArray(ValueLayout.JAVA_FLOAT));
      }
    }
    return all;
  }

  private static void mistake(ThrowingCallable call, String message) {
    assertThatThrownBy(call).isInstanceOf(ShapeException.class).hasMessage(message);
  }

  private static void refused(ThrowingCallable call, String message) {
    assertThatThrownBy(call).isInstanceOf(FileFormatException.class).hasMessage(message);
  }

  @Test
  void mistakesAreFound() throws IOException {
    refused(
        () -> ImageFolder.of(root, 8, 8),
        "[images] there must be a folder for each class; got none in " + root + ".");
    Path empty = Files.createDirectory(root.resolve("empty"));
    refused(
        () -> ImageFolder.of(root, 8, 8),
        "[images] a class must have a file; got an empty folder in " + empty + ".");
    Files.writeString(empty.resolve("x.png"), "no image");
    var folder = ImageFolder.of(root, 8, 8);
    refused(
        () -> floats(folder, 0),
        "[images] an image must be PNG, JPEG, GIF, BMP or TIFF; got other bytes in "
            + empty.resolve("x.png")
            + "; remove or convert the file.");
    Files.delete(empty.resolve("x.png"));
    assertThatThrownBy(() -> floats(folder, 0))
        .isInstanceOf(FileException.class)
        .hasMessage(
            "[images] the file must exist and be readable; got "
                + empty.resolve("x.png")
                + " (no such file); check the path.");
    Files.writeString(root.resolve("a.txt"), "text");
    refused(
        () -> ImageFolder.of(root, 8, 8),
        "[images] a folder of classes must have only folders; got the file a.txt in " + root + ".");
    assertThatThrownBy(() -> ImageFolder.of(root.resolve("none"), 8, 8))
        .isInstanceOf(FileException.class)
        .hasMessage(
            "[images] the folder must exist and be readable; got "
                + root.resolve("none")
                + " (NoSuchFileException); check the path.");
    mistake(
        () -> ImageFolder.of(root, 0, 8),
        "[images] height and width must be from 1 to 16384; got 0 x 8.");
    mistake(() -> folder.padded(-1), "[images] padding must be from 0 to 16384 pixels; got -1.");
    mistake(
        () -> folder.cropped(0), "[images] the least area must be above 0 and at most 1; got 0.0.");
    mistake(
        () -> folder.jittered(0, -1, 0),
        "[images] changes of colours must be at least 0; got 0.0, -1.0 and 0.0.");
  }

  @Test
  void hugeImagesAreRefused() throws IOException {
    Path file = write("a/x.png", "png", image(4, 4, 0));
    // The header names 40,000 x 40,000 pixels: a chunk's name, its data, and their checksum.
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
    bytes.putInt(16, 40_000).putInt(20, 40_000);
    var sum = new CRC32();
    sum.update(bytes.array(), 12, 17);
    bytes.putInt(29, (int) sum.getValue());
    Files.write(file, bytes.array());
    refused(
        () -> floats(ImageFolder.of(root, 8, 8), 0),
        "[images] an image must have at most 67108864 pixels; got 40000 x 40000 in "
            + file
            + "; remove or convert the file.");
  }

  @Test
  void damagedImagesAreRefusedOrRead() throws IOException {
    int rounds = Math.max(100, Integer.getInteger("ristretto.fuzz", 1000) / 10);
    for (String format : new String[] {"png", "jpg", "gif", "bmp", "tiff"}) {
      var out = new ByteArrayOutputStream();
      ImageIO.write(image(9, 7, 3), format, out);
      Path file = Files.createDirectories(root.resolve("a")).resolve("x");
      for (int seed = 0; seed < rounds; seed++) {
        Files.write(file, new Mutations(new Random(seed)).of(out.toByteArray()));
        try {
          floats(ImageFolder.of(root, 4, 4), 0);
        } catch (RistrettoException e) {
          assertThat(e).hasMessageStartingWith("[images] ");
          Mutations.checkMessage(e.getMessage());
        }
      }
    }
  }
}
