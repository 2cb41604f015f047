package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.I32;
import static ristretto.expr.Ops.U8;
import static ristretto.expr.Ops.bench;
import static ristretto.expr.Ops.progress;
import static ristretto.expr.Ops.sum;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.expr.Context;
import ristretto.expr.Sound;
import ristretto.expr.Tensor;
import ristretto.expr.measure.Timing;
import ristretto.expr.option.PrintOptions;
import ristretto.expr.option.WavFormat;
import ristretto.expr.type.F32;
import ristretto.expr.type.U8;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.RistrettoException;
import ristretto.kernels.ShapeException;

class MediaFileTest {
  private final Context ctx = TestDevice.open();

  @TempDir Path folder;

  @AfterEach
  void close() {
    ctx.close();
  }

  private Tensor<U8> pixels(int h, int w, int c) {
    byte[] values = new byte[h * w * c];
    for (int k = 0; k < values.length; k++) {
      values[k] = (byte) (7 * k);
    }
    return ctx.tensor(U8, MemorySegment.ofArray(values), h, w, c);
  }

  @Test
  void imagesReadBackEqual() {
    for (int channels : new int[] {1, 3, 4}) {
      Path file = folder.resolve("ü" + channels + ".png");
      Tensor<U8> image = pixels(5, 7, channels);
      ctx.writeImage(file, image);
      Tensor<U8> back = ctx.readImage(file);
      assertThat(back.shape()).isEqualTo(image.shape());
      assertThat(back.toByteArray()).isEqualTo(image.toByteArray());
      ctx.writeImage(file, image.permute(1, 0, 2));
      assertThat(ctx.readImage(file).toByteArray())
          .isEqualTo(ctx.eval(image.permute(1, 0, 2)).toByteArray());
    }
    Path grey = folder.resolve("GREY.PNG");
    ctx.writeImage(grey, ctx.tensor(new float[] {0, 0.5f / 255, 0.499f / 255, 1}, 2, 2));
    assertThat(ctx.readImage(grey).toByteArray()).containsExactly(0, 1, 0, (byte) 255);
    ctx.writeImage(grey, ctx.tensor(new boolean[] {true, false}, 1, 2));
    assertThat(ctx.readImage(grey).toByteArray()).containsExactly((byte) 255, 0);
    Path jpeg = folder.resolve("a.jpg");
    ctx.writeImage(jpeg, ctx.full(F32, 0.5, 16, 16, 3));
    Tensor<F32> back = ctx.eval(ctx.readImage(jpeg).cast(F32));
    assertThat(ctx.eval(sum(back)).item() / 768).isBetween(126.0, 130.0);
  }

  @Test
  void flawsOfImagesAreFound() throws IOException {
    Path png = folder.resolve("a.png");
    assertThatThrownBy(() -> ctx.writeImage(png, ctx.full(F32, 1.5, 2, 2)))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[writeImage] values must be from 0 to 1; got 1.5 in f32[2,2]; scale or clamp them.");
    assertThatThrownBy(() -> ctx.writeImage(png, ctx.full(I32, 256, 2, 2)))
        .hasMessage(
            "[writeImage] values must be from 0 to 255; got 256 in i32[2,2]; scale or clamp them.");
    assertThatThrownBy(() -> ctx.writeImage(png, ctx.zeros(F32, 2, 2, 2)))
        .hasMessage(
            "[writeImage] an image must be [height, width] or [height, width, channels] of 1, 3 or"
                + " 4 channels; got f32[2,2,2]; reshape or permute it.");
    Path gif = folder.resolve("a.gif");
    assertThatThrownBy(() -> ctx.writeImage(gif, ctx.zeros(F32, 2, 2)))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[writeImage] the name must end in .png, .jpg or .jpeg; got " + gif + "; rename it.");
    Path jpg = folder.resolve("a.jpg");
    assertThatThrownBy(() -> ctx.writeImage(jpg, pixels(2, 2, 4)))
        .hasMessage(
            "[writeImage] a JPEG file must have 1 or 3 channels; got 4 for "
                + jpg
                + "; write PNG, or slice the first three channels.");
    assertThat(folder.toFile().list()).isEmpty();
    Files.writeString(png, "no image");
    assertThatThrownBy(() -> ctx.readImage(png))
        .hasMessage(
            "[readImage] an image must be PNG, JPEG, GIF, BMP or TIFF; got other bytes in "
                + png
                + "; remove or convert the file.");
    assertThatThrownBy(() -> ctx.readImage(gif))
        .isInstanceOf(FileException.class)
        .hasMessage(
            "[readImage] the file must exist and be readable; got "
                + gif
                + " (no such file); check the path.");
  }

  @Test
  void soundReadsBackEqual() {
    float[] samples = {0, 0.5f, -1, -0.25f, 1, 0.75f};
    for (WavFormat format : WavFormat.values()) {
      Path file = folder.resolve(format + ".wav");
      ctx.writeWav(file, ctx.tensor(samples, 3, 2), 44_100, format);
      Sound sound = ctx.readWav(file);
      assertThat(sound.rate()).isEqualTo(44_100);
      assertThat(sound.samples().shape().toArray()).containsExactly(3, 2);
      float step = (float) Math.scalb(1.0, 1 - format.bits());
      float[] back = sound.samples().toFloatArray();
      for (int k = 0; k < samples.length; k++) {
        assertThat(Math.abs(back[k] - samples[k])).as("%s %s", format, k).isLessThanOrEqualTo(step);
      }
    }
    Path mono = folder.resolve("mono.wav");
    ctx.writeWav(mono, ctx.tensor(new float[] {0.5f, -0.5f, 0.25f}), 8000);
    assertThat(ctx.readWav(mono).samples().toFloatArray()).containsExactly(0.5f, -0.5f, 0.25f);
    assertThat(ctx.readWav(mono).seconds()).isEqualTo(3 / 8000.0);
  }

  @Test
  void flawsOfSoundAreFound() throws IOException {
    Path file = folder.resolve("a.wav");
    assertThatThrownBy(() -> ctx.writeWav(file, ctx.tensor(new float[] {0, 1.5f}), 8000))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[writeWav] samples must be from -1 to 1; got 1.5 in sample 1; scale them, or write"
                + " WavFormat.FLOAT32.");
    assertThatThrownBy(() -> ctx.writeWav(file, ctx.zeros(I32, 4), 8000))
        .hasMessage(
            "[writeWav] samples must be floating point, [n] or [n, channels] of 1 to 64 channels;"
                + " got i32[4]; cast or permute them.");
    assertThatThrownBy(() -> ctx.writeWav(file, ctx.zeros(F32, 4), 0))
        .hasMessage("[writeWav] the rate must be from 1 to 1048576 samples per second; got 0.");
    ctx.writeWav(file, ctx.zeros(F32, 4), 8000);
    byte[] good = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(good, 50));
    assertThatThrownBy(() -> ctx.readWav(file))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[readWav] a file must have all of its samples; got 6 bytes of 8 in "
                + file
                + "; remove or convert the file.");
    var random = new SplittableRandom(5);
    for (int k = 0; k < 300; k++) {
      byte[] bad = good.clone();
      bad[random.nextInt(bad.length)] = (byte) random.nextInt(256);
      Files.write(file, bad);
      try {
        assertThat(ctx.readWav(file).rate()).isPositive();
      } catch (RistrettoException e) {
        assertThat(e.getMessage()).startsWith("[readWav] ");
      }
    }
  }

  @Test
  void computationsAreTimed() {
    int[] runs = new int[1];
    Timing timing = bench("count", 1000, () -> runs[0]++);
    assertThat((long) runs[0]).isGreaterThan(timing.runs());
    assertThat(timing.lower()).isPositive().isLessThanOrEqualTo(timing.median());
    assertThat(timing.upper()).isGreaterThanOrEqualTo(timing.median());
    assertThat(timing.spread()).isEqualTo(timing.upper() - timing.lower());
    assertThat(new Timing("copy", 42, 0.00125, 0.0012, 0.0014, 5_000_000).toString())
        .isEqualTo("copy: 1.25 ms (1.20 to 1.40 ms, 42 runs), 4.00 GB/s");
    assertThat(new Timing("x", 3, 12.5, 12, 13, 0).toString())
        .isEqualTo("x: 12.5 s (12.0 to 13.0 s, 3 runs)");
    assertThatThrownBy(() -> bench("x", -1, () -> {}))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[bench] the number of bytes must not be negative; got -1.");
    var steps = new ArrayList<Integer>();
    for (int k : progress("steps", 3)) {
      steps.add(k);
    }
    assertThat(steps).containsExactly(0, 1, 2);
    assertThatThrownBy(() -> progress("steps", -1))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[progress] the number of steps must not be negative; got -1.");
  }

  @Test
  void tensorsPrintWithOptions() {
    Tensor<F32> t = ctx.tensor(new float[] {1 / 3f, 2, 3, 4, 5, 6});
    assertThat(t.toString(PrintOptions.DEFAULT.precision(2)))
        .isEqualTo("f32[6]\n[0.33 2.   3.   4.   5.   6.  ]");
    assertThat(t.toString(PrintOptions.DEFAULT.threshold(3).edgeItems(1).precision(1)))
        .isEqualTo("f32[6]\n[0.3 ... 6. ]");
  }
}
