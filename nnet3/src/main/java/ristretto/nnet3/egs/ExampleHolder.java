package ristretto.nnet3.egs;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import ristretto.nnet3.Index;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.matrix.GeneralMatrix;

/**
 * Holder of examples. In binary mode, an index takes one byte if it differs from the index before
 * in time only, by less than 125.
 */
final class ExampleHolder implements Holder<NnetExample> {
  /** Exclusive limit of the time difference that one byte encodes. */
  private static final int FAR = 125;

  /** Byte before an index that is written in full. */
  private static final int WHOLE = 127;

  private static final Index FIRST = new Index(0, 0);

  /** Minimum size in bytes of an input or output, and of an index in text mode. */
  private static final int SMALLEST_IO = 25;

  private static final int SMALLEST_INDEX = 11;

  @Override
  public boolean repeatsKeys() {
    return true;
  }

  @Override
  public NnetExample read(KaldiInput in) {
    in.expectToken("<Nnet3Eg>");
    in.expectToken("<NumIo>");
    long at = in.offset();
    int count = in.readCount("inputs and outputs", SMALLEST_IO);
    if (count == 0) {
      throw in.malformed(at, "an example must have inputs or outputs", "0");
    }
    List<NnetIo> io = new ArrayList<>();
    for (int k = 0; k < count; k++) {
      io.add(readIo(in));
    }
    in.expectToken("</Nnet3Eg>");
    return new NnetExample(io);
  }

  static NnetIo readIo(KaldiInput in) {
    in.expectToken("<NnetIo>");
    String name = in.readToken();
    List<Index> indexes = readIndexes(in);
    long at = in.offset();
    GeneralMatrix features = in.readGeneralMatrix();
    if (features.rows() != indexes.size()) {
      throw in.malformed(
          at,
          "there must be a row for each index",
          String.format(Locale.ROOT, "%d rows and %d indexes", features.rows(), indexes.size()));
    }
    in.expectToken("</NnetIo>");
    return new NnetIo(name, indexes, features);
  }

  static List<Index> readIndexes(KaldiInput in) {
    in.expectToken("<I1V>");
    int count = in.readCount("indexes", in.binary() ? 1 : SMALLEST_INDEX);
    List<Index> indexes = new ArrayList<>();
    Index last = FIRST;
    for (int k = 0; k < count; k++) {
      if (in.binary()) {
        last = readIndex(in, last);
      } else {
        in.expectToken("<I1>");
        last = readWhole(in);
      }
      indexes.add(last);
    }
    return indexes;
  }

  private static Index readIndex(KaldiInput in, Index last) {
    long at = in.offset();
    int step = in.readByte();
    if (Math.abs(step) < FAR) {
      return new Index(last.n(), last.t() + step, last.x());
    }
    if (step != WHOLE) {
      throw in.malformed(
          at, "an index must begin with a step in time below 125, or 127", Integer.toString(step));
    }
    return readWhole(in);
  }

  private static Index readWhole(KaldiInput in) {
    int n = in.readInt();
    int t = in.readInt();
    return new Index(n, t, in.readInt());
  }

  @Override
  public void write(KaldiOutput out, NnetExample example) {
    out.writeToken("<Nnet3Eg>");
    out.writeToken("<NumIo>");
    out.writeInt(example.io().size());
    example.io().forEach(io -> writeIo(out, io));
    out.writeToken("</Nnet3Eg>");
  }

  static void writeIo(KaldiOutput out, NnetIo io) {
    out.writeToken("<NnetIo>");
    out.writeToken(io.name());
    writeIndexes(out, io.indexes());
    out.writeMatrix(io.features());
    out.writeToken("</NnetIo>");
  }

  static void writeIndexes(KaldiOutput out, List<Index> indexes) {
    out.writeToken("<I1V>");
    out.writeInt(indexes.size());
    Index last = FIRST;
    for (Index index : indexes) {
      long step = (long) index.t() - last.t();
      if (out.binary() && index.n() == last.n() && index.x() == last.x() && Math.abs(step) < FAR) {
        out.writeBytes(new byte[] {(byte) step});
      } else {
        if (out.binary()) {
          out.writeBytes(new byte[] {WHOLE});
        } else {
          out.writeToken("<I1>");
        }
        out.writeInt(index.n());
        out.writeInt(index.t());
        out.writeInt(index.x());
      }
      last = index;
    }
  }
}
