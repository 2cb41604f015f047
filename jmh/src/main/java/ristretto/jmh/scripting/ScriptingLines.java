package ristretto.jmh.scripting;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import ristretto.expr.Complex;
import ristretto.expr.Fft;
import ristretto.expr.Ops;
import ristretto.expr.Pair;
import ristretto.expr.linalg.Linalg;
import ristretto.expr.type.F64;

/** All lines, in the table's order. */
final class ScriptingLines {
  /** Least ratio where a call of LAPACK may take 1.05 times as long as the bare call. */
  private static final double LAPACK = 1 / 1.05;

  private static final int MILLION = 1_000_000;

  static final List<ScriptingLine> ALL = all();

  private ScriptingLines() {}

  private static List<ScriptingLine> all() {
    var all = new ArrayList<ScriptingLine>();
    all.addAll(products());
    all.addAll(selections());
    all.addAll(scans());
    all.addAll(transforms());
    all.addAll(CsvLines.all());
    for (int n : List.of(64, 512, 2048)) {
      all.addAll(factors(n));
    }
    return List.copyOf(all);
  }

  private static List<ScriptingLine> products() {
    return List.of(
        ScriptingLine.of(
            "einsum-3",
            "einsum(\"ij,jk,kl->il\") of 300x40, 40x500, 500x200",
            1,
            d ->
                Ops.einsum(
                    "ij,jk,kl->il", d.f64(1, 300, 40), d.f64(2, 40, 500), d.f64(3, 500, 200))),
        ScriptingLine.of(
            "product-i64",
            "dot of I64, 300x300",
            1.5,
            d -> Ops.dot(d.i64(1, 1000, 300, 300), d.i64(2, 1000, 300, 300))),
        ScriptingLine.of(
            "product-i32",
            "dot of I32, 300x300",
            1.5,
            d -> Ops.dot(d.i32(1, 1000, 300, 300), d.i32(2, 1000, 300, 300))));
  }

  private static List<ScriptingLine> selections() {
    return List.of(
        ScriptingLine.of(
            "topk", "topK(x, 10), F32, 2e6", 1, d -> Ops.topK(d.f32(1, 2_000_000), 10, 0)),
        ScriptingLine.of("argmax", "argMax(x), F32, 1e7", 1, d -> Ops.argMax(d.f32(1, 10_000_000))),
        ScriptingLine.of("sort-f64", "sort(x), F64, 1e6", 1.5, d -> Ops.sort(d.f64(1, MILLION), 0)),
        ScriptingLine.of("sort-f32", "sort(x), F32, 1e6", 1.5, d -> Ops.sort(d.f32(1, MILLION), 0)),
        ScriptingLine.of(
            "sort-i64",
            "sort(x), I64 below 1e6, 1e6",
            1.5,
            d -> Ops.sort(d.i64(1, MILLION, MILLION), 0)),
        ScriptingLine.of(
            "argsort", "argSort(x), F64, 1e6", 1.5, d -> Ops.argSort(d.f64(1, MILLION), 0)),
        ScriptingLine.of(
            "quantile",
            "quantile(x, 0.3), F64, 1e6",
            1.5,
            d -> Ops.quantile(d.f64(1, MILLION), 0.3)),
        ScriptingLine.called(
            "unique-i64",
            "unique(x), I64 below 1000, 1e6",
            1.5,
            d -> {
              var x = d.i64(1, 1000, MILLION);
              return () -> d.ctx().unique(x);
            }),
        ScriptingLine.called(
            "unique-f64",
            "unique(x), F64, 1e6",
            1.5,
            d -> {
              var x = d.f64(1, MILLION);
              return () -> d.ctx().unique(x);
            }),
        ScriptingLine.called(
            "compress",
            "compress(x, x > 0.5), F64, 1e6",
            1,
            d -> {
              var x = d.f64(1, MILLION);
              var mask = x.gt(0.5);
              return () -> d.ctx().compress(x, mask);
            }),
        ScriptingLine.called(
            "nonzero",
            "nonzeroAxes(x > 0.5), 1e6",
            1,
            d -> {
              var mask = d.f64(1, MILLION).gt(0.5);
              return () -> d.ctx().nonzeroAxes(mask).getFirst();
            }),
        ScriptingLine.of(
            "histogram",
            "histogram(x, 100, 0, 1), F64, 1e6",
            1,
            d -> Ops.histogram(d.f64(1, MILLION), 100, 0, 1)),
        ScriptingLine.of(
            "bincount",
            "bincount(x, 1000), I64, 1e6",
            1,
            d -> Ops.bincount(d.i64(1, 1000, MILLION), 1000)));
  }

  private static List<ScriptingLine> scans() {
    int n = 10_000_000;
    return List.of(
        ScriptingLine.of("cumsum-f64", "cumSum(x), F64, 1e7", 1.5, d -> Ops.cumSum(d.f64(1, n), 0)),
        ScriptingLine.of("cumsum-f32", "cumSum(x), F32, 1e7", 1.5, d -> Ops.cumSum(d.f32(1, n), 0)),
        ScriptingLine.of(
            "cumsum-i64", "cumSum(x), I64, 1e7", 1.5, d -> Ops.cumSum(d.i64(1, 1000, n), 0)),
        ScriptingLine.of(
            "cummax-f64", "cumMax(x), F64, 1e7", 1.5, d -> Ops.cumMax(d.f64(1, n), 0)));
  }

  private static List<ScriptingLine> transforms() {
    return List.of(
        transform("fft-2^10", "fft(x), complex F64, 2^10", d -> Fft.fft(d.complex(1 << 10))),
        transform("fft-2^20", "fft(x), complex F64, 2^20", d -> Fft.fft(d.complex(1 << 20))),
        transform("fft2", "fft2(x), complex F64, 1000x1000", d -> Fft.fft2(d.complex(1000, 1000))),
        transform("rfft-2^10", "rfft(x), F64, 2^10", d -> Fft.rfft(d.f64(1, 1 << 10))),
        transform("rfft-2^20", "rfft(x), F64, 2^20", d -> Fft.rfft(d.f64(1, 1 << 20))),
        transform("rfft2", "rfft2(x), F64, 1000x1000", d -> Fft.rfft2(d.f64(1, 1000, 1000))));
  }

  private static ScriptingLine transform(
      String label, String what, Function<Data, Complex<F64>> transform) {
    return ScriptingLine.complex(label, what, 1, transform);
  }

  private static List<ScriptingLine> factors(int n) {
    return List.of(
        ScriptingLine.of(
                "solve-" + n,
                "solve(a, b), F64, n = %s, 1 column".formatted(n),
                LAPACK,
                d -> Linalg.solve(d.definite(n), d.f64(2, n, 1)))
            .against(library -> library.solve(n)),
        ScriptingLine.of(
                "cholesky-" + n,
                "cholesky(a), F64, n = " + n,
                LAPACK,
                d -> Linalg.cholesky(d.definite(n)))
            .against(library -> library.cholesky(n)),
        ScriptingLine.called(
                "svd-" + n,
                "svd(a) with vectors, F64, n = " + n,
                LAPACK,
                d -> {
                  var svd = Linalg.svd(d.f64(1, n, n));
                  var u = d.ctx().empty(F64.INSTANCE, n, n);
                  var vt = d.ctx().empty(F64.INSTANCE, n, n);
                  return () -> {
                    d.ctx().assignAll(Pair.of(u, svd.u()), Pair.of(vt, svd.vt()));
                    d.ctx().synchronize();
                    return u;
                  };
                })
            .against(library -> library.svd(n)),
        ScriptingLine.of(
                "eigh-" + n,
                "eigh(a) with vectors, F64, n = " + n,
                LAPACK,
                d -> Linalg.eigh(d.definite(n)).vectors())
            .against(library -> library.eigh(n)));
  }
}
