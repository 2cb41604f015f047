import module java.base;
import module ristretto.expr;
import module ristretto.plot;

import static ristretto.expr.Ops.*;

/** Calls the names of scientific scripts, for Api.java. */
final class Scientific {
  private final Context ctx;
  private final Tensor<F32> x;
  private final Tensor<F32> a;
  private final Tensor<I32> ids;

  private Scientific(Context ctx) {
    this.ctx = ctx;
    x = ctx.tensor(new float[] {3, 1, 2, 1});
    a = ctx.tensor(new float[] {1, 2, 3, 4, 5, 6}, 2, 3);
    ids = ctx.tensor(new int[] {0, 2, 0, 2});
  }

  static void run(Context ctx) throws Exception {
    var names = new Scientific(ctx);
    names.transforms();
    names.selections();
    names.segments();
    names.statistics();
    names.recurrences();
    names.specialFunctions();
    names.dtypes();
    names.files();
    names.plots();
  }

  private static void same(String name, Expr<?> e, double... expected) {
    Checks.same(name, e, expected);
  }

  private void transforms() {
    Complex<F32> f = Fft.rfft(x);
    same("rfft", f.re(), 7, 1, 3);
    same("rfft.im", f.im(), 0, 0, 0);
    same("abs", f.abs(), 7, 1, 3);
    same("angle", f.angle(), 0, 0, 0);
    same("conj", Fft.fft(f.conj()).re(), 11, 5, 5);
    same("irfft", Fft.irfft(f, 4), 3, 1, 2, 1);
    same("fft", Fft.fft(f.times(f)).re(), 59, 44, 44);
    same("ifft", Fft.ifft(Fft.fft(x)).re(), 3, 1, 2, 1);
    same("fft2", Fft.fft2(Complex.of(a, ctx.zeros(F32, 2, 3))).re(), 21, -3, -3, -9, 0, 0);
    same("convolve full", convolve(x, ctx.tensor(new float[] {1, 1}), "full"), 3, 4, 3, 3, 1);
    same("convolve same", convolve(x, ctx.tensor(new float[] {1, 1}), "same"), 3, 4, 3, 3);
    same("convolve valid", convolve(x, ctx.tensor(new float[] {1, 1}), "valid"), 4, 3, 3);
    same("stft", stft(ctx.ones(F32, 8), ctx.ones(F32, 4), 4, false).re(), 4, 0, 0, 4, 0, 0);
    Checks.check("stft of 3 arguments", stft(ctx.ones(F32, 8), ctx.ones(F32, 4), 4) != null, "");
  }

  private void selections() {
    same("compress", ctx.compress(x, x.gt(1)), 3, 2);
    same("nonzero", ctx.nonzero(x.gt(1)), 0, 2);
    same("unique", ctx.unique(x), 1, 2, 3);
    Tensor<F32> t = ctx.zeros(F32, 3);
    ctx.assignAt(t, 0, ctx.tensor(new int[] {2, 0, 2}), ctx.tensor(new float[] {1, 2, 3}));
    same("assignAt", t, 2, 0, 3);
    Tensor<F32> sorted = ctx.tensor(new float[] {1, 2, 3});
    same("searchSorted", searchSorted(sorted, x), 2, 0, 1, 0);
    same("interp", interp(ctx.tensor(new float[] {1.5f}), sorted, sorted.times(10)), 15);
    same("triu", triu(a), 1, 2, 3, 0, 5, 6);
    same("tril", tril(a), 1, 0, 0, 4, 5, 0);
    same("diff", diff(x, 0), -2, 1, -1);
  }

  private void segments() {
    same("scatterMax", scatterMax(Shape.of(3), 0, ids, x), 3, Double.NEGATIVE_INFINITY, 1);
    same("scatterMin", scatterMin(Shape.of(3), 0, ids, x), 2, Double.POSITIVE_INFINITY, 1);
    same("segmentSum", segmentSum(x, ids, 3), 5, 0, 2);
    same("segmentMax", segmentMax(x, ids, 3), 3, Double.NEGATIVE_INFINITY, 1);
    same("bincount", bincount(ids, 3), 2, 0, 2);
    same("histogram", histogram(x, ctx.tensor(new float[] {0, 2, 4})), 2, 2);
  }

  private void statistics() {
    Tensor<F32> nan = ctx.tensor(new float[] {1, Float.NaN, 3});
    same("median", median(a, 1), 2, 5);
    same("median of all", median(x), 1.5);
    same("quantile", quantile(a, 0.75, 1), 2.5, 5.5);
    same("nanMean", nanMean(nan), 2);
    same("nanMean of an axis", nanMean(a, 0), 2.5, 3.5, 4.5);
    same("nanSum", nanSum(nan), 4);
    same("nanMax", nanMax(nan), 3);
    same("nanMin", nanMin(nan), 1);
    same("trapezoid", trapezoid(x, 0.5), 2.5);
    same("cov", cov(a), 1, 1, 1, 1);
    same("corr", corr(a), 1, 1, 1, 1);
    same("allClose", allClose(a, a.plus(1e-7)), 1);
  }

  private void recurrences() {
    same("cumulative", cumulative(x, 0f, (u, v) -> Math.max(u, v), 0), 3, 3, 3, 3);
    same("scan", scan(ctx.zeros(F32), x, (s, v) -> 0.5f * s + v), 3, 2.5, 3.25, 2.625);
    List<Expr<F32>> two =
        scan(ctx.zeros(F32), ctx.zeros(F32), x, (s, r, v) -> s + v, (s, r, v) -> r + s);
    same("scan of two states", two.get(0), 3, 4, 6, 7);
    same("scan of two states, the other", two.get(1), 0, 3, 7, 13);
  }

  private void specialFunctions() {
    Tensor<F64> p = ctx.tensor(new double[] {0.5});
    same("lgamma", lgamma(p), 0.5723649429247001);
    same("digamma", digamma(p), -1.9635100260214235);
    same("erfinv", erfinv(p), 0.4769362762044699);
    same("erfc", erfc(p), 0.4795001221869535);
    same("expm1", expm1(p), 0.6487212707001282);
    same("log1p", log1p(p), 0.4054651081081644);
    same("besselJ0", besselJ0(p), 0.938469807240813);
  }

  private void dtypes() {
    same("I16", ctx.tensor(new short[] {-1, 2}).times(2), -2, 4);
    same("U16", cast(x, U16), 3, 1, 2, 1);
    same("U32", cast(x, U32), 3, 1, 2, 1);
    same("U64", cast(x, U64), 3, 1, 2, 1);
    same("sum of a mask", sum(x.gt(1)), 2);
  }

  private void files() throws Exception {
    Path folder = Files.createTempDirectory("scientific");
    Path csv = folder.resolve("t.csv");
    Files.writeString(csv, "x,y\n1,a\n2.5,b\n");
    Table table = ctx.readCsv(csv);
    same("column", table.column("x", F64), 1, 2.5);
    Checks.check("names", List.copyOf(table.names()).equals(List.of("x", "y")), table.names());
    Path png = folder.resolve("i.png");
    ctx.writeImage(png, cast(ctx.arange(I32, 12).reshape(2, 2, 3), U8));
    same("readImage", ctx.readImage(png), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    Path wav = folder.resolve("s.wav");
    ctx.writeWav(wav, ctx.tensor(new float[] {0, 0.5f, -0.5f}), 8000);
    Checks.check("readWav", ctx.readWav(wav).rate() == 8000, ctx.readWav(wav));
    for (Path file : List.of(csv, png, wav, folder)) {
      Files.delete(file);
    }
  }

  private void plots() throws Exception {
    Path folder = Files.createTempDirectory("plots");
    Path file = folder.resolve("plot.png");
    List<Plot> plots =
        List.of(
            Plot.line(x, x), Plot.scatter(x, x), Plot.histogram(x), Plot.heatMap(a), Plot.image(a));
    for (Plot plot : plots) {
      plot.title("a title").save(file);
      Checks.check("plot", Files.size(file) > 100, Files.size(file));
      Files.delete(file);
    }
    Files.delete(folder);
    Timing timing = bench("bench of Api.java", () -> ctx.eval(x.plus(1)));
    Checks.check("bench", timing.median() > 0 && timing.spread() >= 0, timing);
    same("eval", x.plus(1).eval(), 4, 2, 3, 2);
    x.plus(1).print();
  }
}
