package ristretto.nnet3.io;

import java.util.Arrays;

/** Holders of values that take one line in text mode. */
final class BasicHolders {
  private BasicHolders() {}

  /** Holder of 32-bit integers. */
  record Int() implements Holder<Integer> {
    @Override
    public Integer read(KaldiInput in) {
      beginLine(in);
      int value = in.readInt();
      endLine(in);
      return value;
    }

    @Override
    public void write(KaldiOutput out, Integer value) {
      out.writeInt(value);
      out.endLine();
    }
  }

  /** Holder of floats. */
  record Real() implements Holder<Float> {
    @Override
    public Float read(KaldiInput in) {
      beginLine(in);
      float value = in.readFloat();
      endLine(in);
      return value;
    }

    @Override
    public void write(KaldiOutput out, Float value) {
      out.writeFloat(value);
      out.endLine();
    }
  }

  /**
   * Holder of integer vectors. In binary mode each element has a size byte, unlike in vectors
   * within objects.
   */
  record Ints() implements Holder<int[]> {
    @Override
    public int[] read(KaldiInput in) {
      var to = new int[16];
      int size = 0;
      int count = in.binary() ? in.readCount("integers", 5) : Integer.MAX_VALUE;
      while (in.binary() ? size < count : in.moreOnLine()) {
        if (size == to.length) {
          to = Arrays.copyOf(to, 2 * size);
        }
        to[size++] = in.readInt("an element");
      }
      return Arrays.copyOf(to, size);
    }

    @Override
    public void write(KaldiOutput out, int[] values) {
      if (out.binary()) {
        out.writeInt(values.length);
      }
      for (int value : values) {
        out.writeInt(value);
      }
      out.endLine();
    }
  }

  /** Holder of words without white space, which are text in both modes. */
  record Token() implements Holder<String> {
    @Override
    public String read(KaldiInput in) {
      beginLine(in);
      String token = in.text().word();
      endLine(in);
      return token;
    }

    @Override
    public void write(KaldiOutput out, String token) {
      TableWriter.checkKey(token);
      out.writeText(token + "\n");
    }

    @Override
    public boolean alwaysText() {
      return true;
    }
  }

  private static void beginLine(KaldiInput in) {
    if (!in.binary() && !in.onLine()) {
      throw in.malformed(in.offset(), "a value must follow its key on the line", in.next());
    }
  }

  private static void endLine(KaldiInput in) {
    if (!in.binary()) {
      if (in.onLine() || in.source().peek() < 0) {
        throw in.malformed(in.offset(), "a line must end after its value", in.next());
      }
      in.source().read();
    }
  }
}
