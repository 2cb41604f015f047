package ristretto.expr;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Locale;
import ristretto.expr.media.Pixels;
import ristretto.expr.media.Wav;
import ristretto.expr.media.WriteImage;
import ristretto.expr.media.WriteWav;
import ristretto.expr.option.WavFormat;
import ristretto.expr.print.ElementReader;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.F32;
import ristretto.expr.type.Shape;
import ristretto.expr.type.U8;
import ristretto.kernels.ShapeException;

/** Copies elements between tensors and files of images or sound. */
final class MediaTransfer {
  private static final int LARGEST = 255;
  private static final int MOST_CHANNELS = 64;
  private static final int MOST_RATE = 1 << 20;

  private MediaTransfer() {}

  static Tensor<U8> readImage(TensorFactories context, Path file) {
    Pixels p = Pixels.read("readImage", file);
    return context.tensor(
        U8.INSTANCE,
        MemorySegment.ofArray(p.values()),
        Shape.of(p.height(), p.width(), p.channels()));
  }

  static void writeImage(Context context, Path file, Expr<?> image) {
    Shape shape = image.shape();
    long channels = shape.rank() == 3 ? shape.dim(2) : 1;
    if (shape.rank() < 2
        || shape.rank() > 3
        || shape.size() == 0
        || channels != 1 && channels != 3 && channels != 4) {
      throw new ShapeException(
          ("[writeImage] an image must be [height, width] or [height, width, channels] of 1, 3 or 4"
                  + " channels; got %s; reshape or permute it.")
              .formatted(image.label()));
    }
    Tensor<?> t = tensor(context, image);
    ElementReader reader = HostTransfer.copied(t);
    byte[] values = new byte[Math.toIntExact(shape.size())];
    for (int k = 0; k < values.length; k++) {
      values[k] = (byte) level(t, reader, k);
    }
    WriteImage.to(file, new Pixels((int) shape.dim(1), (int) shape.dim(0), (int) channels, values));
  }

  private static int level(Tensor<?> t, ElementReader reader, int k) {
    boolean floating = t.dtype().isFloat();
    double v = floating ? reader.floating(k) : reader.integer(k);
    boolean unit = floating || t.dtype() == (Object) BOOL.INSTANCE;
    double level = Math.floor(unit ? v * LARGEST + 0.5 : v);
    if (!(level >= 0 && level <= LARGEST)) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[writeImage] values must be from 0 to %d; got %s in %s; scale or clamp them.",
              unit ? 1 : LARGEST,
              floating ? Double.toString(v) : Long.toString(reader.integer(k)),
              t.label()));
    }
    return (int) level;
  }

  private static Tensor<?> tensor(Context context, Expr<?> e) {
    return e instanceof Tensor<?> t ? t : context.eval(e);
  }

  static Sound readWav(TensorFactories context, Path file) {
    Wav wav = Wav.of("readWav", file);
    Shape shape =
        wav.channels() == 1 ? Shape.of(wav.samples()) : Shape.of(wav.samples(), wav.channels());
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment data = arena.allocate(ValueLayout.JAVA_FLOAT, shape.size());
      wav.readAll(data);
      return new Sound(context.tensor(F32.INSTANCE, data, shape), wav.rate());
    }
  }

  static void writeWav(Context context, Path file, Expr<?> sound, int rate, WavFormat format) {
    Shape shape = sound.shape();
    long channels = shape.rank() == 2 ? shape.dim(1) : 1;
    if (!sound.dtype().isFloat()
        || shape.rank() < 1
        || shape.rank() > 2
        || channels < 1
        || channels > MOST_CHANNELS) {
      throw new ShapeException(
          ("[writeWav] samples must be floating point, [n] or [n, channels] of 1 to 64 channels;"
                  + " got %s; cast or permute them.")
              .formatted(sound.label()));
    }
    if (rate < 1 || rate > MOST_RATE) {
      throw new ShapeException(
          "[writeWav] the rate must be from 1 to 1048576 samples per second; got " + rate + ".");
    }
    Expr<F32> floats = sound.cast(F32.INSTANCE);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment data = arena.allocate(ValueLayout.JAVA_FLOAT, shape.size());
      HostTransfer.read(tensor(context, floats), data);
      WriteWav.to(file, data, (int) channels, rate, format);
    }
  }
}
