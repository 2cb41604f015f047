package ristretto.nnet3.chain;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.fst.Fst;
import ristretto.nnet3.fst.ReadFst;
import ristretto.nnet3.fst.WriteFst;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.matrix.Matrix;

/**
 * Supervision of a minibatch of sequences of equal length. Labels are numbers of pdfs plus 1, or
 * transitions. Label 0 is epsilon, which only supervisions that are not yet normalized have.
 *
 * @param weight weight of the objective
 * @param sequences number of sequences
 * @param frames number of output frames of each sequence
 * @param labels largest label
 * @param fsts one acceptor whose paths have all frames of the first sequence, then those of the
 *     second, and so on, with states sorted by time; if {@code endToEnd}, one acceptor for each
 *     sequence, which may have cycles and whose paths of the sequence's length count
 * @param alignment pdfs of an alignment; empty if there is none
 */
public record ChainSupervision(
    float weight,
    int sequences,
    int frames,
    int labels,
    boolean endToEnd,
    List<Fst> fsts,
    int[] alignment) {
  /** Copy of this supervision with its weight multiplied by a factor. */
  public ChainSupervision weighted(float factor) {
    return new ChainSupervision(
        weight * factor, sequences, frames, labels, endToEnd, fsts, alignment);
  }

  /** Copy of this supervision with other acceptors. */
  ChainSupervision with(List<Fst> others) {
    return new ChainSupervision(weight, sequences, frames, labels, endToEnd, others, alignment);
  }

  /** Holder for tables of supervisions. */
  public static final Holder<ChainSupervision> HOLDER =
      new Holder<>() {
        @Override
        public ChainSupervision read(KaldiInput in) {
          return ChainSupervision.read(in);
        }

        @Override
        public void write(KaldiOutput out, ChainSupervision supervision) {
          supervision.write(out);
        }
      };

  /** Reads the supervision of a file. */
  public static ChainSupervision load(String rxfilename) {
    try (KaldiInput in = KaldiInput.open(rxfilename)) {
      return read(in);
    }
  }

  /** Reads a supervision in text or binary form. */
  public static ChainSupervision read(KaldiInput in) {
    long at = in.offset();
    in.expectToken("<Supervision>");
    in.expectToken("<Weight>");
    float weight = in.readFloat();
    in.expectToken("<NumSequences>");
    int sequences = in.readInt();
    in.expectToken("<FramesPerSeq>");
    int frames = in.readInt();
    in.expectToken("<LabelDim>");
    int labels = in.readInt();
    if (sequences < 1 || frames < 1 || labels < 1 || (long) sequences * frames > 1 << 28) {
      throw in.malformed(
          at,
          "a supervision must have sequences, frames and labels, and at most 2^28 frames",
          String.format(
              Locale.ROOT, "%d sequences of %d frames and %d labels", sequences, frames, labels));
    }
    in.expectToken("<End2End>");
    boolean endToEnd = in.readBool();
    var fsts = new ArrayList<Fst>();
    if (endToEnd) {
      in.expectToken("<Fsts>");
      for (int k = 0; k < sequences; k++) {
        fsts.add(fst(in, labels, endToEnd));
      }
      in.expectToken("</Fsts>");
    } else {
      fsts.add(fst(in, labels, endToEnd));
    }
    int[] alignment = {};
    if (in.peekToken() == 'A') {
      in.expectToken("<AlignmentPdfs>");
      alignment = in.readIntVector();
    }
    in.expectToken("</Supervision>");
    var all = new ChainSupervision(weight, sequences, frames, labels, endToEnd, fsts, alignment);
    if (!endToEnd && !fsts.getFirst().hasInputEpsilons()) {
      all.checkTimes(in, at);
    }
    return all;
  }

  /** Writes a supervision in the output's form. */
  public void write(KaldiOutput out) {
    out.writeToken("<Supervision>");
    out.writeToken("<Weight>");
    out.writeFloat(weight);
    out.writeToken("<NumSequences>");
    out.writeInt(sequences);
    out.writeToken("<FramesPerSeq>");
    out.writeInt(frames);
    out.writeToken("<LabelDim>");
    out.writeInt(labels);
    out.writeToken("<End2End>");
    out.writeBool(endToEnd);
    if (endToEnd) {
      out.writeToken("<Fsts>");
    }
    for (Fst fst : fsts) {
      if (out.binary()) {
        WriteFst.compactAcceptor(out, fst);
      } else {
        WriteFst.text(out, fst);
      }
    }
    if (endToEnd) {
      out.writeToken("</Fsts>");
    }
    if (alignment.length > 0) {
      out.writeToken("<AlignmentPdfs>");
      out.writeIntVector(alignment);
    }
    out.writeToken("</Supervision>");
  }

  private static Fst fst(KaldiInput in, int labels, boolean endToEnd) {
    long at = in.offset();
    Fst fst = in.binary() ? ReadFst.binary(in) : ReadFst.text(in);
    if (fst.start() != 0) {
      throw in.malformed(
          at, "the start state of a supervision's FST must be 0", Integer.toString(fst.start()));
    }
    boolean refused = endToEnd && fst.hasInputEpsilons();
    if (!fst.isAcceptor() || refused || fst.largestInput() > labels) {
      throw in.malformed(
          at,
          String.format(
              Locale.ROOT,
              "a supervision's FST must be an acceptor with labels from %d to %d",
              endToEnd ? 1 : 0,
              labels),
          fst.isAcceptor() ? "other labels" : "a transducer");
    }
    return fst;
  }

  private void checkTimes(KaldiInput in, long at) {
    Fst fst = fsts.getFirst();
    int[] times = times();
    for (int s = 0; s < times.length; s++) {
      boolean end = times[s] == sequences * frames;
      if (times[s] < 0
          || s > 0 && times[s] < times[s - 1]
          || fst.isFinal(s) != end
          || end && fst.firstArc(s) < fst.firstArc(s + 1)) {
        throw in.malformed(
            at,
            String.format(
                Locale.ROOT,
                "states must be sorted by time, and every path must have %d arcs",
                sequences * frames),
            "others at state " + s);
      }
    }
  }

  /**
   * Probability of each pdf at each output frame: those of the alignment if there is one, or else
   * of the paths with their costs.
   *
   * @throws ShapeException if the supervision is end-to-end and has no alignment
   */
  public Matrix posteriors() {
    var rows = new Matrix(sequences * frames, labels);
    if (alignment.length > 0 || endToEnd) {
      if (alignment.length != rows.rows()) {
        throw new ShapeException(
            String.format(
                Locale.ROOT,
                "[chain] an end-to-end supervision must have an alignment of its %d frames; got"
                    + " %d; make it with nnet3-chain-get-egs --transition-model.",
                rows.rows(),
                alignment.length));
      }
      for (int r = 0; r < alignment.length; r++) {
        rows.data()[r * labels + alignment[r]] = 1;
      }
      return rows;
    }
    var numerator = new Numerator(this);
    long[] elements = numerator.elements();
    float[] posteriors = numerator.run(new float[elements.length]).posteriors();
    for (int k = 0; k < elements.length; k++) {
      rows.data()[(int) elements[k]] += posteriors[k];
    }
    return rows;
  }

  /**
   * Time of each state of the FST of a supervision that is not end-to-end; -1 if it has several.
   */
  int[] times() {
    Fst fst = fsts.getFirst();
    var times = new int[fst.states()];
    Arrays.fill(times, -1);
    times[0] = 0;
    for (int s = 0; s < times.length; s++) {
      for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
        int to = fst.target(k);
        if (times[s] < 0 || to <= s || times[to] >= 0 && times[to] != times[s] + 1) {
          times[to] = -2;
        } else {
          times[to] = times[s] + 1;
        }
      }
    }
    return times;
  }
}
