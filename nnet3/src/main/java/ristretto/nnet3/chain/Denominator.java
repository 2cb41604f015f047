package ristretto.nnet3.chain;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.F64;
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

  private final List<Tensor<F32>> betas;
  private final List<Tensor<F32>> jumps;
  private final Tensor<F32> initialForward;
  private final Tensor<F32> initialBackward;
  private final Tensor<F64> logProb;
  private final Tensor<F32> check;
  private final List<Place> byTarget;
  private final List<Place> bySource;
  private final List<Place> byPdf;
  private final double initialSum;
  private final Program program;

  /** Transitions of a bucket on the device, {@code [groups, size]}. */
  private record Place(
      Tensor<I32> source, Tensor<I32> target, Tensor<I32> pdf, Tensor<F32> probability) {}

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
    Function<TransitionGroups, List<Place>> places =
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
    betas = List.of(context.zeros(F32, states, sequences), context.zeros(F32, states, sequences));
    jumps = List.of(context.zeros(F32, sequences), context.zeros(F32, sequences));
    posteriors = context.zeros(F32, frames, pdfs, sequences);
    logProb = context.zeros(F64);
    check = context.zeros(F32, 2);
    program = context.recordOnly(this::record);
  }

  private List<Place> places(
      DenominatorGraph graph,
      TransitionGroups groups,
      TransitionGroups targets,
      TransitionGroups sources) {
    var all = new ArrayList<Place>();
    for (TransitionGroups.Bucket b : groups.buckets) {
      int[] source = b.of(graph.sources(), 0);
      int[] target = b.of(graph.targets(), 0);
      all.add(
          new Place(
              places(slots(source, targets), b),
              places(slots(target, sources), b),
              places(b.of(graph.pdfsOfTransitions(), 0), b),
              context.tensor(b.of(graph.probabilities()), b.groups(), b.size(), 1)));
    }
    return all;
  }

  private static int[] slots(int[] states, TransitionGroups groups) {
    return Arrays.stream(states).map(s -> groups.slots[s]).toArray();
  }

  private Tensor<I32> places(int[] values, TransitionGroups.Bucket b) {
    return context.tensor(values, b.groups(), b.size());
  }

  private void record() {
    Expr<F32> x = output.reshape(frames, sequences, -1).permute(0, 2, 1);
    // NaN counts as the lower limit.
    Expr<F32> limited = where(x.ge(-LIMIT), min(x, LIMIT), scalar(F32, -LIMIT));
    context.assign(exps, exp(limited));
    context.assign(alphas.slice(at(0)), initialForward);
    context.assign(sums.slice(at(0)), sum(initialForward, 0));
    for (int t = 1; t <= frames; t++) {
      Expr<F32> before = withJumps(t - 1);
      Expr<F32> e = exps.slice(at(t - 1));
      var parts = new ArrayList<Expr<F32>>();
      for (Place p : byTarget) {
        Expr<F32> arcs = take(before, p.source, 0).times(p.probability).times(take(e, p.pdf, 0));
        parts.add(sum(arcs, 1));
      }
      context.assign(alphas.slice(at(t)), joined(parts).div(sums.slice(at(t - 1))));
      context.assign(sums.slice(at(t)), sum(alphas.slice(at(t)), 0));
    }
    Expr<F64> last = sums.slice(at(frames)).cast(F64).times(1 + leaky * initialSum);
    context.assign(logProb, sum(log(sums.slice(range(0, frames)).cast(F64))).plus(sum(log(last))));
    backward(last.cast(F32));
  }

  private void backward(Expr<F32> total) {
    Tensor<F32> beta = betas.get(frames % 2);
    context.assign(beta, scalar(F32, 1).div(total).reshape(1, -1));
    context.assign(jumps.get(frames % 2), jump(beta));
    for (int t = frames - 1; t >= 0; t--) {
      Expr<F32> alpha = withJumps(t);
      Expr<F32> next = betas.get((t + 1) % 2).plus(jumps.get((t + 1) % 2));
      Expr<F32> e = exps.slice(at(t));
      Expr<F32> scale = sums.slice(at(t));
      var ofPdfs = new ArrayList<Expr<F32>>();
      for (Place p : byPdf) {
        Expr<F32> arcs =
            take(alpha, p.source, 0)
                .times(p.probability)
                .times(take(next, p.target, 0))
                .times(take(e, p.pdf, 0));
        ofPdfs.add(sum(arcs, 1));
      }
      context.assign(posteriors.slice(at(t)), joined(ofPdfs).div(scale));
      var parts = new ArrayList<Expr<F32>>();
      for (Place p : bySource) {
        Expr<F32> arcs = take(next, p.target, 0).times(p.probability).times(take(e, p.pdf, 0));
        parts.add(sum(arcs, 1));
      }
      Tensor<F32> to = betas.get(t % 2);
      context.assign(to, joined(parts).div(scale));
      context.assign(jumps.get(t % 2), jump(to));
    }
    // At the first frame, alpha is the initial probability in any order of the states.
    Expr<F32> first = initialBackward.times(sums.slice(at(0)).times(leaky).plus(1));
    context.assign(check.slice(at(0)), sum(first.times(betas.get(0))));
    context.assign(check.slice(at(1)), sum(posteriors.slice(at(0))));
  }

  private Expr<F32> withJumps(int t) {
    return alphas
        .slice(at(t))
        .plus(initialForward.times(sums.slice(at(t)).times(leaky).reshape(1, -1)));
  }

  private Expr<F32> jump(Tensor<F32> beta) {
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
