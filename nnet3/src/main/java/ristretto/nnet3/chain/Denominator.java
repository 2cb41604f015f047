package ristretto.nnet3.chain;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.all;
import static ristretto.expr.Ops.at;
import static ristretto.expr.Ops.concat;
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
final class Denominator {
  /** Outputs are limited to this magnitude before they are exponentiated. */
  static final float LIMIT = 30;

  private final Context context;
  private final int sequences;
  private final int frames;
  private final float leaky;

  /** Network outputs, {@code f32[frames * sequences, pdfs]}. */
  final Tensor<F32> output;

  /** Posteriors of pdfs, {@code f32[frames, pdfs, sequences]}, pdfs in the order of their slots. */
  private final Tensor<F32> posteriors;

  private final Tensor<I32> pdfSlots;
  private final Tensor<F32> exps;

  /** Forward probabilities, {@code f32[frames + 1, states, sequences]}, without the jumps. */
  private final Tensor<F32> alphas;

  /** Their sums over the states, {@code f32[frames + 1, sequences]}. */
  private final Tensor<F32> sums;

  /** Forward probabilities of a frame with the jumps, {@code f32[states, sequences]}. */
  private final Tensor<F32> alpha;

  /** Backward probabilities of a frame without the jumps, {@code f32[states, sequences]}. */
  private final Tensor<F32> beta;

  /** Those of the frame after it with the jumps, {@code f32[states, sequences]}. */
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

  /** Largest number of transitions whose sum is written out, in place of a reduction. */
  private static final int WRITTEN_OUT = 8;

  /** Transitions at a place of each group, or of each block of a group, on the device. */
  private record Place(
      Tensor<I32> source, Tensor<I32> target, Tensor<I32> pdf, Tensor<F32> probability) {}

  /**
   * Transitions of a bucket.
   *
   * @param places those at each place, {@code [groups]}; with blocks {@code [groups, blocks]}
   */
  private record Groups(List<Place> places, boolean blocks) {
    /**
     * Sums over the transitions of each group. Few are added one by one: reductions over few
     * elements are slow, and these add in double precision.
     */
    Expr<F32> sums(Function<Place, Expr<F32>> terms) {
      Expr<F32> sum = terms.apply(places.getFirst());
      for (Place place : places.subList(1, places.size())) {
        sum = sum.plus(terms.apply(place));
      }
      return blocks ? sum(sum, 1) : sum;
    }

    /** First pdf of each group. */
    Expr<I32> firstPdfs() {
      Tensor<I32> first = places.getFirst().pdf;
      return blocks ? first.slice(all(), at(0)) : first;
    }
  }

  Denominator(
      Context context, DenominatorGraph graph, int sequences, int frames, int pdfs, float leaky) {
    this.context = context;
    this.sequences = sequences;
    this.frames = frames;
    this.leaky = leaky;
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
    output = context.zeros(F32, (long) frames * sequences, pdfs);
    exps = context.zeros(F32, frames, pdfs, sequences);
    alphas = context.zeros(F32, frames + 1L, states, sequences);
    sums = context.zeros(F32, frames + 1L, sequences);
    alpha = context.zeros(F32, states, sequences);
    beta = context.zeros(F32, states, sequences);
    next = context.zeros(F32, states, sequences);
    jump = context.zeros(F32, sequences);
    posteriors = context.zeros(F32, frames, pdfs, sequences);
    logProb = context.zeros(F64);
    check = context.zeros(F32, 2);
    program = context.recordOnly(this::record);
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
      int count = Math.min(b.size(), WRITTEN_OUT);
      var places = new ArrayList<Place>();
      for (int k = 0; k < count; k++) {
        int[] at = b.places(k, count);
        places.add(
            new Place(
                tensor(source, at, b),
                tensor(target, at, b),
                tensor(pdf, at, b),
                probabilities(probability, at, b)));
      }
      all.add(new Groups(places, b.size() > count));
    }
    return all;
  }

  private Tensor<I32> tensor(int[] values, int[] at, TransitionGroups.Bucket b) {
    int[] some = Arrays.stream(at).map(k -> values[k]).toArray();
    return at.length == b.groups()
        ? context.tensor(some)
        : context.tensor(some, b.groups(), at.length / b.groups());
  }

  private Tensor<F32> probabilities(float[] values, int[] at, TransitionGroups.Bucket b) {
    var some = new float[at.length];
    for (int k = 0; k < at.length; k++) {
      some[k] = values[at[k]];
    }
    return at.length == b.groups()
        ? context.tensor(some, b.groups(), 1)
        : context.tensor(some, b.groups(), at.length / b.groups(), 1);
  }

  private static int[] slots(int[] states, TransitionGroups groups) {
    return Arrays.stream(states).map(s -> groups.slots[s]).toArray();
  }

  private void record() {
    Expr<F32> x = output.reshape(frames, sequences, -1).permute(0, 2, 1);
    // NaN counts as the lower limit.
    Expr<F32> limited = where(x.ge(-LIMIT), min(x, LIMIT), scalar(F32, -LIMIT));
    context.assign(exps, exp(limited));
    context.assign(alphas.slice(at(0)), initialForward);
    context.assign(sums.slice(at(0)), sum(initialForward, 0));
    for (int t = 1; t <= frames; t++) {
      context.assign(alpha, withJumps(t - 1));
      Expr<F32> e = exps.slice(at(t - 1));
      var parts = new ArrayList<Expr<F32>>();
      for (Groups p : byTarget) {
        parts.add(
            p.sums(k -> take(alpha, k.source, 0).times(k.probability).times(take(e, k.pdf, 0))));
      }
      context.assign(alphas.slice(at(t)), joined(parts).div(sums.slice(at(t - 1))));
      context.assign(sums.slice(at(t)), sum(alphas.slice(at(t)), 0));
    }
    Expr<F64> last = sums.slice(at(frames)).cast(F64).times(1 + leaky * initialSum);
    context.assign(logProb, sum(log(sums.slice(range(0, frames)).cast(F64))).plus(sum(log(last))));
    backward(last.cast(F32));
  }

  private void backward(Expr<F32> total) {
    context.assign(beta, scalar(F32, 1).div(total).reshape(1, -1));
    context.assign(jump, jumps());
    for (int t = frames - 1; t >= 0; t--) {
      context.assign(alpha, withJumps(t));
      context.assign(next, beta.plus(jump));
      Expr<F32> e = exps.slice(at(t));
      Expr<F32> scale = sums.slice(at(t));
      var ofPdfs = new ArrayList<Expr<F32>>();
      for (Groups p : byPdf) {
        Expr<F32> sums =
            p.sums(
                k -> take(alpha, k.source, 0).times(k.probability).times(take(next, k.target, 0)));
        ofPdfs.add(sums.times(take(e, p.firstPdfs(), 0)));
      }
      context.assign(posteriors.slice(at(t)), joined(ofPdfs).div(scale));
      var parts = new ArrayList<Expr<F32>>();
      for (Groups p : bySource) {
        parts.add(
            p.sums(k -> take(next, k.target, 0).times(k.probability).times(take(e, k.pdf, 0))));
      }
      context.assign(beta, joined(parts).div(scale));
      context.assign(jump, jumps());
    }
    // At the first frame, alpha is the initial probability in any order of the states.
    Expr<F32> first = initialBackward.times(sums.slice(at(0)).times(leaky).plus(1));
    context.assign(check.slice(at(0)), sum(first.times(beta)));
    context.assign(check.slice(at(1)), sum(posteriors.slice(at(0))));
  }

  private Expr<F32> withJumps(int t) {
    return alphas
        .slice(at(t))
        .plus(initialForward.times(sums.slice(at(t)).times(leaky).reshape(1, -1)));
  }

  private Expr<F32> jumps() {
    return sum(initialBackward.times(beta), 0).times(leaky);
  }

  private static Expr<F32> joined(List<Expr<F32>> parts) {
    return parts.size() == 1 ? parts.getFirst() : concat(0, parts);
  }

  /** Computes the log-probability and the posteriors of the values of {@link #output}. */
  void run() {
    program.run();
  }

  int kernelCount() {
    return program.kernelCount();
  }

  /** Sum over the sequences of their log-probabilities. */
  double logProb() {
    return logProb.item();
  }

  /** Posteriors of pdfs, {@code f32[frames * sequences, pdfs]}. */
  Expr<F32> posteriors() {
    return take(posteriors, pdfSlots, 1)
        .permute(0, 2, 1)
        .reshape((long) frames * sequences, pdfSlots.shape().size());
  }

  /** False if forward and backward pass contradict each other by more than rounding errors. */
  boolean ok() {
    float[] sum = check.toFloatArray();
    return !(Math.abs(sum[0] - sequences) > 2) && !(Math.abs(sum[1] - sequences) > 2);
  }
}
