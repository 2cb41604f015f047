package ristretto.expr.media;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;

/**
 * Header of a WAV file: PCM of 8, 16, 24 or 32 bits, or floating point of 32 or 64 bits.
 *
 * @param op operation that messages name
 * @param start position of the first sample in the file
 * @param samples samples of each channel
 * @param floating true for floating point
 */
public record Wav(
    String op,
    Path file,
    int rate,
    int channels,
    int bits,
    boolean floating,
    long start,
    int samples) {
  private static final int RIFF = 0x46464952;
  private static final int WAVE = 0x45564157;
  private static final int FORMAT = 0x20746d66;
  private static final int DATA = 0x61746164;
  private static final int PCM = 1;
  private static final int FLOATING = 3;
  private static final int EXTENSIBLE = 0xfffe;
  private static final int FORMAT_BYTES = 16;
  private static final int EXTENSIBLE_BYTES = 40;

  /** Position of the format's number in the extension. */
  private static final int SUB_FORMAT = 24;

  private static final int CHUNK_HEADER = 8;
  private static final int MOST_CHUNKS = 1000;
  private static final int MOST_CHANNELS = 64;
  private static final int MOST_RATE = 1 << 20;
  private static final int MOST_SAMPLES = 1 << 28;
  private static final long UNSIGNED = 0xffffffffL;

  /**
   * Reads a header.
   *
   * @throws FileException if the file cannot be read
   * @throws FileFormatException if the file is damaged, or has another format
   */
  public static Wav of(String op, Path file) {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      if (!Files.isRegularFile(file)) {
        throw new IOException("not a regular file");
      }
      return header(op, file, channel);
    } catch (IOException e) {
      throw unreadable(op, file, e);
    }
  }

  private static Wav header(String op, Path file, FileChannel channel) throws IOException {
    long size = channel.size();
    ByteBuffer start = bytes(op, file, channel, 0, CHUNK_HEADER + Integer.BYTES);
    if (start.getInt(0) != RIFF || start.getInt(CHUNK_HEADER) != WAVE) {
      throw malformed(op, file, "a file must begin with RIFF and WAVE", "other bytes");
    }
    long at = CHUNK_HEADER + Integer.BYTES;
    ByteBuffer format = null;
    for (int chunk = 0; chunk < MOST_CHUNKS; chunk++) {
      ByteBuffer header = bytes(op, file, channel, at, CHUNK_HEADER);
      long length = header.getInt(Integer.BYTES) & UNSIGNED;
      at += CHUNK_HEADER;
      if (header.getInt(0) == FORMAT) {
        if (length < FORMAT_BYTES) {
          throw malformed(op, file, "a format must have 16 bytes", "" + length);
        }
        format = bytes(op, file, channel, at, (int) Math.min(length, EXTENSIBLE_BYTES));
      } else if (header.getInt(0) == DATA) {
        if (format == null) {
          throw malformed(op, file, "the format must come before the samples", "samples");
        }
        if (length > size - at) {
          throw malformed(
              op, file, "a file must have all of its samples", size - at + " bytes of " + length);
        }
        return of(op, file, format, at, length);
      }
      at += length + (length & 1);
    }
    throw malformed(op, file, "samples must be in the first 1000 chunks", "none");
  }

  private static Wav of(String op, Path file, ByteBuffer format, long start, long length) {
    int kind = format.getShort(0) & 0xffff;
    if (kind == EXTENSIBLE && format.limit() == EXTENSIBLE_BYTES) {
      kind = format.getShort(SUB_FORMAT) & 0xffff;
    }
    int channels = format.getShort(2) & 0xffff;
    long rate = format.getInt(4) & UNSIGNED;
    int bits = format.getShort(14) & 0xffff;
    boolean floating = kind == FLOATING;
    boolean known =
        floating
            ? bits == Float.SIZE || bits == Double.SIZE
            : kind == PCM && (bits == 8 || bits == 16 || bits == 24 || bits == 32);
    if (!known) {
      throw malformed(
          op,
          file,
          "samples must be PCM of 8, 16, 24 or 32 bits, or floating point of 32 or 64 bits",
          String.format(Locale.ROOT, "format %d of %d bits", kind, bits));
    }
    if (channels < 1 || channels > MOST_CHANNELS || rate < 1 || rate > MOST_RATE) {
      throw malformed(
          op,
          file,
          "there must be 1 to 64 channels of 1 to 1048576 Hz",
          String.format(Locale.ROOT, "%d of %d Hz", channels, rate));
    }
    int frame = channels * bits / Byte.SIZE;
    if ((format.getShort(12) & 0xffff) != frame) {
      throw malformed(
          op,
          file,
          "a sample of all channels must have " + frame + " bytes",
          "" + (format.getShort(12) & 0xffff));
    }
    long samples = length / frame;
    if (samples > MOST_SAMPLES) {
      throw malformed(
          op, file, "a file must have at most " + MOST_SAMPLES + " samples", "" + samples);
    }
    return new Wav(op, file, (int) rate, channels, bits, floating, start, (int) samples);
  }

  /** Receiver of the values of all channels, sample by sample. */
  @FunctionalInterface
  private interface Receiver {
    void accept(ByteBuffer in, int at, int sample);
  }

  /**
   * Reads consecutive samples, the mean of all channels: from -1 to 1, unless floating-point
   * samples exceed that.
   */
  public float[] read(int from, int count) {
    float[] all = new float[count];
    int width = bits / Byte.SIZE;
    each(
        from,
        count,
        (in, at, k) -> {
          double sum = 0;
          for (int c = 0; c < channels; c++) {
            sum += sample(in, at + c * width);
          }
          all[k] = (float) (sum / channels);
        });
    return all;
  }

  /**
   * Reads all samples of all channels, from -1 to 1, unless floating-point samples exceed that.
   *
   * @param to F32 [samples, channels]
   */
  public void readAll(MemorySegment to) {
    int width = bits / Byte.SIZE;
    each(
        0,
        samples,
        (in, at, k) -> {
          for (int c = 0; c < channels; c++) {
            float v = (float) sample(in, at + c * width);
            to.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, (long) k * channels + c, v);
          }
        });
  }

  private void each(int from, int count, Receiver receiver) {
    int frame = channels * bits / Byte.SIZE;
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      int block = 1 << 14;
      for (int done = 0; done < count; done += block) {
        int some = Math.min(block, count - done);
        ByteBuffer in =
            bytes(op, file, channel, start + (long) (from + done) * frame, some * frame);
        for (int k = 0; k < some; k++) {
          receiver.accept(in, k * frame, done + k);
        }
      }
    } catch (IOException e) {
      throw unreadable(op, file, e);
    }
  }

  private double sample(ByteBuffer in, int at) {
    if (floating) {
      return bits == Float.SIZE ? in.getFloat(at) : in.getDouble(at);
    }
    return switch (bits) {
      case 8 -> ((in.get(at) & 0xff) - 0x80) / 0x1p7;
      case 16 -> in.getShort(at) / 0x1p15;
      case 24 -> (in.getShort(at) & 0xffff | in.get(at + 2) << 16) / 0x1p23;
      default -> in.getInt(at) / 0x1p31;
    };
  }

  private static ByteBuffer bytes(String op, Path file, FileChannel channel, long at, int count)
      throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(count).order(ByteOrder.LITTLE_ENDIAN);
    while (buffer.hasRemaining()) {
      if (channel.read(buffer, at + buffer.position()) < 0) {
        throw malformed(op, file, "a file must have all of its samples", "the end of the file");
      }
    }
    return buffer.flip();
  }

  private static FileException unreadable(String op, Path file, IOException e) {
    String why = e instanceof NoSuchFileException ? "no such file" : e.getMessage();
    return new FileException(
        "[%s] the file must exist and be readable; got %s (%s); check the path."
            .formatted(op, Excerpt.whole(file.toAbsolutePath().toString()), why),
        e);
  }

  private static FileFormatException malformed(String op, Path file, String rule, String got) {
    return new FileFormatException(
        "[%s] %s; got %s in %s; remove or convert the file."
            .formatted(op, rule, got, Excerpt.whole(file.toString())));
  }

  /** Exception for a violated rule, with the actual content. */
  public FileFormatException malformed(String rule, String got) {
    return malformed(op, file, rule, got);
  }
}
