package ristretto.nnet3.chain;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.at;
import static ristretto.expr.Ops.exp;
import static ristretto.expr.Ops.log;
import static ristretto.expr.Ops.min;
import static ristretto.expr.Ops.range;
import static ristretto.expr.Ops.scalar;
import static ristretto.expr.Ops.sum;
import static ristretto.expr.Ops.take;
import static ristretto.expr.Ops.where;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Program;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;

/**
 * Forward-backward computation over a denominator graph with the leaky HMM: from each state a jump
 * to any state is possible after each frame, with the coefficient times the initial probability.
 * All sequences are computed at once; they are the last axis of all tensors. In each frame, forward
 * probabilities are divided by their sum over the states in the frame before.
 *
 * <p>Source: Kaldi, {@code chain/chain-denominator.cc}; "Purely sequence-trained neural networks
 * for ASR based on lattice-free MMI", Povey et al., 2016.
 */
public final class Denominator {
  /** Outputs are limited to this magnitude before they are exponentiated. */
  static final float LIMIT = 30;

  private final Context context;
  private final int sequences;
  private final int frames;
  private final float leaky;

  /** Posteriors of a frame, {@code f32[pdfs, sequences]}, pdfs in the order of their slots. */
  private final Tensor<F32> posteriors;

  private final Tensor<I32> pdfSlots;

  /**
   * Exponentials of the outputs, {@code f32[frames, pdfs, sequences]}; the backward pass replaces
   * those of each frame by the posteriors.
   */
  private final Tensor<F32> exps;

  /** Frames of a segment, whose forward probabilities are in memory at a time. */
  private final int segment;

  /** Forward probabilities, {@code f32[segment + 1, states, sequences]}, with the jumps. */
  private final Tensor<F32> alphas;

  /** Forward probabilities at the start of all segments but the last, one after the other. */
  private final Tensor<F32> starts;

  /** Their sums over the states before the jumps, {@code f32[frames + 1, sequences]}. */
  private final Tensor<F32> sums;

  /** Forward probabilities of a frame before the jumps, {@code f32[states, sequences]}. */
  private final Tensor<F32> alpha;

  /** Backward probabilities of a frame without the jumps, {@code f32[states, sequences]}. */
  private final Tensor<F32> beta;

  /**
   * Backward probabilities of the frame after it with the jumps, {@code f32[states, sequences]}.
   */
  private final Tensor<F32> next;

  /** Backward probability of a jump, {@code f32[sequences]}. */
  private final Tensor<F32> jump;

  private final Tensor<F32> initialForward;
  private final Tensor<F32> initialBackward;
  private final Tensor<F64> logProb;
  private final Tensor<F32> check;
  private final List<Groups> byTarget;
  private final List<Groups> bySource;
  private final List<Groups> byPdf;
  private final double initialSum;
  private final Program program;

  /**
   * Largest number of transitions whose sum is written out, in place of a reduction; a kernel of
   * more is divided into several loops.
   */
  private static final int WRITTEN_OUT = 16;

  /** Transitions of a block of larger groups, which divides their numbers of places. */
  private static final int BLOCK = 8;

  /** Largest number of partial sums that are added one by one. */
  private static final int FEW = 8;

  /** Transitions at a place of each block of each group, on the device, by blocks. */
  private record Place(
      Tensor<I32> source, Tensor<I32> target, Tensor<I32> pdf, Tensor<F32> probability) {}

  /**
   * Transitions of a bucket.
   *
   * @param partial sums of blocks, {@code f32[blocks, groups, sequences]}; null if there is one
   *     block
   */
  private record Groups(List<Place> places, Tensor<I32> firstPdfs, Tensor<F32> partial) {
    /**
     * Sums over the transitions of each group. Those of a block are added one by one: reductions
     * over few elements are slow.
     */
    Expr<F32> sums(Context context, Function<Place, Expr<F32>> terms) {
      Expr<F32> sum = terms.apply(places.getFirst());
      for (Place place : places.subList(1, places.size())) {
        sum = sum.plus(terms.apply(place));
      }
      if (partial == null) {
        return sum;
      }
      int blocks = (int) partial.shape().dim(0);
      context.assign(partial, sum.reshape(partial.shape().toArray()));
      if (blocks > FEW) {
        return sum(partial, 0);
      }
      Expr<F32> all = partial.slice(at(0));
      for (int k = 1; k < blocks; k++) {
        all = all.plus(partial.slice(at(k)));
      }
      return all;
    }
  }

  /**
   * Records the program for minibatches of a size.
   *
   * @param sequences number of sequences
   * @param frames number of output frames of each sequence
   * @param pdfs number of network outputs, at least that of the graph
   * @param leaky coefficient of the jumps
   * @param saveMemory true to keep the forward probabilities of some frames only, and to compute
   *     the others twice; results are the same
   */
  public Denominator(
      Context context,
      DenominatorGraph graph,
      int sequences,
      int frames,
      int pdfs,
      float leaky,
      boolean saveMemory) {
    this.context = context;
    this.sequences = sequences;
    this.frames = frames;
    this.leaky = leaky;
    this.segment = saveMemory ? (int) Math.ceil(Math.sqrt(frames)) : frames;
    int states = graph.states();
    var targets = new TransitionGroups(graph.targets(), states);
    var sources = new TransitionGroups(graph.sources(), states);
    var ofPdfs = new TransitionGroups(graph.pdfsOfTransitions(), pdfs);
    Function<TransitionGroups, List<Groups>> places =
        groups -> places(graph, groups, targets, sources);
    byTarget = places.apply(targets);
    bySource = places.apply(sources);
    byPdf = places.apply(ofPdfs);
    pdfSlots = context.tensor(ofPdfs.slots);
    float[] initial = graph.initialProbabilities();
    initialForward = context.tensor(targets.inSlots(initial), states, 1);
    initialBackward = context.tensor(sources.inSlots(initial), states, 1);
    double total = 0;
    for (float p : initial) {
      total += p;
    }
    initialSum = total;
    exps = context.zeros(F32, frames, pdfs, sequences);
    alphas = context.zeros(F32, segment + 1L, states, sequences);
    starts = context.zeros(F32, lastSegment(), states, sequences);
    sums = context.zeros(F32, frames + 1L, sequences);
    alpha = context.zeros(F32, states, sequences);
    beta = context.zeros(F32, states, sequences);
    next = context.zeros(F32, states, sequences);
    jump = context.zeros(F32, sequences);
    posteriors = context.zeros(F32, pdfs, sequences);
    logProb = context.zeros(F64);
    check = context.zeros(F32, 2);
    program = context.recordTransient(this::record);
  }

  private List<Groups> places(
      DenominatorGraph graph,
      TransitionGroups groups,
      TransitionGroups targets,
      TransitionGroups sources) {
    var all = new ArrayList<Groups>();
    for (TransitionGroups.Bucket b : groups.buckets) {
      int[] source = slots(b.of(graph.sources(), 0), targets);
      int[] target = slots(b.of(graph.targets(), 0), sources);
      int[] pdf = b.of(graph.pdfsOfTransitions(), 0);
      float[] probability = b.of(graph.probabilities());
      int count = b.size() <= WRITTEN_OUT ? b.size() : BLOCK;
      int blocks = b.size() / count;
      var places = new ArrayList<Place>();
      for (int k = 0; k < count; k++) {
        int[] at = b.places(k, count);
        var some = new float[at.length];
        for (int n = 0; n < some.length; n++) {
          some[n] = probability[at[n]];
        }
        places.add(
            new Place(
                context.tensor(of(source, at)),
                context.tensor(of(target, at)),
                context.tensor(of(pdf, at)),
                context.tensor(some, at.length, 1)));
      }
      int[] firsts = Arrays.copyOf(b.places(0, count), b.groups());
      all.add(
          new Groups(
              places,
              context.tensor(of(pdf, firsts)),
              blocks == 1 ? null : context.zeros(F32, blocks, b.groups(), sequences)));
    }
    return all;
  }

  private static int[] of(int[] values, int[] at) {
    return Arrays.stream(at).map(k -> values[k]).toArray();
  }

  private static int[] slots(int[] states, TransitionGroups groups) {
    return Arrays.stream(states).map(s -> groups.slots[s]).toArray();
  }

  private void record() {
    context.assign(alpha, initialForward);
    context.assign(sums.slice(at(0)), sum(initialForward, 0));
    context.assign(alphas.slice(at(0)), withJumps(0));
    for (int s = 0; s <= lastSegment(); s++) {
      if (s > 0) {
        context.assign(alphas.slice(at(0)), alphas.slice(at(segment)));
      }
      if (s < lastSegment()) {
        context.assign(starts.slice(at(s)), alphas.slice(at(0)));
      }
      forward(s, length(s));
    }
    Expr<F64> last = sums.slice(at(frames)).cast(F64).times(1 + leaky * initialSum);
    context.assign(logProb, sum(log(sums.slice(range(0, frames)).cast(F64))).plus(sum(log(last))));
    backward(last.cast(F32));
  }

  private int lastSegment() {
    return (frames - 1) / segment;
  }

  /** Number of frames of a segment. */
  private int length(int s) {
    return Math.min(segment, frames - s * segment);
  }

  /** Computes the forward probabilities of the first frames of a segment. */
  private void forward(int s, int count) {
    context.repeat(count, k -> step(s * segment + k, k), (label, _) -> label);
  }

  /**
   * Computes the forward probabilities after a frame.
   *
   * @param k number of the frame in its segment
   */
  private void step(int t, int k) {
    Tensor<F32> before = alphas.slice(at(k));
    Tensor<F32> e = exps.slice(at(t));
    Tensor<F32> scale = sums.slice(at(t));
    assign(
        alpha,
        byTarget,
        p -> take(before, p.source, 0).times(p.probability).times(take(e, p.pdf, 0)),
        (_, sum) -> sum.div(scale));
    context.assign(sums.slice(at(t + 1)), sum(alpha, 0));
    context.assign(alphas.slice(at(k + 1)), withJumps(t + 1));
  }

  /** Assigns sums over transitions, of which a function is taken, to adjacent rows of a tensor. */
  private void assign(
      Tensor<F32> to,
      List<Groups> groups,
      Function<Place, Expr<F32>> terms,
      BiFunction<Groups, Expr<F32>, Expr<F32>> function) {
    long from = 0;
    for (Groups g : groups) {
      long end = from + g.firstPdfs.shape().size();
      context.assign(to.slice(range(from, end)), function.apply(g, g.sums(context, terms)));
      from = end;
    }
  }

  private void backward(Expr<F32> total) {
    context.assign(beta, scalar(F32, 1).div(total).reshape(1, -1));
    context.assign(jump, jumps());
    for (int s = lastSegment(); s >= 0; s--) {
      int count = length(s);
      if (s < lastSegment()) {
        context.assign(alphas.slice(at(0)), starts.slice(at(s)));
        forward(s, count - 1);
      }
      int first = s * segment;
      context.repeat(
          count, n -> backward(first + count - 1 - n, count - 1 - n), (label, _) -> label);
    }
    // At the first frame, alpha is the initial probability in any order of the states.
    Expr<F32> first = initialBackward.times(sums.slice(at(0)).times(leaky).plus(1));
    context.assign(check.slice(at(0)), sum(first.times(beta)));
    context.assign(check.slice(at(1)), sum(exps.slice(at(0))));
  }

  /**
   * Computes the posteriors of a frame, and the backward probabilities before it.
   *
   * @param n number of the frame in its segment
   */
  private void backward(int t, int n) {
    Tensor<F32> before = alphas.slice(at(n));
    Tensor<F32> e = exps.slice(at(t));
    Tensor<F32> scale = sums.slice(at(t));
    context.assign(next, beta.plus(jump));
    assign(
        posteriors,
        byPdf,
        k -> take(before, k.source, 0).times(k.probability).times(take(next, k.target, 0)),
        (groups, sum) -> sum.times(take(e, groups.firstPdfs, 0)).div(scale));
    assign(
        beta,
        bySource,
        k -> take(next, k.target, 0).times(k.probability).times(take(e, k.pdf, 0)),
        (_, sum) -> sum.div(scale));
    context.assign(jump, jumps());
    context.assign(e, take(posteriors, pdfSlots, 0));
  }

  private Expr<F32> withJumps(int t) {
    return alpha.plus(initialForward.times(sums.slice(at(t)).times(leaky).reshape(1, -1)));
  }

  private Expr<F32> jumps() {
    return sum(initialBackward.times(beta), 0).times(leaky);
  }

  /**
   * Computes the log-probability and the posteriors.
   *
   * @param outputs network outputs, {@code f32[frames * sequences, pdfs]}, row {@code frame *
   *     sequences + sequence}
   */
  public void run(Expr<F32> outputs) {
    Expr<F32> x = outputs.reshape(frames, sequences, -1).permute(0, 2, 1);
    // NaN counts as the lower limit.
    Expr<F32> limited = where(x.ge(-LIMIT), min(x, LIMIT), scalar(F32, -LIMIT));
    context.assign(exps, exp(limited));
    program.run();
  }

  /** Number of kernels of a run. */
  public int kernelCount() {
    return 1 + program.kernelCount();
  }

  /** Sum over the sequences of their log-probabilities. */
  public double logProb() {
    return logProb.item();
  }

  /** Posteriors of pdfs, {@code f32[frames, sequences, pdfs]}. */
  public Expr<F32> posteriors() {
    return exps.permute(0, 2, 1);
  }

  /** False if forward and backward pass contradict each other by more than rounding errors. */
  public boolean ok() {
    float[] sum = check.toFloatArray();
    return !(Math.abs(sum[0] - sequences) > 2) && !(Math.abs(sum[1] - sequences) > 2);
  }
}
