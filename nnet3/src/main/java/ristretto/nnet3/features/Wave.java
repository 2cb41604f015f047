package ristretto.nnet3.features;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Locale;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.KaldiOutput;

/**
 * Sound as a WAV file has it. Samples are 16-bit integers, as floats from -32768 to 32767.
 *
 * @param rate samples per second
 * @param channels samples of each channel
 */
public record Wave(int rate, float[][] channels) {
  private static final int RIFF = 0x46464952;
  private static final int WAVE = 0x45564157;
  private static final int FORMAT = 0x20746d66;
  private static final int DATA = 0x61746164;
  private static final int PCM = 1;
  private static final int EXTENSIBLE = 0xfffe;
  private static final int FORMAT_BYTES = 16;
  private static final int MOST_CHANNELS = 64;
  private static final int MOST_BYTES = 1 << 30;
  private static final int BLOCK = 1 << 16;

  /** Holder for tables of WAV files of 16-bit integers. */
  public static final Holder<Wave> HOLDER =
      new Holder<>() {
        @Override
        public boolean ownHeader() {
          return true;
        }

        @Override
        public Wave read(KaldiInput in) {
          return new Reader(in).read();
        }

        @Override
        public void write(KaldiOutput out, Wave wave) {
          wave.write(out);
        }
      };

  /** Number of samples of a channel. */
  public int samples() {
    return channels[0].length;
  }

  private void write(KaldiOutput out) {
    int frame = 2 * channels.length;
    int bytes = frame * samples();
    out.writeRaw(RIFF, Integer.BYTES);
    out.writeRaw(
        2L * Integer.BYTES + Integer.BYTES + FORMAT_BYTES + 2L * Integer.BYTES + bytes,
        Integer.BYTES);
    out.writeRaw(WAVE, Integer.BYTES);
    out.writeRaw(FORMAT, Integer.BYTES);
    out.writeRaw(FORMAT_BYTES, Integer.BYTES);
    out.writeRaw(PCM, Short.BYTES);
    out.writeRaw(channels.length, Short.BYTES);
    out.writeRaw(rate, Integer.BYTES);
    out.writeRaw((long) rate * frame, Integer.BYTES);
    out.writeRaw(frame, Short.BYTES);
    out.writeRaw(Short.SIZE, Short.BYTES);
    out.writeRaw(DATA, Integer.BYTES);
    out.writeRaw(bytes, Integer.BYTES);
    ByteBuffer data = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    for (int k = 0; k < samples(); k++) {
      for (float[] channel : channels) {
        data.putShort((short) Math.clamp(Math.round(channel[k]), Short.MIN_VALUE, Short.MAX_VALUE));
      }
    }
    out.writeBytes(data.array());
  }

  /** Reads a WAV file, also one whose sizes were not known when it was written to a pipe. */
  private static final class Reader {
    private final KaldiInput in;
    private int rate;
    private int channels;

    Reader(KaldiInput in) {
      this.in = in;
    }

    Wave read() {
      long at = in.offset();
      int riff = integer("RIFF");
      integer("a size");
      if (riff != RIFF || integer("WAVE") != WAVE) {
        throw in.malformed(at, "a WAV file must begin with RIFF and WAVE", "other bytes");
      }
      while (true) {
        at = in.offset();
        int chunk = integer("a chunk");
        long size = in.readRaw(Integer.BYTES, "the size of a chunk");
        if (chunk == DATA) {
          return data(at, size);
        }
        if (size > MOST_BYTES) {
          throw in.malformed(at, "a chunk must have at most 2^30 bytes", size + " bytes");
        }
        byte[] bytes = in.readRawBytes((int) (size + size % 2), "a chunk");
        if (chunk == FORMAT) {
          format(at, bytes);
        }
      }
    }

    private int integer(String what) {
      return (int) in.readRaw(Integer.BYTES, what);
    }

    private void format(long at, byte[] bytes) {
      ByteBuffer all = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
      if (bytes.length < FORMAT_BYTES) {
        throw in.malformed(
            at, "the format of a WAV file must have 16 bytes", bytes.length + " bytes");
      }
      int format = Short.toUnsignedInt(all.getShort(0));
      channels = Short.toUnsignedInt(all.getShort(2));
      rate = all.getInt(4);
      int bits = Short.toUnsignedInt(all.getShort(14));
      boolean known = format == PCM || format == EXTENSIBLE;
      if (!known || bits != Short.SIZE || channels < 1 || channels > MOST_CHANNELS || rate < 1) {
        throw in.malformed(
            at,
            "a WAV file must have 16-bit integers in 1 to 64 channels",
            String.format(
                Locale.ROOT,
                "format %d of %d bits, %d channels, %d Hz",
                format,
                bits,
                channels,
                rate));
      }
    }

    private Wave data(long at, long size) {
      if (channels == 0) {
        throw in.malformed(at, "the format of a WAV file must come before its data", "data first");
      }
      // Programs that write to a pipe do not know the size.
      boolean unknown = size == 0 || size >= 0x7fffffffL;
      byte[] bytes = unknown ? rest() : known(at, size);
      int samples = bytes.length / (Short.BYTES * channels);
      if (samples * Short.BYTES * channels != bytes.length) {
        throw in.malformed(
            at, "a WAV file must have all channels of each sample", bytes.length + " bytes");
      }
      ByteBuffer all = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
      var values = new float[channels][samples];
      for (int k = 0; k < samples; k++) {
        for (float[] channel : values) {
          channel[k] = all.getShort();
        }
      }
      return new Wave(rate, values);
    }

    private byte[] known(long at, long size) {
      if (size > MOST_BYTES) {
        throw in.malformed(at, "the data must have at most 2^30 bytes", size + " bytes");
      }
      in.need(size, size + " bytes of samples");
      byte[] bytes = in.readRawBytes((int) size, "the samples");
      if (size % 2 != 0 && in.peekRaw() >= 0) {
        in.readByte();
      }
      return bytes;
    }

    private byte[] rest() {
      var bytes = new byte[BLOCK];
      int count = 0;
      while (in.peekRaw() >= 0) {
        if (count == bytes.length) {
          if (count > MOST_BYTES / 2) {
            throw new FileFormatException(
                "[wave] a WAV file must have at most 2^30 bytes; got more in %s; divide it."
                    .formatted(in.name()));
          }
          bytes = Arrays.copyOf(bytes, 2 * count);
        }
        bytes[count++] = (byte) in.readByte();
      }
      return Arrays.copyOf(bytes, count);
    }
  }
}
