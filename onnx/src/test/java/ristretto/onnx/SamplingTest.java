package ristretto.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F64;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F64;
import ristretto.symbolic.onnx.OnnxException;

/** Samples of images and Fourier transforms against loops over elements. */
class SamplingTest {
  private static final int DOUBLE = 11;
  private static final int INT64 = 7;

  @TempDir Path folder;

  private Path sampler(String mode, String padding, long corners) {
    return new ModelBytes(20)
        .node(
            "GridSample",
            "x g",
            "y",
            ModelBytes.attribute("mode", mode),
            ModelBytes.attribute("padding_mode", padding),
            ModelBytes.attribute("align_corners", corners))
        .input("x", DOUBLE, -1, -1, -1, -1)
        .input("g", DOUBLE, -1, -1, -1, 2)
        .output("y", DOUBLE, -1, -1, -1, -1)
        .write(folder);
  }

  /** Pixel of an image of h x w at a position, by the padding. */
  private static double pixel(double[] image, int h, int w, long row, long column, String padding) {
    if (padding.equals("zeros")) {
      return row < 0 || row >= h || column < 0 || column >= w
          ? 0
          : image[Math.toIntExact(row * w + column)];
    }
    return image[Math.clamp(row, 0, h - 1) * w + Math.clamp(column, 0, w - 1)];
  }

  @ParameterizedTest
  @CsvSource({"linear,zeros,0", "linear,border,1", "nearest,zeros,1", "nearest,border,0"})
  void samples(String mode, String padding, long corners) {
    int h = 5;
    int w = 3;
    int points = 17;
    try (Context ctx = Context.open("cpu")) {
      Model m = Onnx.load(ctx, sampler(mode, padding, corners));
      Tensor<F64> x = ctx.eval(Ops.normal(F64, 1, 2, 3, h, w));
      Tensor<F64> g = ctx.eval(Ops.normal(F64, 2, 2, 1, points, 2));
      double[] image = x.toDoubleArray();
      double[] at = g.toDoubleArray();
      double[] y = m.run(Map.of("x", x, "g", g)).get("y").toDoubleArray();
      for (int k = 0; k < y.length; k++) {
        int plane = k / points;
        int place = 2 * (plane / 3 * points + k % points);
        double column = position(at[place], w, corners != 0);
        double row = position(at[place + 1], h, corners != 0);
        double[] one = java.util.Arrays.copyOfRange(image, plane * h * w, (plane + 1) * h * w);
        assertThat(y[k]).isCloseTo(sample(one, h, w, row, column, mode, padding), within(1e-12));
      }
    }
  }

  private static double position(double g, int size, boolean corners) {
    return corners ? (g + 1) / 2 * (size - 1) : ((g + 1) * size - 1) / 2;
  }

  private static double sample(
      double[] image, int h, int w, double r, double c, String mode, String padding) {
    if (mode.equals("nearest")) {
      return pixel(image, h, w, (long) Math.rint(r), (long) Math.rint(c), padding);
    }
    boolean border = padding.equals("border");
    double row = border ? Math.clamp(r, 0, h - 1) : r;
    double column = border ? Math.clamp(c, 0, w - 1) : c;
    long top = (long) Math.floor(row);
    long left = (long) Math.floor(column);
    double sum = 0;
    for (int i = 0; i < 2; i++) {
      for (int j = 0; j < 2; j++) {
        double share = (1 - Math.abs(row - top - i)) * (1 - Math.abs(column - left - j));
        sum += share * pixel(image, h, w, top + i, left + j, padding);
      }
    }
    return sum;
  }

  @Test
  void gradientsOfSamples() {
    try (Context ctx = Context.open("cpu")) {
      for (String mode : new String[] {"linear", "cubic"}) {
        Model m = Onnx.load(ctx, sampler(mode, "zeros", 0));
        Tensor<F64> x = ctx.eval(Ops.normal(F64, 3, 2, 3, 5, 3));
        Tensor<F64> g = ctx.eval(Ops.normal(F64, 4, 2, 3, 5, 2).times(0.4));
        Tensor<F64> dx = ctx.eval(Ops.normal(F64, 5, 2, 3, 5, 3));
        Tensor<F64> dg = ctx.eval(Ops.normal(F64, 6, 2, 3, 5, 2));
        Expr<F64> loss = loss(m, x, g);
        double expected =
            ctx.eval(Ops.sum(Ops.gradient(loss, x).times(dx))).item()
                + ctx.eval(Ops.sum(Ops.gradient(loss, g).times(dg))).item();
        double e = 1e-6;
        Tensor<F64> up = ctx.eval(loss(m, x.plus(dx.times(e)), g.plus(dg.times(e))));
        Tensor<F64> down = ctx.eval(loss(m, x.minus(dx.times(e)), g.minus(dg.times(e))));
        double found = (up.item() - down.item()) / (2 * e);
        assertThat(found).isCloseTo(expected, within(1e-6 * Math.abs(expected) + 1e-6));
      }
    }
  }

  @SuppressWarnings("unchecked")
  private static Expr<F64> loss(Model m, Expr<F64> x, Expr<F64> g) {
    return Ops.sum(Ops.sin((Expr<F64>) m.of(Map.of("x", x, "g", g)).get("y")));
  }

  @Test
  void transforms() {
    for (int length : new int[] {1, 7, 8, 13}) {
      Path file =
          new ModelBytes(20)
              .node("DFT", "x", "f")
              .node("DFT", "f", "y", ModelBytes.attribute("inverse", 1))
              .input("x", DOUBLE, -1, -1, 1)
              .output("f", DOUBLE, -1, -1, 2)
              .output("y", DOUBLE, -1, -1, 2)
              .write(folder);
      try (Context ctx = Context.open("cpu")) {
        Tensor<F64> x = ctx.eval(Ops.normal(F64, length, 3, length, 1));
        double[] in = x.toDoubleArray();
        Map<String, Tensor<?>> all = Onnx.load(ctx, file).run(Map.of("x", x));
        double[] f = all.get("f").toDoubleArray();
        double[] y = all.get("y").toDoubleArray();
        for (int k = 0; k < in.length; k++) {
          double re = 0;
          double im = 0;
          for (int t = 0; t < length; t++) {
            double angle = -2 * Math.PI * (k % length) * t / length;
            re += in[k / length * length + t] * Math.cos(angle);
            im += in[k / length * length + t] * Math.sin(angle);
          }
          assertThat(f[2 * k]).isCloseTo(re, within(1e-12));
          assertThat(f[2 * k + 1]).isCloseTo(im, within(1e-12));
          assertThat(y[2 * k]).isCloseTo(in[k], within(1e-12));
          assertThat(y[2 * k + 1]).isCloseTo(0, within(1e-12));
        }
      }
    }
  }

  /** The axis is an attribute before operator set 20, and an input since. */
  @Test
  void oneSidedTransformsInvert() {
    Path file =
        new ModelBytes(17)
            .constant("length", 9)
            .node("DFT", "x", "f", ModelBytes.attribute("onesided", 1))
            .node(
                "DFT",
                "f length",
                "y",
                ModelBytes.attribute("onesided", 1),
                ModelBytes.attribute("inverse", 1))
            .input("x", DOUBLE, -1, 9, 1)
            .output("y", DOUBLE, -1, 9, 1)
            .write(folder);
    try (Context ctx = Context.open("cpu")) {
      Tensor<F64> x = ctx.eval(Ops.normal(F64, 1, 2, 9, 1));
      assertThat(Onnx.load(ctx, file).run(Map.of("x", x)).get("y").toDoubleArray())
          .containsExactly(x.toDoubleArray(), within(1e-12));
    }
  }

  @Test
  void grids() {
    Path file =
        new ModelBytes(20)
            .constant("size", 1, 1, 3, 2)
            .node("AffineGrid", "t size", "y", ModelBytes.attribute("align_corners", 1))
            .input("t", DOUBLE, 1, 2, 3)
            .output("y", DOUBLE, 1, 3, 2, 2)
            .write(folder);
    try (Context ctx = Context.open("cpu")) {
      Model m = Onnx.load(ctx, file);
      Tensor<F64> t = ctx.tensor(new double[] {1, 0, 0.25, 0, 2, 0}, 1, 2, 3);
      assertThat(m.run(Map.of("t", t)).get("y").toDoubleArray())
          .containsExactly(-0.75, -2, 1.25, -2, -0.75, 0, 1.25, 0, -0.75, 2, 1.25, 2);
    }
  }

  /** Elements beyond the range of the output's type saturate. */
  @Test
  void quantizedProducts() {
    Path file =
        new ModelBytes(21)
            .weight("one", new float[] {1})
            .weight("scales", new float[] {1, 2}, 2)
            .node("QLinearMatMul", "a scales za b one zb one zy", "y")
            .input("a", 3, 2, -1)
            .input("za", 3, 2)
            .input("b", 3, -1, 2)
            .input("zb", 3)
            .input("zy", 3)
            .output("y", 3, 2, 2)
            .write(folder);
    try (Context ctx = Context.open("cpu")) {
      var inputs =
          Map.of(
              "a", bytes(ctx, 2, 3, 5, -1, 4, 9).reshape(2, 3),
              "za", bytes(ctx, 1, -1),
              "b", bytes(ctx, 3, -3, 10, 0, -8, 11).reshape(3, 2),
              "zb", bytes(ctx, 1).reshape(),
              "zy", bytes(ctx, -3).reshape());
      // a - za = [[1, 2, 4], [0, 5, 10]], b - zb = [[2, -4], [9, -1], [-9, 10]]
      byte[] y = Onnx.load(ctx, file).run(inputs).get("y").toByteArray();
      assertThat(y).containsExactly(-19, 31, -93, 127);
    }
  }

  private static Expr<?> bytes(Context ctx, int... values) {
    return ctx.eval(ctx.tensor(values, values.length).cast(Ops.I8));
  }

  @Test
  void errors() {
    try (Context ctx = Context.open("cpu")) {
      Model m = Onnx.load(ctx, sampler("cubist", "zeros", 0));
      var x = ctx.zeros(F64, 1, 1, 2, 2);
      assertThatThrownBy(() -> m.run(Map.of("x", x, "g", ctx.zeros(F64, 1, 2, 2, 2))))
          .isInstanceOf(OnnxException.class)
          .hasMessage(
              "[onnx] attribute mode must be one of [linear, nearest, cubic]; got 'cubist' in node"
                  + " 'myGridSample' (GridSample, operator set 20); export the model with one of"
                  + " these.");
      assertThatThrownBy(() -> m.run(Map.of("x", x, "g", ctx.zeros(F64, 3, 2, 2, 2))))
          .hasMessage(
              "[onnx] a grid must have a position for each axis of the images, [n, ..., axes]; got"
                  + " double[1,1,2,2] and double[3,2,2,2] in node 'myGridSample' (GridSample,"
                  + " operator set 20); give a grid with as many images and axes.");
      Model grid =
          Onnx.load(
              ctx,
              new ModelBytes(20)
                  .constant("size", 2, 1, 3, 2)
                  .node("AffineGrid", "t size", "y")
                  .input("t", DOUBLE, 1, 2, 3)
                  .output("y", DOUBLE, -1, -1, -1, 2)
                  .write(folder));
      assertThatThrownBy(() -> grid.run(Map.of("t", ctx.zeros(F64, 1, 2, 3))))
          .hasMessage(
              "[onnx] matrices must be [n, r, r + 1] for images of r axes; got double[1,2,3] for"
                  + " size [2, 1, 3, 2] in node 'myAffineGrid' (AffineGrid, operator set 20); give"
                  + " a matrix of that shape for each image.");
      Path transform =
          new ModelBytes(20)
              .node("DFT", "x length", "y")
              .input("x", DOUBLE, -1, -1, -1)
              .input("length", INT64)
              .output("y", DOUBLE, -1, -1, 2)
              .write(folder);
      Model dft = Onnx.load(ctx, transform);
      assertThatThrownBy(() ->
              dft.run(
                  Map.of(
                      "x", ctx.zeros(F64, 1, 2, 1), "length", ctx.eval(Ops.scalar(Ops.I64, 0L)))))
          .hasMessage(
              "[onnx] transforms must be of 1 to 4096 elements; got 0 in node 'myDFT' (DFT,"
                  + " operator set 20); split the signal into frames.");
      assertThatThrownBy(() ->
              dft.run(
                  Map.of(
                      "x", ctx.zeros(F64, 1, 2, 3), "length", ctx.eval(Ops.scalar(Ops.I64, 2L)))))
          .hasMessage(
              "[onnx] the last axis must be of real numbers [..., 1] or complex ones [..., 2],"
                  + " one-sided transforms from real and to real ones, and another axis be"
                  + " transformed; got double[1,2,3], axis -2 in node 'myDFT' (DFT, operator set"
                  + " 20); export the model again.");
    }
  }
}
