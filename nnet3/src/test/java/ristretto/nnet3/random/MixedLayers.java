package ristretto.nnet3.random;

import static ristretto.nnet3.random.NetWriter.append;
import static ristretto.nnet3.random.NetWriter.offset;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Layers of any kind, each of which reads any of those before it through any descriptor. */
final class MixedLayers {
  private static final int WIDE = 14;

  /** Readable value and its width. */
  private record Value(String name, int dim) {}

  private final Draw draw;
  private final NetWriter to;
  private final List<Value> values = new ArrayList<>();
  private boolean hasIvector;
  private boolean isRecurrent;

  MixedLayers(Draw draw, NetWriter to) {
    this.draw = draw;
    this.to = to;
  }

  /** With a layer that reads itself. */
  MixedLayers recurrent() {
    isRecurrent = true;
    return this;
  }

  void write() {
    int dim = draw.between(2, 6);
    values.add(new Value(to.input("input", dim), dim));
    if (draw.oneIn(3)) {
      hasIvector = true;
      to.input("ivector", 3);
    }
    int count = draw.between(1, 4);
    int recurrent = isRecurrent ? draw.between(0, count - 1) : -1;
    for (int k = 0; k < count; k++) {
      if (k == recurrent) {
        recurrence();
      } else {
        layer();
      }
    }
    Value last = values.get(values.size() - 1);
    to.output(draw.oneIn(3) ? part(last).name() : last.name());
    if (draw.oneIn(4)) {
      // whatever rows of it there are
      String other = offset(any().name, draw.between(-2, 2));
      to.line("output-node name=other input=IfDefined(" + other + ")");
    }
  }

  private void add(String name, int dim) {
    values.add(new Value(name, dim));
  }

  /** More often what came last. */
  private Value any() {
    return draw.coin() ? values.get(values.size() - 1) : draw.pick(values);
  }

  private Value part() {
    return part(any());
  }

  /** A descriptor of something that may be a part of one of several parts. */
  private Value part(Value v) {
    String x = v.name;
    int by = draw.between(-3, 3);
    String moved = offset(x, by);
    Value other = like(v);
    String y = offset(other.name, draw.between(-2, 2));
    return switch (draw.between(0, 15)) {
      case 0 -> new Value("Sum(" + moved + ", " + y + ")", v.dim);
      case 1 -> new Value("Scale(-0.5, " + moved + ")", v.dim);
      case 2 -> new Value("Sum(" + moved + ", IfDefined(" + offset(other.name, 4) + "))", v.dim);
      case 3 -> new Value("IfDefined(" + offset(x, draw.pick(-9, -4, 4, 9)) + ")", v.dim);
      case 4 ->
          new Value("Failover(" + offset(x, draw.pick(-8, -4, 4, 40)) + ", " + y + ")", v.dim);
      case 5 -> new Value("Switch(" + moved + ", " + offset(x, by + 1) + ")", v.dim);
      case 6 -> new Value("Switch(" + x + ", " + y + ", " + offset(x, -1) + ")", v.dim);
      case 7 -> new Value("Round(" + moved + ", " + draw.between(2, 3) + ")", v.dim);
      case 8 -> new Value("Sum(Const(0.5, " + v.dim + "), " + moved + ")", v.dim);
      case 9 -> new Value("Sum(" + x + ", Scale(2.0, " + alias(other) + "))", v.dim);
      case 10 -> {
        int dim = draw.between(1, v.dim);
        yield new Value(offset(to.range(x, draw.between(0, v.dim - dim), dim), by), dim);
      }
      case 11 -> hasIvector ? new Value("ReplaceIndex(ivector, t, 0)", 3) : v;
      case 12 -> new Value("Sum(" + x + ", Sum(" + y + ", " + moved + "))", v.dim);
      default -> draw.coin() ? v : new Value(moved, v.dim);
    };
  }

  /** Something just as wide, perhaps the same. */
  private Value like(Value v) {
    return draw.pick(values.stream().filter(other -> other.dim == v.dim).toList());
  }

  private String alias(Value v) {
    return to.range(v.name, 0, v.dim);
  }

  private Value descriptor() {
    var parts = new ArrayList<String>();
    int count = draw.pick(1, 1, 1, 2, 2, 3);
    int dim = 0;
    for (int k = 0; k < count && (k == 0 || dim < WIDE); k++) {
      Value part = part();
      parts.add(part.name);
      dim += part.dim;
    }
    return new Value(append(parts), dim);
  }

  private void recurrence() {
    Value x = descriptor();
    int dim = draw.between(2, 6);
    String loop = to.name("loop");
    String inside = "IfDefined(" + offset(loop, draw.pick(-1, -1, -2, -3, 1, 2)) + ")";
    // what comes from outside ends somewhere, and the recurrence with it
    Value end = values.get(0);
    String parts = x.name.startsWith("Append(") ? x.name.substring(7, x.name.length() - 1) : x.name;
    String read = "Append(" + parts + ", " + end.name + ", " + inside + ")";
    String a = to.affine("NaturalGradientAffineComponent", x.dim + end.dim + dim, dim, read);
    if (draw.coin()) {
      a = to.node("BatchNormComponent", "dim=" + dim + " test-mode=true", a);
    }
    String y = to.node("TanhComponent", "dim=" + dim, a);
    to.node(loop, "NoOpComponent", "dim=" + dim, y);
    add(draw.coin() ? loop : y, dim);
  }

  private void layer() {
    Value x = descriptor();
    int d = x.dim;
    String in = x.name;
    int out = draw.between(1, 8);
    switch (draw.between(0, 33)) {
      case 0, 1, 2 -> add(to.affine("NaturalGradientAffineComponent", d, out, in), out);
      case 3 -> add(to.affine("AffineComponent", d, out, in), out);
      case 4, 5 -> add(to.affine("LinearComponent", d, out, in), out);
      case 6, 7 ->
          add(
              to.node(
                  "TdnnComponent",
                  String.format(
                      Locale.ROOT,
                      "input-dim=%d output-dim=%d time-offsets=%s use-bias=%b",
                      d,
                      out,
                      Draw.list(draw.some(-3, 3)),
                      draw.coin()),
                  in),
              out);
      case 8 -> add(to.affine("FixedAffineComponent", d, out, in), out);
      case 9 -> same("SigmoidComponent", x, "");
      case 10 -> same("TanhComponent", x, "");
      case 11 -> same("RectifiedLinearComponent", x, "");
      case 12 -> same("RectifiedLinearComponent", x, block(d));
      case 13 -> {
        int blocks = d / blockDim(d);
        boolean log = draw.oneIn(3);
        String y =
            to.node(
                "NormalizeComponent",
                String.format(
                    Locale.ROOT,
                    "dim=%d block-dim=%d target-rms=0.7 add-log-stddev=%b",
                    d,
                    d / blocks,
                    log),
                in);
        add(y, log ? d + blocks : d);
      }
      case 14, 15 -> same("BatchNormComponent", x, block(d));
      case 16 -> same("ScaleAndOffsetComponent", x, block(d));
      case 17 -> same("PerElementScaleComponent", x, " param-stddev=0.5");
      case 18 -> same("NaturalGradientPerElementScaleComponent", x, " param-stddev=0.5");
      case 19 -> same("PerElementOffsetComponent", x, block(d) + " param-stddev=0.5");
      case 20 -> same("LogSoftmaxComponent", x, "");
      case 21 -> same("SoftmaxComponent", x, "");
      case 22 -> {
        int groups = d / blockDim(d);
        if (groups == d) {
          layer();
          return;
        }
        String keys = String.format(Locale.ROOT, "input-dim=%d output-dim=%d", d, groups);
        add(to.node(draw.pick("PnormComponent", "ElementwiseProductComponent"), keys, in), groups);
      }
      case 23 -> {
        int block = blockDim(d);
        String keys = String.format(Locale.ROOT, "input-dim=%d output-dim=%d scale=0.5", d, block);
        add(to.node("SumBlockComponent", keys, in), block);
      }
      case 24 -> groups(x);
      case 25 -> {
        List<Integer> map = new ArrayList<>(IntStream.range(0, d).boxed().toList());
        for (int k = d - 1; k > 0; k--) {
          map.add(map.remove(draw.between(0, k)));
        }
        same("PermuteComponent", x, " column-map=" + Draw.list(map));
      }
      case 26 -> same(draw.pick("FixedScaleComponent", "FixedBiasComponent"), x, "");
      case 27 -> {
        String type =
            draw.pick(
                "GeneralDropoutComponent", "DropoutComponent", "SpecAugmentTimeMaskComponent");
        same(
            type,
            x,
            switch (type) {
              case "DropoutComponent" -> " dropout-proportion=0.3 dropout-per-frame=" + draw.coin();
              case "GeneralDropoutComponent" ->
                  block(d)
                      + " dropout-proportion=0.2 time-period="
                      + draw.between(0, 3)
                      + " continuous="
                      + draw.coin();
              default -> "";
            });
      }
      case 28 -> {
        int blocks = d / blockDim(d);
        int made = blocks * draw.between(1, 3);
        String type =
            draw.pick(
                "RepeatedAffineComponent",
                "NaturalGradientRepeatedAffineComponent",
                "BlockAffineComponent");
        String count = type.startsWith("Block") ? "num-blocks" : "num-repeats";
        String keys =
            String.format(Locale.ROOT, "input-dim=%d output-dim=%d %s=%d", d, made, count, blocks);
        add(to.node(type, keys, in), made);
      }
      case 29 -> {
        String keys =
            String.format(
                Locale.ROOT,
                "input-dim=%d output-dim=%d output-stddev=1 is-updatable=%b",
                d,
                out,
                draw.coin());
        add(to.node("ConstantFunctionComponent", keys, in), out);
      }
      case 30 -> convolution(x);
      case 31 -> attention(x);
      case 32 -> statistics(x);
      default ->
          same(
              "BackpropTruncationComponent",
              x,
              " scale=0.9 clipping-threshold=1000" + " zeroing-threshold=1000");
    }
  }

  private void same(String type, Value x, String keys) {
    add(
        to.node(type, (type.equals("PermuteComponent") ? "" : "dim=" + x.dim) + keys, x.name),
        x.dim);
  }

  private int blockDim(int dim) {
    return draw.pick(IntStream.rangeClosed(1, dim).filter(k -> dim % k == 0).boxed().toList());
  }

  private String block(int dim) {
    return " block-dim=" + blockDim(dim);
  }

  private void groups(Value x) {
    var sizes = new ArrayList<Integer>();
    for (int left = x.dim; left > 0; left -= sizes.get(sizes.size() - 1)) {
      sizes.add(draw.between(1, Math.min(left, 3)));
    }
    add(to.node("SumGroupComponent", "sizes=" + Draw.list(sizes), x.name), sizes.size());
  }

  private void convolution(Value x) {
    int height = blockDim(x.dim);
    int filters = draw.between(1, 3);
    int made = draw.between(1, height);
    String times = draw.pick("0", "-1,0,1", "-2,0", "0,3");
    String keys =
        String.format(
            Locale.ROOT,
            "num-filters-in=%d num-filters-out=%d height-in=%d height-out=%d height-offsets=%s"
                + " time-offsets=%s required-time-offsets=%s",
            x.dim / height,
            filters,
            height,
            made,
            IntStream.rangeClosed(0, height - made)
                .mapToObj(Integer::toString)
                .collect(Collectors.joining(",")),
            times,
            draw.pick(times.split(",")));
    add(to.node("TimeHeightConvolutionComponent", keys, x.name), made * filters);
  }

  private void attention(Value x) {
    int key = draw.between(1, 3);
    int value = draw.between(1, 3);
    int left = draw.between(0, 3);
    int right = draw.between(left == 0 ? 1 : 0, 2);
    String a = to.affine("LinearComponent", x.dim, key + value + key + left + 1 + right, x.name);
    String keys =
        String.format(
            Locale.ROOT,
            "key-dim=%d value-dim=%d num-left-inputs=%d num-right-inputs=%d"
                + " num-left-inputs-required=%d num-right-inputs-required=%d time-stride=%d"
                + " output-context=false",
            key,
            value,
            left,
            right,
            draw.between(0, left),
            draw.between(0, right),
            draw.between(1, 2));
    add(to.node("RestrictedAttentionComponent", keys, a), value);
  }

  private void statistics(Value x) {
    int period = draw.between(1, 2);
    int stats = period * draw.between(1, 2);
    String e =
        to.node(
            "StatisticsExtractionComponent",
            String.format(
                Locale.ROOT,
                "input-dim=%d input-period=%d output-period=%d include-variance=true",
                x.dim,
                period,
                stats),
            x.name);
    String p =
        to.node(
            "StatisticsPoolingComponent",
            String.format(
                Locale.ROOT,
                "input-dim=%d input-period=%d left-context=%d right-context=%d"
                    + " num-log-count-features=1 output-stddevs=true variance-floor=1.0e-02",
                1 + 2 * x.dim,
                stats,
                stats * draw.between(1, 3),
                stats * draw.between(1, 3)),
            e);
    int dim = 1 + 2 * x.dim;
    add(to.node("NoOpComponent", "dim=" + dim, "Round(" + p + ", " + stats + ")"), dim);
  }
}
