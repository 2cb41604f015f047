package ristretto.expr.media;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import ristretto.expr.file.AsideFile;
import ristretto.expr.file.TensorFiles;
import ristretto.expr.option.WavFormat;
import ristretto.kernels.ShapeException;

/** Writer of WAV files. */
public final class WriteWav {
  private static final int HEADER = 44;
  private static final int FORMAT_BYTES = 16;
  private static final int BLOCK = 1 << 14;

  private WriteWav() {}

  /**
   * Writes a file; leaves an existing file unchanged on failure.
   *
   * @param samples F32 [samples, channels]
   * @throws ShapeException if integers do not hold a sample, or the file would exceed 4 GB
   */
  public static void to(
      Path file, MemorySegment samples, int channels, int rate, WavFormat format) {
    long count = samples.byteSize() / Float.BYTES;
    int width = format.bits() / Byte.SIZE;
    long bytes = count * width;
    if (bytes > 0xffffffffL - HEADER) {
      throw new ShapeException(
          "[writeWav] a WAV file must have less than 4 GB; got " + bytes + " bytes; split it.");
    }
    if (format != WavFormat.FLOAT32) {
      requireHeld(samples, count, channels);
    }
    try {
      AsideFile.write(file, channel -> write(channel, samples, channels, rate, format, bytes));
    } catch (IOException e) {
      throw TensorFiles.failed("writeWav", "a WAV file must be writable", file, e);
    }
  }

  private static void requireHeld(MemorySegment samples, long count, int channels) {
    for (long k = 0; k < count; k++) {
      float v = samples.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, k);
      if (!(v >= -1 && v <= 1)) {
        throw new ShapeException(
            String.format(
                Locale.ROOT,
                "[writeWav] samples must be from -1 to 1; got %s in sample %d; scale them, or write"
                    + " WavFormat.FLOAT32.",
                v,
                k / channels));
      }
    }
  }

  private static void write(
      FileChannel channel,
      MemorySegment samples,
      int channels,
      int rate,
      WavFormat format,
      long bytes)
      throws IOException {
    int width = format.bits() / Byte.SIZE;
    ByteBuffer out = ByteBuffer.allocate(HEADER).order(ByteOrder.LITTLE_ENDIAN);
    out.put("RIFF".getBytes(StandardCharsets.US_ASCII));
    out.putInt((int) (HEADER - 8 + bytes + (bytes & 1)));
    out.put("WAVEfmt ".getBytes(StandardCharsets.US_ASCII)).putInt(FORMAT_BYTES);
    out.putShort((short) (format == WavFormat.FLOAT32 ? 3 : 1)).putShort((short) channels);
    out.putInt(rate).putInt(rate * channels * width);
    out.putShort((short) (channels * width)).putShort((short) format.bits());
    out.put("data".getBytes(StandardCharsets.US_ASCII)).putInt((int) bytes);
    AsideFile.writeFully(channel, out.flip());
    long count = bytes / width;
    for (long done = 0; done < count; done += BLOCK) {
      int some = (int) Math.min(BLOCK, count - done);
      ByteBuffer block = ByteBuffer.allocate(some * width).order(ByteOrder.LITTLE_ENDIAN);
      for (int k = 0; k < some; k++) {
        put(block, samples.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, done + k), format);
      }
      AsideFile.writeFully(channel, block.flip());
    }
    if ((bytes & 1) == 1) {
      AsideFile.writeFully(channel, ByteBuffer.wrap(new byte[1]));
    }
  }

  private static void put(ByteBuffer out, float v, WavFormat format) {
    switch (format) {
      case FLOAT32 -> out.putFloat(v);
      case PCM8 -> out.put((byte) (whole(v, 8) + 0x80));
      case PCM16 -> out.putShort((short) whole(v, 16));
      case PCM24 -> {
        int w = (int) whole(v, 24);
        out.putShort((short) w).put((byte) (w >> 16));
      }
      case PCM32 -> out.putInt((int) whole(v, 32));
    }
  }

  /** Nearest integer; 1 becomes the largest one. */
  private static long whole(double v, int bits) {
    long one = 1L << (bits - 1);
    return Math.min((long) Math.rint(v * one), one - 1);
  }
}
