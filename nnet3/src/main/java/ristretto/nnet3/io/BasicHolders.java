package ristretto.nnet3.io;

import java.util.Arrays;
import java.util.List;
import ristretto.expr.file.Excerpt;

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

  /** Holder of pairs of integers, in text separated by semicolons. */
  record Pairs() implements Holder<int[]> {
    @Override
    public int[] read(KaldiInput in) {
      if (in.binary()) {
        int count = in.readCount("pairs", 10);
        var pairs = new int[2 * count];
        for (int k = 0; k < pairs.length; k++) {
          pairs[k] = in.readInt("an element");
        }
        return pairs;
      }
      long at = in.offset();
      String line = in.readLine();
      if (line == null || line.isBlank()) {
        return new int[0];
      }
      try {
        String[] parts = line.strip().split(";", -1);
        var pairs = new int[2 * parts.length];
        for (int k = 0; k < parts.length; k++) {
          String[] words = parts[k].strip().split("[ \t]+", -1);
          if (words.length != 2) {
            throw new NumberFormatException(parts[k]);
          }
          pairs[2 * k] = Integer.parseInt(words[0]);
          pairs[2 * k + 1] = Integer.parseInt(words[1]);
        }
        return pairs;
      } catch (NumberFormatException e) {
        var malformed =
            in.malformed(
                at,
                "a line of pairs must be \"number number ; number number ...\"",
                '"' + Excerpt.of(line) + '"');
        malformed.initCause(e);
        throw malformed;
      }
    }

    @Override
    public void write(KaldiOutput out, int[] pairs) {
      if (out.binary()) {
        out.writeInt(pairs.length / 2);
      }
      for (int k = 0; k < pairs.length; k++) {
        if (k > 0 && k % 2 == 0 && !out.binary()) {
          out.writeText("; ");
        }
        out.writeInt(pairs[k]);
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

  /** Holder of lines of words, which are text in both modes. */
  record Tokens() implements Holder<List<String>> {
    @Override
    public List<String> read(KaldiInput in) {
      String line = in.readLine();
      return line == null || line.isBlank() ? List.of() : List.of(line.strip().split("[ \t]+", -1));
    }

    @Override
    public void write(KaldiOutput out, List<String> tokens) {
      tokens.forEach(TableWriter::checkKey);
      out.writeText(String.join(" ", tokens) + "\n");
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
