package ristretto.jmh.line;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import ristretto.jmh.line.Line.Family;
import ristretto.jmh.line.Line.Oracle;
import ristretto.jmh.line.Line.Streams;

/** All lines, in the table's order. */
public final class Lines {
  private static final List<Dims> FLAT =
      List.of(
          Dims.of(1_000),
          Dims.of(100_000),
          Dims.of(1_000_000),
          Dims.of(10_000_000),
          Dims.of(50_000_000));
  private static final List<Dims> MATRIX = List.of(Dims.of(4096, 1024));
  private static final List<Dims> CUBE = List.of(Dims.of(64, 64, 1024));
  private static final List<Dims> SQUARE = List.of(Dims.of(1024, 1024), Dims.of(4096, 4096));
  private static final ToLongFunction<Dims> ALL = Dims::product;
  private static final ToLongFunction<Dims> FIRST = d -> d.get(0);
  private static final ToLongFunction<Dims> LAST = d -> d.get(d.rank() - 1);

  private static final List<Line> LINES = make();

  private Lines() {}

  public static List<Line> all() {
    return LINES;
  }

  public static Line named(String name) {
    return LINES.stream().filter(l -> l.name().equals(name)).findFirst().orElseThrow();
  }

  /** Sizes for a data center's GPU, which a processor's sizes do not occupy. */
  public static List<Dims> gpuSizes(Line line) {
    return switch (line.family()) {
      case MAP, SUM -> List.of(Dims.of(1_000_000), Dims.of(10_000_000), Dims.of(100_000_000));
      case ROWS -> List.of(Dims.of(8192, 4096));
      case REDUCE ->
          List.of(
              line.sizes().getFirst().rank() == 3 ? Dims.of(128, 128, 2048) : Dims.of(8192, 4096));
      case LAYOUT -> List.of(Dims.of(8192, 4096));
      case GEMM -> List.of(Dims.of(1024, 1024, 1024), Dims.of(4096, 4096, 4096));
    };
  }

  private static List<Line> make() {
    var lines = new ArrayList<Line>();
    maps(lines);
    rows(lines);
    layouts(lines);
    products(lines);
    return List.copyOf(lines);
  }

  private static void maps(List<Line> lines) {
    Input any = new Input(-4, 4, ALL);
    Input small = new Input(0.1, 2, ALL);
    Input price = new Input(50, 150, ALL);
    lines.add(map("copy", "x", List.of(any), (d, in, i) -> in.get(0).value(0, i)));
    lines.add(
        map(
            "axpby",
            "3a + 2b",
            List.of(any, any),
            (d, in, i) -> 3.0 * in.get(0).value(0, i) + 2.0 * in.get(1).value(1, i)));
    lines.add(
        map(
            "sigmoid",
            "1 / (1 + exp(-x))",
            List.of(any),
            (d, in, i) -> Formulas.sigmoid(in.get(0).value(0, i))));
    lines.add(
        map(
            "gelu",
            "x/2 (1 + tanh(0.798 (x + 0.0447 x^3)))",
            List.of(any),
            (d, in, i) -> Formulas.gelu(in.get(0).value(0, i))));
    lines.add(
        map(
            "mix8",
            "max(sqrt(ab + c) / exp(b), log(a) c)",
            List.of(small, small, small),
            (d, in, i) ->
                Formulas.mix8(
                    in.get(0).value(0, i), in.get(1).value(1, i), in.get(2).value(2, i))));
    lines.add(
        map(
            "blackscholes",
            "price of a call",
            List.of(price, price, small),
            (d, in, i) ->
                Formulas.blackScholes(
                    in.get(0).value(0, i), in.get(1).value(1, i), in.get(2).value(2, i))));
    Input positive = new Input(0, 1, ALL);
    lines.add(
        new Line(
            "sum3",
            "sum((a + b) c)",
            Family.SUM,
            List.of(positive, positive, positive),
            d -> 1,
            d -> 12 * d.product(),
            new Streams(3, 0),
            FLAT,
            (d, in, index) ->
                RowFormulas.sum(
                    d.product(),
                    i ->
                        ((double) in.get(0).value(0, i) + in.get(1).value(1, i))
                            * in.get(2).value(2, i))));
  }

  private static Line map(String name, String formula, List<Input> inputs, Oracle oracle) {
    return new Line(
        name,
        formula,
        Family.MAP,
        inputs,
        ALL,
        d -> 4L * (inputs.size() + 1) * d.product(),
        new Streams(inputs.size(), 1),
        FLAT,
        oracle);
  }

  private static void rows(List<Line> lines) {
    Input any = new Input(-4, 4, ALL);
    Input positive = new Input(0, 1, ALL);
    lines.add(
        row("softmax", "softmax(x, 1)", any, (d, in, i) -> RowFormulas.softmax(d, in.get(0), i)));
    lines.add(
        row(
            "layernorm",
            "layerNorm(x, 1)",
            any,
            (d, in, i) -> RowFormulas.layerNorm(d, in.get(0), i)));
    lines.add(
        reduce(
            "colsum",
            "sum(x, 0)",
            positive,
            MATRIX,
            LAST,
            (d, in, c) -> RowFormulas.sum(d.get(0), r -> in.get(0).value(0, r * d.get(1) + c))));
    lines.add(
        reduce(
            "rowsum",
            "sum(x, 1)",
            positive,
            MATRIX,
            FIRST,
            (d, in, r) -> RowFormulas.sum(d.get(1), c -> in.get(0).value(0, r * d.get(1) + c))));
    lines.add(
        reduce(
            "colmax",
            "max(x, 0)",
            any,
            MATRIX,
            LAST,
            (d, in, c) ->
                RowFormulas.fold(
                    d.get(0),
                    Double.NEGATIVE_INFINITY,
                    Math::max,
                    r -> in.get(0).value(0, r * d.get(1) + c))));
    lines.add(
        reduce(
            "midsum",
            "sum(x, 1) of rank 3",
            positive,
            CUBE,
            d -> d.get(0) * d.get(2),
            (d, in, i) ->
                RowFormulas.sum(
                    d.get(1),
                    r ->
                        in.get(0)
                            .value(0, (i / d.get(2) * d.get(1) + r) * d.get(2) + i % d.get(2)))));
    lines.add(
        reduce(
            "outersum",
            "sum(x, 0, 2) of rank 3",
            positive,
            CUBE,
            d -> d.get(1),
            (d, in, i) ->
                RowFormulas.sum(
                    d.get(0) * d.get(2),
                    r ->
                        in.get(0)
                            .value(0, (r / d.get(2) * d.get(1) + i) * d.get(2) + r % d.get(2)))));
  }

  private static Line row(String name, String formula, Input input, Oracle oracle) {
    return new Line(
        name,
        formula,
        Family.ROWS,
        List.of(input),
        ALL,
        d -> 8 * d.product(),
        new Streams(1, 1),
        MATRIX,
        oracle);
  }

  private static Line reduce(
      String name,
      String formula,
      Input input,
      List<Dims> sizes,
      ToLongFunction<Dims> output,
      Oracle oracle) {
    return new Line(
        name,
        formula,
        Family.REDUCE,
        List.of(input),
        output,
        d -> 4 * (d.product() + output.applyAsLong(d)),
        new Streams(1, 0),
        sizes,
        oracle);
  }

  private static void layouts(List<Line> lines) {
    Input any = new Input(-4, 4, ALL);
    Input bias = new Input(-4, 4, LAST);
    lines.add(
        layout(
            "biasrelu",
            "relu(x + b)",
            List.of(any, bias),
            8,
            MATRIX,
            (d, in, i) ->
                Math.max(0.0, (double) in.get(0).value(0, i) + in.get(1).value(1, i % d.get(1)))));
    lines.add(
        layout(
            "transpose",
            "x.t()",
            List.of(any),
            8,
            SQUARE,
            (d, in, i) -> in.get(0).value(0, i % d.get(0) * d.get(1) + i / d.get(0))));
    Input rows = new Input(-4, 4, d -> 2 * d.product());
    lines.add(
        layout(
            "rowslice",
            "x[::2, :]",
            List.of(rows),
            8,
            MATRIX,
            (d, in, i) -> in.get(0).value(0, i / d.get(1) * 2 * d.get(1) + i % d.get(1))));
    lines.add(
        layout(
            "colslice",
            "x[:, ::2]",
            List.of(rows),
            12,
            MATRIX,
            (d, in, i) -> in.get(0).value(0, 2 * i)));
  }

  private static Line layout(
      String name,
      String formula,
      List<Input> inputs,
      int bytesPerElement,
      List<Dims> sizes,
      Oracle oracle) {
    return new Line(
        name,
        formula,
        Family.LAYOUT,
        inputs,
        ALL,
        d -> bytesPerElement * d.product(),
        new Streams(1, 1),
        sizes,
        oracle);
  }

  private static void products(List<Line> lines) {
    Input x = new Input(-1, 1, d -> d.get(0) * d.get(2));
    Input w = new Input(-1, 1, d -> d.get(2) * d.get(1));
    Input b = new Input(-1, 1, d -> d.get(1));
    ToLongFunction<Dims> output = d -> d.get(0) * d.get(1);
    ToLongFunction<Dims> traffic =
        d -> 4 * (d.get(0) * d.get(2) + d.get(2) * d.get(1) + d.get(0) * d.get(1));
    Oracle dot =
        (d, in, i) ->
            RowFormulas.sum(
                d.get(2),
                k ->
                    (double) in.get(0).value(0, i / d.get(1) * d.get(2) + k)
                        * in.get(1).value(1, k * d.get(1) + i % d.get(1)));
    lines.add(
        new Line(
            "dot",
            "dot(x, w)",
            Family.GEMM,
            List.of(x, w),
            output,
            traffic,
            new Streams(2, 1),
            List.of(
                Dims.of(8, 8, 8),
                Dims.of(64, 64, 64),
                Dims.of(256, 256, 256),
                Dims.of(1024, 1024, 1024)),
            dot));
    lines.add(
        new Line(
            "dense",
            "relu(dot(x, w) + b)",
            Family.GEMM,
            List.of(x, w, b),
            output,
            traffic,
            new Streams(2, 1),
            List.of(Dims.of(1024, 1024, 1024), Dims.of(8192, 1024, 1024)),
            (d, in, i) -> Math.max(0, dot.value(d, in, i) + in.get(2).value(2, i % d.get(1)))));
  }
}
