package ristretto.onnx.operator;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.onnx.call.NodeCall;
import ristretto.onnx.call.Value;
import ristretto.onnx.file.ElementType;

/** Normalizations. */
final class NormalizationRules {
  private NormalizationRules() {}

  static void addTo(Rules rules) {
    rules.add("LayerNormalization", NormalizationRules::layer);
    rules.add("RMSNormalization", NormalizationRules::rms);
    rules.add("BatchNormalization", NormalizationRules::batch);
    rules.one("InstanceNormalization", NormalizationRules::instance);
    rules.one("GroupNormalization", NormalizationRules::group);
    rules.one("LpNormalization", NormalizationRules::lp);
    rules.one("MeanVarianceNormalization", NormalizationRules::meanVariance);
    rules.one("LRN", NormalizationRules::lrn);
  }

  private static int[] from(int axis, int rank) {
    return IntStream.range(axis, rank).toArray();
  }

  /** The element type in which a normalization computes its statistics. */
  private static Expr<Object> wide(NodeCall n) {
    ElementType stash = ElementType.of(n.integer("stash_type", 1));
    Expr<Object> x = n.in(0);
    return x.dtype() == (Object) Ops.F64 ? x : x.cast(stash.dtype());
  }

  private static List<Value> layer(NodeCall n) {
    int axis = n.axis(n.integer("axis", -1), n.rank(0));
    int[] axes = from(axis, n.rank(0));
    Expr<Object> x = wide(n);
    Expr<Object> mean = Ops.mean(x, axes).keepDims();
    Expr<Object> centered = x.minus(mean);
    Expr<Object> factor =
        Ops.rsqrt(Ops.mean(Ops.square(centered), axes).keepDims().plus(n.number("epsilon", 1e-5f)));
    Expr<Object> y = centered.times(factor).cast(n.in(0).dtype()).times(n.in(1));
    return List.of(Value.of(n.has(2) ? y.plus(n.in(2)) : y), Value.of(mean), Value.of(factor));
  }

  private static List<Value> rms(NodeCall n) {
    int axis = n.axis(n.integer("axis", -1), n.rank(0));
    Expr<Object> x = wide(n);
    Expr<Object> square = Ops.mean(Ops.square(x), from(axis, n.rank(0))).keepDims();
    Expr<Object> y = x.times(Ops.rsqrt(square.plus(n.number("epsilon", 1e-5f))));
    return List.of(Value.of(y.cast(n.in(0).dtype()).times(n.in(1))));
  }

  /** A vector along the channels. */
  private static Expr<Object> channels(Expr<Object> v, int rank) {
    long[] dims = new long[Math.max(1, rank - 1)];
    Arrays.fill(dims, 1);
    dims[0] = v.shape().size();
    return v.reshape(dims);
  }

  private static List<Value> batch(NodeCall n) {
    int rank = n.rank(0);
    Expr<Object> x = n.in(0);
    Expr<Object> mean = n.in(3);
    Expr<Object> variance = n.in(4);
    double momentum = n.number("momentum", 0.9f);
    double epsilon = n.number("epsilon", 1e-5f);
    Expr<Object> newMean = mean;
    Expr<Object> newVariance = variance;
    if (n.flag("training_mode", false)) {
      int[] axes = IntStream.range(0, rank).filter(d -> d != 1).toArray();
      mean = Ops.mean(x, axes);
      variance = Ops.mean(Ops.square(x.minus(channels(mean, rank))), axes);
      newMean = n.in(3).times(momentum).plus(mean.times(1 - momentum));
      newVariance = n.in(4).times(momentum).plus(variance.times(1 - momentum));
    }
    Expr<Object> factor = n.in(1).times(Ops.rsqrt(variance.plus(epsilon)));
    Expr<Object> y =
        x.minus(channels(mean, rank)).times(channels(factor, rank)).plus(channels(n.in(2), rank));
    return List.of(Value.of(y.cast(x.dtype())), Value.of(newMean), Value.of(newVariance));
  }

  private static Expr<Object> normalized(Expr<Object> x, double epsilon, int... axes) {
    Expr<Object> centered = x.minus(Ops.mean(x, axes).keepDims());
    return centered.times(Ops.rsqrt(Ops.mean(Ops.square(centered), axes).keepDims().plus(epsilon)));
  }

  private static Expr<Object> instance(NodeCall n) {
    int rank = n.rank(0);
    return normalized(n.in(0), n.number("epsilon", 1e-5f), from(2, rank))
        .times(channels(n.in(1), rank))
        .plus(channels(n.in(2), rank));
  }

  private static Expr<Object> group(NodeCall n) {
    int rank = n.rank(0);
    long groups = n.integer("num_groups", 1);
    n.ignore("stash_type");
    long[] dims = n.shape(0).toArray();
    Expr<Object> y =
        normalized(
                n.in(0).reshape(dims[0], groups, n.shape(0).size() / (dims[0] * groups)),
                n.number("epsilon", 1e-5f),
                2)
            .reshape(dims);
    // Before operator set 21 there is one scale for each group.
    Expr<Object> scale = n.in(1);
    Expr<Object> bias = n.in(2);
    if (scale.shape().size() == groups && groups != dims[1]) {
      scale = Ops.repeat(scale, dims[1] / groups, 0);
      bias = Ops.repeat(bias, dims[1] / groups, 0);
    }
    return y.times(channels(scale, rank)).plus(channels(bias, rank));
  }

  private static Expr<Object> lp(NodeCall n) {
    int axis = n.axis(n.integer("axis", -1), n.rank(0));
    Expr<Object> x = n.in(0);
    Expr<Object> norm =
        n.integer("p", 2) == 1
            ? Ops.sum(Ops.abs(x), axis).keepDims()
            : Ops.sqrt(Ops.sum(Ops.square(x), axis).keepDims());
    Expr<Object> zero = NodeCall.number(x, 0);
    return Ops.where(norm.eq(zero), zero, x.div(norm));
  }

  private static Expr<Object> meanVariance(NodeCall n) {
    long[] given = n.integers("axes");
    int[] axes = given == null ? new int[] {0, 2, 3} : n.axes(given, n.rank(0));
    Expr<Object> centered = n.in(0).minus(Ops.mean(n.in(0), axes).keepDims());
    Expr<Object> deviation = Ops.sqrt(Ops.mean(Ops.square(centered), axes).keepDims());
    return centered.div(deviation.plus(1e-9));
  }

  private static Expr<Object> lrn(NodeCall n) {
    long size = n.integer("size", 1);
    Expr<Object> x = n.in(0);
    long before = (size - 1) / 2;
    Expr<Object> padded = Ops.pad(Ops.square(x), 0, 0, before, size - 1 - before);
    Expr<Object> sum = null;
    long channels = x.shape().at(1);
    for (long k = 0; k < size; k++) {
      Expr<Object> part = ViewRules.part(padded, 1, k, k + channels);
      sum = sum == null ? part : sum.plus(part);
    }
    double alpha = n.number("alpha", 1e-4f) / size;
    return x.div(Ops.pow(sum.times(alpha).plus(n.number("bias", 1)), n.number("beta", 0.75)));
  }
}
