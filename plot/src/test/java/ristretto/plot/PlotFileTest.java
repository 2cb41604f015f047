package ristretto.plot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.I32;
import static ristretto.expr.Ops.sin;

import java.awt.GraphicsEnvironment;
import java.awt.image.BufferedImage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.knowm.xchart.style.colors.XChartSeriesColors;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.kernels.DeviceException;
import ristretto.kernels.FileException;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.ShapeException;

class PlotFileTest {
  private final Context ctx = Context.open("cpu");

  @TempDir Path folder;

  @AfterEach
  void close() {
    ctx.close();
  }

  /** Number of pixels that are neither white nor grey. */
  private static int coloured(BufferedImage image) {
    int count = 0;
    for (int rgb :
        image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth())) {
      int r = rgb >> 16 & 0xff;
      int g = rgb >> 8 & 0xff;
      int b = rgb & 0xff;
      count += Math.max(r, Math.max(g, b)) - Math.min(r, Math.min(g, b)) > 60 ? 1 : 0;
    }
    return count;
  }

  private void drawn(Figure figure, int least) throws Exception {
    Path png = folder.resolve("a.png");
    figure.save(png);
    BufferedImage image = ImageIO.read(png.toFile());
    assertThat(image.getWidth()).isEqualTo(figure.width());
    assertThat(coloured(image)).isGreaterThanOrEqualTo(least);
    figure.save(folder + "/a.svg");
    var root =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(folder.resolve("a.svg").toFile())
            .getDocumentElement();
    assertThat(root.getTagName()).isEqualTo("svg");
    assertThat(root.getElementsByTagName("path").getLength()).isPositive();
  }

  @Test
  void curvesAreOverMatricesAndRowsHaveNumbers() throws Exception {
    Tensor<F32> x = ctx.linspace(F32, 0, 9, 2);
    Tensor<F32> matrix = ctx.full(F32, 1, 10, 10);
    Path svg = folder.resolve("a.svg");
    Plot.heatMap(matrix).line(x, x, "diagonal").save(svg);
    String text = Files.readString(svg);
    int rgb = new XChartSeriesColors().getSeriesColors()[0].getRGB() & 0xffffff;
    String stroke = String.format(Locale.ROOT, "stroke=\"#%06x\"", rgb);
    assertThat(text.indexOf("<image")).isPositive().isLessThan(text.lastIndexOf(stroke));

    Path png = folder.resolve("a.png");
    Plot.heatMap(matrix).save(png);
    BufferedImage image = ImageIO.read(png.toFile());
    int black = 0;
    for (int y = 0; y < image.getHeight(); y++) {
      for (int at = 0; at < 20; at++) {
        black += (image.getRGB(at, y) & 0xff) < 64 ? 1 : 0;
      }
    }
    assertThat(black).as("pixels of numbers left of the rows").isGreaterThan(50);
  }

  @Test
  void plotsAreDrawn() throws Exception {
    Tensor<F32> x = ctx.linspace(F32, 0.1, 10, 101);
    Tensor<F32> gaps = ctx.tensor(new float[] {1, Float.NaN, 3, Float.POSITIVE_INFINITY, 5, 6});
    Tensor<F32> matrix = ctx.eval(sin(x.slice(ristretto.expr.Ops.range(0, 100)).reshape(10, 10)));
    drawn(Plot.line(x, sin(x)).name("sin").line(x, x.times(0.1), "x").title("T").xLabel("x"), 500);
    drawn(Plot.line(gaps), 50);
    drawn(Plot.scatter(x, sin(x)).logX(), 200);
    drawn(Plot.line(x, x.times(-1).plus(5)).logY(), 100);
    drawn(Plot.histogram(gaps), 1000);
    drawn(Plot.histogram(ctx.zeros(I32, 7), 3), 1000);
    drawn(Plot.heatMap(matrix).scatter(gaps, gaps, "p"), 10_000);
    drawn(Plot.contour(matrix), 500);
    drawn(Plot.bars(List.of("a", "b", "c"), 1, -2, 0.5).title("T").xLabel("x").yLabel("y"), 1000);
    drawn(Plot.bars(List.of("a", "b"), ctx.tensor(new int[] {1, 3})).xRange(0, 4), 1000);
    drawn(Plot.bars(List.of("zero"), 0), 0);
    drawn(Plot.image(ctx.full(F32, 0.9, 4, 4, 3).times(ctx.tensor(new float[] {1, 0, 0}))), 10_000);
    drawn(Plot.grid(1, 2, Plot.line(x), Plot.histogram(x)).title("both"), 1000);
    // Constants, single points and nothing finite still have axes.
    drawn(Plot.line(ctx.full(F32, 5, 3)), 50);
    drawn(Plot.scatter(ctx.ones(F32, 1), ctx.ones(F32, 1)), 5);
    drawn(Plot.line(ctx.full(F32, Double.NaN, 3)), 0);
    drawn(Plot.heatMap(ctx.full(F32, Double.NaN, 2, 3)), 0);
  }

  @Test
  void manyPointsAreThinned() {
    double[] x = new double[1_000_003];
    double[] y = new double[x.length];
    Arrays.setAll(x, k -> k);
    y[777_777] = 5;
    y[3] = -2;
    Curve line = Curve.of(true, "", x, y);
    assertThat(line.x).hasSize(20_000).isSorted();
    assertThat(line.y).contains(5, -2);
    assertThat(Curve.of(false, "", x, y).y).hasSize(20_000);
  }

  @Test
  void binsAreThoseOfNumPy() {
    Bars bars = Bars.of(new double[] {0, 1, 1, 2, 3, 3, Double.NaN}, 3);
    assertThat(bars.edges).containsExactly(0, 1, 2, 3);
    assertThat(bars.counts).containsExactly(1, 2, 3);
    assertThat(Bars.of(new double[] {2, 2}, 0).edges).startsWith(1.5).endsWith(2.5);
  }

  @Test
  void contoursHaveTheirHeight() {
    var contours =
        new Contours(new double[] {0, 1}, new double[] {0, 1}, new double[] {0, 1, 0, 1});
    assertThat(contours.path(0.25, v -> v, v -> v).getBounds2D().getX()).isEqualTo(0.25);
    assertThat(contours.path(0.25, v -> v, v -> v).getBounds2D().getHeight()).isEqualTo(1);
  }

  @Test
  void misuseIsRefused() throws Exception {
    Tensor<F32> x = ctx.ones(F32, 3);
    Tensor<F32> m = ctx.ones(F32, 3, 3);
    refused(
        () -> Plot.line(x, ctx.ones(F32, 2)),
        "[line] x and y must have the same length; got x f32[3], y f32[2].");
    refused(
        () -> Plot.line(m),
        "[line] y must be a vector with elements; got f32[3,3]; reshape or slice it.");
    refused(
        () -> Plot.heatMap(x),
        "[heatMap] the values must be a matrix with elements; got f32[3]; reshape or slice it.");
    refused(
        () -> Plot.contour(x, ctx.ones(F32, 2), m),
        "[contour] z must have a row for each y and a column for each x; got x f32[3], y f32[2], z"
            + " f32[3,3].");
    refused(
        () -> Plot.image(x),
        "[image] an image must be [height, width] or [height, width, channels] of 1, 3 or 4"
            + " channels; got f32[3]; reshape or permute it.");
    refused(
        () -> Plot.image(m).line(x, x, "a"),
        "[line] an image must have no axes; got a plot of an image; begin with heatMap.");
    refused(
        () -> Plot.bars(List.of("a", "a"), 1, 2),
        "[bars] each value must have a name of its own; got names [a, a] for 2 values; give a name"
            + " for each.");
    refused(
        () -> Plot.bars(List.of("a", "b"), 1, Double.NaN),
        "[bars] values must be finite; got [1.0, NaN]; leave the others out.");
    refused(
        () -> Plot.bars(List.of("a"), m),
        "[bars] values must be a vector with elements; got "
            + m.label()
            + "; reshape or slice it.");
    refused(
        () -> Plot.bars(List.of("a"), 1).logY(),
        "[logY] a plot of bars must have no other series, and no numbers on its vertical axis; got"
            + " bars; make another plot.");
    refused(
        () -> Plot.line(x, x).name("a").line(x, x, "a"),
        "[line] series must have different names; got 'a' twice.");
    refused(
        () -> Plot.histogram(x).name("a"), "[name] a name must follow a line or points; got none.");
    refused(
        () -> Plot.histogram(x).logY(),
        "[logY] a logarithmic axis must have lines or points with positive values; got none.");
    refused(
        () -> Plot.line(x).xRange(1, 1),
        "[xRange] ends of an axis must be finite and increase; got 1.0 and 1.0.");
    refused(
        () -> Plot.line(x).size(10, 10),
        "[plot] width and height must be from 100 to 16384 pixels; got 10 x 10.");
    refused(
        () -> Plot.grid(1, 1, Plot.line(x), Plot.line(x)),
        "[grid] a grid must have a cell for each of 1 or more plots; got 2 plots for 1 x 1 cells.");
    refused(
        () -> Plot.histogram(ctx.ones(F32, 0)),
        "[histogram] there must be elements, and at most 8000 bins; got f32[0], 0 bins.");
    assertThatThrownBy(() -> Plot.line(x).save("a.pdf"))
        .isInstanceOf(FileFormatException.class)
        .hasMessage("[save] the name of a plot must end in .png or .svg; got a.pdf; rename it.");
    Path no = folder.resolve("no/a.png");
    assertThatThrownBy(() -> Plot.line(x).save(no))
        .isInstanceOf(FileException.class)
        .hasMessage(
            "[save] a plot must be writable; got " + no + " (no such folder); check the path");
    assertThat(Files.list(folder)).isEmpty();
  }

  @Test
  void windowsNeedAScreen() {
    Assumptions.assumeTrue(GraphicsEnvironment.isHeadless());
    assertThatThrownBy(() -> Plot.line(ctx.ones(F32, 3)).show())
        .isInstanceOf(DeviceException.class)
        .hasMessage(
            "[show] a window needs a screen; got none; write a file with save(\"plot.png\").");
  }

  private static void refused(Runnable body, String message) {
    assertThatThrownBy(body::run).isInstanceOf(ShapeException.class).hasMessage(message);
  }
}
