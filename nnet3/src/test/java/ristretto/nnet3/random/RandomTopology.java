package ristretto.nnet3.random;

import static ristretto.nnet3.random.NetWriter.append;
import static ristretto.nnet3.random.NetWriter.offset;
import static ristretto.nnet3.random.NetWriter.splice;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;

/** Kinds of networks: those that Kaldi's own tests draw from, and some more. */
enum RandomTopology {
  AFFINE(RandomTopology::affine),
  CONTEXT(RandomTopology::context),
  RELU(RandomTopology::relu),
  RNN(RandomTopology::rnn),
  CLOCKWORK(RandomTopology::clockwork),
  LSTM((draw, to) -> lstm(draw, to, false)),
  LSTM_TRUNCATED((draw, to) -> lstm(draw, to, true)),
  FAST_LSTM(RandomTopology::fastLstm),
  GRU(RandomTopology::gru),
  OLD_CNN(RandomTopology::oldCnn),
  CNN(RandomTopology::cnn),
  DISTRIBUTE(RandomTopology::distribute),
  COMPOSITE(RandomTopology::composite),
  STATISTICS(RandomTopology::statistics),
  ATTENTION(RandomTopology::attention),
  TDNNF(RandomTopology::tdnnf),
  MIXED((draw, to) -> new MixedLayers(draw, to).write()),
  MIXED_TOO((draw, to) -> new MixedLayers(draw, to).write()),
  MIXED_RECURRENT((draw, to) -> new MixedLayers(draw, to).recurrent().write());

  private static final String NG = "NaturalGradientAffineComponent";

  private final BiConsumer<Draw, NetWriter> writer;

  RandomTopology(BiConsumer<Draw, NetWriter> writer) {
    this.writer = writer;
  }

  String config(Draw draw) {
    var to = new NetWriter();
    writer.accept(draw, to);
    return to.toString();
  }

  /** Returns true if a step depends on all steps before it, or on all steps after it. */
  boolean isRecurrent() {
    return switch (this) {
      case RNN, CLOCKWORK, LSTM, LSTM_TRUNCATED, FAST_LSTM, GRU, MIXED_RECURRENT -> true;
      default -> false;
    };
  }

  private static void affine(Draw draw, NetWriter to) {
    int in = draw.between(1, 12);
    String x = to.input("input", in);
    to.output(to.affine("AffineComponent", in, draw.between(1, 15), x));
  }

  private static void context(Draw draw, NetWriter to) {
    int in = draw.between(2, 8);
    int out = draw.between(1, 15);
    List<Integer> offsets = draw.some(-5, 3);
    String x = to.input("input", in);
    if (draw.coin()) {
      to.output(to.affine("AffineComponent", in * offsets.size(), out, splice(x, offsets)));
    } else {
      to.output(
          to.node(
              "TdnnComponent",
              String.format(
                  Locale.ROOT,
                  "input-dim=%d output-dim=%d time-offsets=%s use-bias=%b use-natural-gradient=%b",
                  in,
                  out,
                  Draw.list(offsets),
                  draw.coin(),
                  draw.coin()),
              x));
    }
  }

  private static String finish(Draw draw, NetWriter to, int dim, String x) {
    return switch (draw.between(0, 3)) {
      case 0 -> to.node("SoftmaxComponent", "dim=" + dim, x);
      case 1 -> to.node("LogSoftmaxComponent", "dim=" + dim, x);
      default -> x;
    };
  }

  private static void relu(Draw draw, NetWriter to) {
    int in = draw.between(2, 8);
    int hidden = draw.between(4, 12);
    int out = draw.between(2, 10);
    int ivector = draw.coin() ? draw.between(1, 5) : 0;
    String x = to.input("input", in);
    var parts = new ArrayList<String>();
    if (ivector > 0) {
      parts.add("ReplaceIndex(" + to.input("ivector", ivector) + ", t, 0)");
    }
    List<Integer> offsets = draw.some(-5, 3);
    for (int by : offsets) {
      parts.add(draw.coin() ? offset(x, by) : "Scale(-1, " + offset(x, by) + ")");
    }
    String a = to.affine(NG, ivector + in * offsets.size(), hidden, append(parts));
    String read =
        switch (draw.between(0, 3)) {
          case 0 -> "Scale(-1.0, " + a + ")";
          case 1 -> "Sum(Const(1.0, " + hidden + "), Scale(-1.0, " + a + "))";
          default -> a;
        };
    String h = to.node("RectifiedLinearComponent", "dim=" + hidden, read);
    if (draw.coin()) {
      int block = hidden % 2 == 0 ? hidden / 2 : hidden;
      h =
          to.node(
              "BatchNormComponent",
              String.format(
                  Locale.ROOT,
                  "dim=%d block-dim=%d target-rms=2.0%s",
                  hidden,
                  block,
                  draw.coin() ? " epsilon=3.0" : ""),
              h);
    }
    if (draw.coin()) {
      h = to.node("RectifiedLinearComponent", "dim=" + hidden, to.affine(NG, hidden, hidden, h));
    }
    to.output(finish(draw, to, out, to.affine(NG, hidden, out, h)));
  }

  private static void rnn(Draw draw, NetWriter to) {
    int in = draw.between(2, 6);
    int hidden = draw.between(3, 8);
    int out = draw.between(2, 8);
    List<Integer> offsets = draw.some(-3, 3);
    String x = splice(to.input("input", in), offsets);
    String a = to.affine(NG, in * offsets.size(), hidden, x);
    int by = draw.pick(-1, -1, -2, -3, 1, 2);
    String inside = draw.coin() ? offset("hidden", by) : "IfDefined(" + offset("hidden", by) + ")";
    String r = to.affine(NG, hidden, hidden, inside);
    to.node(
        "hidden",
        draw.pick("RectifiedLinearComponent", "TanhComponent"),
        "dim=" + hidden,
        "Sum(" + a + ", IfDefined(" + r + "))");
    String y = to.affine(NG, hidden, out, "hidden");
    to.output(to.node("LogSoftmaxComponent", "dim=" + out, y));
  }

  private static void clockwork(Draw draw, NetWriter to) {
    int in = draw.between(2, 6);
    int hidden = draw.between(3, 8);
    int out = draw.between(2, 8);
    int period = draw.between(2, 4);
    List<Integer> offsets = draw.some(-3, 3);
    String x = splice(to.input("input", in), offsets);
    String a = to.affine(NG, in * offsets.size(), hidden, x);
    String r = to.affine(NG, hidden, hidden, offset("hidden", -period));
    to.node(
        "hidden",
        "RectifiedLinearComponent",
        "dim=" + hidden,
        "Sum(" + a + ", IfDefined(" + r + "))");
    var last = new ArrayList<String>();
    for (int k = 0; k < period; k++) {
      last.add(offset(to.affine(NG, hidden, out, "hidden"), -k));
    }
    String y =
        to.node("LogSoftmaxComponent", "dim=" + out, "Switch(" + String.join(", ", last) + ")");
    to.output(y);
  }

  /** Gates of components of their own, with a projection. */
  private static void lstm(Draw draw, NetWriter to, boolean truncated) {
    int in = draw.between(2, 5);
    int cell = draw.between(3, 6);
    int projection = draw.between(1, cell);
    int out = draw.between(2, 6);
    int by = truncated ? draw.pick(-3, -2, -1, 1, 2, 3) : -1;
    List<Integer> offsets = draw.some(-2, 2);
    int spliced = in * offsets.size();
    String x = splice(to.input("input", in), offsets);
    String read = x.startsWith("Append(") ? x.substring(7, x.length() - 1) : x;
    String xr = "Append(" + read + ", IfDefined(" + offset("r", by) + "))";
    String before =
        truncated
            ? "IfDefined(" + offset("c", by) + ")"
            : "Sum(Failover(" + offset("c1", by) + ", c0), IfDefined(" + offset("c2", by) + "))";
    String now = truncated ? "c" : "Sum(c1, c2)";
    if (!truncated) {
      to.node("c0", "ConstantComponent", "output-dim=" + cell, "c0");
    }
    gate(to, "i", spliced + projection, cell, xr, before);
    gate(to, "f", spliced + projection, cell, xr, before);
    gate(to, "o", spliced + projection, cell, xr, now);
    String g = to.affine(NG, spliced + projection, cell, xr);
    to.node("g", "TanhComponent", "dim=" + cell, g);
    String product = "input-dim=" + 2 * cell + " output-dim=" + cell;
    to.node("c1", "ElementwiseProductComponent", product, "Append(f, " + before + ")");
    to.node("c2", "ElementwiseProductComponent", product, "Append(i, g)");
    to.node("h", "TanhComponent", "dim=" + cell, now);
    to.node("m", "ElementwiseProductComponent", product, "Append(o, h)");
    String rp = to.affine(NG, cell, 2 * projection, "m");
    String r = to.range(rp, 0, projection);
    String limits = truncation(draw);
    if (truncated) {
      to.node("c", "BackpropTruncationComponent", "dim=" + cell + limits, "Sum(c1, c2)");
      to.node("r", "BackpropTruncationComponent", "dim=" + projection + limits, r);
    } else {
      to.node("r", "NoOpComponent", "dim=" + projection, r);
    }
    String y = to.affine(NG, 2 * projection, out, rp);
    to.output(to.node("LogSoftmaxComponent", "dim=" + out, y));
  }

  private static void gate(
      NetWriter to, String name, int dim, int cell, String xr, String peephole) {
    String a = to.affine(NG, dim, cell, xr);
    String p = to.node("PerElementScaleComponent", "dim=" + cell, peephole);
    to.node(name, "SigmoidComponent", "dim=" + cell, "Sum(" + a + ", " + p + ")");
  }

  private static String truncation(Draw draw) {
    return String.format(
        Locale.ROOT,
        " scale=%s clipping-threshold=%d zeroing-threshold=%d zeroing-interval=%d"
            + " recurrence-interval=1",
        draw.pick("0.8", "0.9", "1.0"),
        draw.between(6, 50),
        draw.between(1, 5),
        draw.between(1, 5) * 10);
  }

  private static void fastLstm(Draw draw, NetWriter to) {
    int in = draw.between(2, 6);
    int out = draw.between(2, 8);
    String x = to.input("input", in);
    int layers = draw.between(1, 2);
    int dim = in;
    for (int layer = 0; layer < layers; layer++) {
      int cell = draw.between(2, 6);
      int projection = draw.between(1, cell);
      int by = draw.pick(-3, -1, -1, 2);
      boolean dropout = draw.oneIn(3);
      String r = "r" + layer;
      String c = "c" + layer;
      String w =
          to.affine(
              NG,
              dim + projection,
              4 * cell,
              "Append(" + x + ", IfDefined(" + offset(r, by) + "))");
      String read = w + ", IfDefined(" + offset(c, by) + ")";
      if (dropout) {
        String mask =
            to.node(
                "mask" + layer,
                "DropoutMaskComponent",
                "output-dim=3 dropout-proportion=0.3",
                "mask" + layer);
        read += ", " + mask;
      }
      String lstm =
          to.node(
              "LstmNonlinearityComponent",
              "cell-dim=" + cell + (dropout ? " use-dropout=true" : ""),
              "Append(" + read + ")");
      String limits = truncation(draw);
      String rp = to.affine(NG, cell, projection + draw.between(0, 3), to.range(lstm, cell, cell));
      dim = projection;
      to.node(c, "BackpropTruncationComponent", "dim=" + cell + limits, to.range(lstm, 0, cell));
      to.node(r, "BackpropTruncationComponent", "dim=" + projection + limits, to.range(rp, 0, dim));
      x = r;
    }
    to.output(finish(draw, to, out, to.affine(NG, dim, out, x)));
  }

  private static void gru(Draw draw, NetWriter to) {
    int in = draw.between(2, 6);
    int cell = draw.between(2, 6);
    int out = draw.between(2, 8);
    int by = draw.pick(-2, -1, -1, 1);
    String x = to.input("input", in);
    boolean output = draw.coin();
    int recurrent = output || draw.coin() ? cell : draw.between(1, cell);
    String s = "IfDefined(" + offset("s", by) + ")";
    String gates = "Append(" + x + ", " + s + ")";
    String z =
        to.node("SigmoidComponent", "dim=" + cell, to.affine(NG, in + recurrent, cell, gates));
    String y;
    if (output) {
      String h = to.affine(NG, in, cell, x);
      y =
          to.node(
              "OutputGruNonlinearityComponent",
              "cell-dim=" + cell,
              "Append(" + z + ", " + h + ", IfDefined(" + offset("c", by) + "))");
    } else {
      String g =
          to.node(
              "SigmoidComponent",
              "dim=" + recurrent,
              to.affine(NG, in + recurrent, recurrent, gates));
      String h = to.affine(NG, in, cell, x);
      String previous = recurrent == cell ? "" : ", IfDefined(" + offset("c", by) + ")";
      y =
          to.node(
              "GruNonlinearityComponent",
              "cell-dim=" + cell + " recurrent-dim=" + recurrent,
              "Append(" + z + ", " + g + ", " + h + previous + ", " + s + ")");
    }
    to.node(
        "c",
        "BackpropTruncationComponent",
        "dim=" + cell + truncation(draw),
        to.range(y, cell, cell));
    String s0 = recurrent == cell ? "c" : to.affine("LinearComponent", cell, recurrent, "c");
    to.node("s", "NoOpComponent", "dim=" + recurrent, s0);
    to.output(finish(draw, to, out, to.affine(NG, cell, out, "c")));
  }

  private static void oldCnn(Draw draw, NetWriter to) {
    int z = draw.between(1, 3);
    int fx = draw.between(1, 4);
    int fy = draw.between(1, 4);
    int sx = draw.between(1, fx);
    int sy = draw.between(1, fy);
    int ox = draw.between(1, 3);
    int oy = draw.between(1, 3);
    int filters = draw.between(1, 4);
    int x = fx + (ox - 1) * sx;
    int y = fy + (oy - 1) * sy;
    String conv =
        to.node(
            "ConvolutionComponent",
            String.format(
                Locale.ROOT,
                "input-x-dim=%d input-y-dim=%d input-z-dim=%d filt-x-dim=%d filt-y-dim=%d"
                    + " filt-x-step=%d filt-y-step=%d num-filters=%d input-vectorization-order=%s",
                x,
                y,
                z,
                fx,
                fy,
                sx,
                sy,
                filters,
                draw.pick("yzx", "zyx")),
            to.input("input", x * y * z));
    if (draw.oneIn(3)) {
      to.output(conv);
      return;
    }
    int px = draw.between(1, ox);
    int py = draw.between(1, oy);
    int pz = draw.between(1, filters);
    to.output(
        to.node(
            "MaxpoolingComponent",
            String.format(
                Locale.ROOT,
                "input-x-dim=%d input-y-dim=%d input-z-dim=%d pool-x-size=%d pool-y-size=%d"
                    + " pool-z-size=%d pool-x-step=%d pool-y-step=%d pool-z-step=%d",
                ox,
                oy,
                filters,
                px,
                py,
                pz,
                step(draw, ox, px),
                step(draw, oy, py),
                step(draw, filters, pz)),
            conv));
  }

  private static int step(Draw draw, int size, int pool) {
    int step;
    do {
      step = draw.between(1, pool);
    } while ((size - pool) % step != 0);
    return step;
  }

  private static void cnn(Draw draw, NetWriter to) {
    int height = draw.between(4, 8);
    int filters = draw.between(1, 3);
    int layers = draw.between(0, 3);
    String x = to.input("input", height * filters);
    for (int layer = 0; layer < layers; layer++) {
      boolean padding = height < 4 || draw.coin();
      int subsample = height < 4 ? 1 : draw.between(1, 2);
      int next = ((padding ? height : height - 2) + subsample - 1) / subsample;
      int nextFilters = next == height && draw.coin() ? filters : draw.between(1, 5);
      String times = draw.pick("0", "-1,0,1", "-1,0,1", "-2,0,2", "0,3");
      String required = draw.coin() ? "" : draw.pick(times.split(","));
      String conv =
          to.node(
              "TimeHeightConvolutionComponent",
              String.format(
                  Locale.ROOT,
                  "num-filters-in=%d num-filters-out=%d height-in=%d height-out=%d"
                      + " height-offsets=%s time-offsets=%s height-subsample-out=%d"
                      + " bias-stddev=0.5%s%s",
                  filters,
                  nextFilters,
                  height,
                  next,
                  !padding ? "0,1,2" : height == 1 ? "0" : "-1,0,1",
                  times,
                  subsample,
                  required.isEmpty() ? "" : " required-time-offsets=" + required,
                  draw.coin() ? " max-memory-mb=1.0e-04" : ""),
              x);
      if (draw.oneIn(3)) {
        conv = to.node("RectifiedLinearComponent", "dim=" + next * nextFilters, conv);
      }
      String sum = conv;
      if (next == height && nextFilters == filters && draw.coin()) {
        sum = "Sum(" + conv + ", " + x + ")";
      }
      if (draw.oneIn(3)) {
        sum = "Round(" + conv + ", " + draw.between(2, 3) + ")";
      }
      height = next;
      filters = nextFilters;
      x = sum.equals(conv) ? conv : to.node("NoOpComponent", "dim=" + height * filters, sum);
    }
    to.output(x);
  }

  private static void distribute(Draw draw, NetWriter to) {
    int blocks = draw.between(1, 5);
    int dim = draw.between(2, 6);
    int out = draw.between(1, 6);
    String x = to.input("input", blocks * dim);
    String d =
        to.node("DistributeComponent", "input-dim=" + blocks * dim + " output-dim=" + dim, x);
    String a = to.affine("AffineComponent", dim, out, d);
    var parts = new ArrayList<String>();
    for (int k = 0; k < blocks; k++) {
      parts.add("ReplaceIndex(" + a + ", x, " + k + ")");
    }
    to.output(blocks == 1 ? parts.get(0) : "Sum(" + String.join(", ", parts) + ")");
  }

  private static void composite(Draw draw, NetWriter to) {
    int repeats = draw.between(2, 3);
    int dim = repeats * draw.between(1, 4);
    String x = to.input("input", dim);
    int count = draw.between(1, 4);
    var keys =
        new StringBuilder(
            String.format(
                Locale.ROOT, "max-rows-process=%d num-components=%d", draw.between(1, 40), count));
    for (int k = 1; k <= count; k++) {
      int next = repeats * draw.between(1, 4);
      String part =
          switch (draw.between(0, 4)) {
            case 0 ->
                String.format(
                    Locale.ROOT,
                    "type=BlockAffineComponent input-dim=%d output-dim=%d num-blocks=%d",
                    dim,
                    next,
                    repeats);
            case 1 ->
                String.format(
                    Locale.ROOT,
                    "type=RepeatedAffineComponent input-dim=%d output-dim=%d num-repeats=%d",
                    dim,
                    next,
                    repeats);
            case 2 ->
                String.format(
                    Locale.ROOT,
                    "type=NaturalGradientRepeatedAffineComponent input-dim=%d output-dim=%d"
                        + " num-repeats=%d",
                    dim,
                    next,
                    repeats);
            case 3 -> "type=SigmoidComponent dim=" + dim;
            default -> "type=NormalizeComponent dim=" + dim;
          };
      keys.append(" component").append(k).append("='").append(part).append('\'');
      dim = part.contains("output-dim") ? next : dim;
    }
    to.output(to.node("CompositeComponent", keys.toString(), x));
  }

  private static void statistics(Draw draw, NetWriter to) {
    int in = draw.between(2, 6);
    int period = draw.between(1, 3);
    int stats = period * draw.between(1, 3);
    int counts = draw.between(0, 3);
    boolean deviations = draw.coin();
    String x = to.input("input", in);
    String e =
        to.node(
            "StatisticsExtractionComponent",
            String.format(
                Locale.ROOT,
                "input-dim=%d input-period=%d output-period=%d include-variance=%b",
                in,
                period,
                stats,
                deviations),
            x);
    String p =
        to.node(
            "StatisticsPoolingComponent",
            String.format(
                Locale.ROOT,
                "input-dim=%d input-period=%d left-context=%d right-context=%d"
                    + " num-log-count-features=%d output-stddevs=%b variance-floor=%s",
                1 + in * (deviations ? 2 : 1),
                stats,
                stats * draw.between(1, 4),
                stats * draw.between(1, 4),
                counts,
                deviations,
                draw.pick("1.0e-10", "1.0e-02")),
            e);
    int dim = counts + in * (deviations ? 2 : 1);
    String a = to.affine("AffineComponent", in, dim, x);
    to.output("Sum(" + a + ", Round(" + p + ", " + stats + "))");
  }

  private static void attention(Draw draw, NetWriter to) {
    int in = draw.between(2, 6);
    int heads = draw.between(1, 2);
    int key = draw.between(1, 4);
    int value = draw.between(1, 4);
    int left = draw.between(1, 4);
    int right = draw.between(0, 2);
    int dim = heads * (key + value + key + left + 1 + right);
    String a = to.affine(NG, in, dim, to.input("input", in));
    boolean context = draw.coin();
    String y =
        to.node(
            "RestrictedAttentionComponent",
            String.format(
                Locale.ROOT,
                "num-heads=%d key-dim=%d value-dim=%d time-stride=%d num-left-inputs=%d"
                    + " num-right-inputs=%d num-left-inputs-required=%d"
                    + " num-right-inputs-required=%d output-context=%b%s",
                heads,
                key,
                value,
                draw.between(1, 3),
                left,
                right,
                draw.between(0, left),
                draw.between(0, right),
                context,
                draw.coin() ? " key-scale=1.0" : ""),
            a);
    int made = heads * (value + (context ? left + 1 + right : 0));
    to.output(draw.coin() ? y : to.affine(NG, made, draw.between(1, 5), y));
  }

  private static void tdnnf(Draw draw, NetWriter to) {
    int in = draw.between(2, 6);
    int dim = draw.between(3, 8);
    int bottleneck = draw.between(1, dim - 1);
    int out = draw.between(2, 6);
    String input = to.input("input", in);
    String x = to.affine(NG, 3 * in, dim, splice(input, List.of(-1, 0, 1)));
    x = to.node("RectifiedLinearComponent", "dim=" + dim, x);
    int layers = draw.between(1, 3);
    for (int layer = 0; layer < layers; layer++) {
      int stride = draw.between(0, 3);
      String linear =
          to.node(
              "LinearComponent",
              String.format(
                  Locale.ROOT,
                  "input-dim=%d output-dim=%d orthonormal-constraint=-1.0",
                  stride == 0 ? dim : 2 * dim,
                  bottleneck),
              stride == 0 ? x : "Append(" + offset(x, -stride) + ", " + x + ")");
      String a =
          to.affine(
              NG,
              stride == 0 ? bottleneck : 2 * bottleneck,
              dim,
              stride == 0 ? linear : "Append(" + linear + ", " + offset(linear, stride) + ")");
      String y = to.node("RectifiedLinearComponent", "dim=" + dim, a);
      y = to.node("BatchNormComponent", "dim=" + dim, y);
      if (draw.coin()) {
        y =
            to.node(
                "GeneralDropoutComponent",
                "dim=" + dim + " dropout-proportion=0.2 continuous=" + draw.coin(),
                y);
      }
      x = to.node("NoOpComponent", "dim=" + dim, "Sum(Scale(0.66, " + x + "), " + y + ")");
    }
    to.output(finish(draw, to, out, to.affine(NG, dim, out, x)));
  }
}
