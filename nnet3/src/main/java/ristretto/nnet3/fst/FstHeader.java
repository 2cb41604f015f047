package ristretto.nnet3.fst;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.KaldiOutput;

/**
 * Header of OpenFst's binary files.
 *
 * @param type type of the FST, such as {@code vector}
 * @param arcs type of its arcs, such as {@code standard}
 * @param start start state, or -1
 * @param states number of states, or -1 if it was not known
 */
public record FstHeader(
    String type, String arcs, int version, int flags, long properties, long start, long states) {
  static final int MAGIC = 2125659606;
  private static final int FIRST_BYTE = MAGIC & 0xFF;
  private static final int HAS_SYMBOLS = 3;
  private static final int LONGEST_NAME = 64;

  /** Returns true if the input begins as a binary FST; text begins with other characters. */
  public static boolean isNext(KaldiInput in) {
    return in.binary() || in.peekRaw() == FIRST_BYTE;
  }

  /** Reads a header, and refuses files with symbol tables. */
  public static FstHeader read(KaldiInput in) {
    long at = in.offset();
    int magic = integer(in, "the magic number of an FST");
    if (magic != MAGIC) {
      throw in.malformed(at, "a binary FST must begin with " + MAGIC, Integer.toString(magic));
    }
    String type = name(in, "the type of an FST");
    String arcs = name(in, "the arc type of an FST");
    int version = integer(in, "the version of an FST");
    int flags = integer(in, "the flags of an FST");
    long properties = in.readRaw(Long.BYTES, "the properties of an FST");
    long counts = in.offset();
    long start = in.readRaw(Long.BYTES, "the start state");
    long states = in.readRaw(Long.BYTES, "the number of states");
    in.readRaw(Long.BYTES, "the number of arcs");
    if ((flags & HAS_SYMBOLS) != 0) {
      throw in.malformed(
          counts, "an FST must have no symbol tables; remove them with fstsymbols", "some");
    }
    return new FstHeader(type, arcs, version, flags, properties, start, states);
  }

  private static int integer(KaldiInput in, String what) {
    return (int) in.readRaw(Integer.BYTES, what);
  }

  private static String name(KaldiInput in, String what) {
    long at = in.offset();
    int length = integer(in, what);
    if (length < 0 || length > LONGEST_NAME) {
      throw in.malformed(
          at,
          String.format(Locale.ROOT, "%s must have at most %d characters", what, LONGEST_NAME),
          length + " characters");
    }
    byte[] bytes = new byte[length];
    for (int k = 0; k < length; k++) {
      bytes[k] = (byte) in.readRaw(1, what);
    }
    return new String(bytes, StandardCharsets.US_ASCII);
  }

  /** Writes this header. */
  public void write(KaldiOutput out, long arcCount) {
    out.writeRaw(MAGIC, Integer.BYTES);
    name(out, type);
    name(out, arcs);
    out.writeRaw(version, Integer.BYTES);
    out.writeRaw(flags, Integer.BYTES);
    out.writeRaw(properties, Long.BYTES);
    out.writeRaw(start, Long.BYTES);
    out.writeRaw(states, Long.BYTES);
    out.writeRaw(arcCount, Long.BYTES);
  }

  private static void name(KaldiOutput out, String name) {
    out.writeRaw(name.length(), Integer.BYTES);
    out.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
  }
}
