package ristretto.expr;

import java.util.List;
import ristretto.expr.type.DType;
import ristretto.expr.type.I64;
import ristretto.expr.type.PaddingMode;
import ristretto.expr.type.Slice;
import ristretto.kernels.ShapeException;
import ristretto.kernels.fourier.Factors;

/** Builds the expressions of {@link SignalOps}. */
final class Signals {
  /** Time of a transform per element and doubling, in products of a direct convolution. */
  private static final double TRANSFORM_COST = 10;

  /** Smallest sum of squared windows that an inverse short-time transform divides by. */
  private static final double LEAST_WEIGHT = 1e-10;

  private Signals() {}

  // Convolution

  static <T> Expr<T> convolve(String op, Expr<T> a, Expr<T> v, String mode, boolean backward) {
    Apply.requireEqual(op, a, v);
    if (a.shape().rank() == 0 || v.shape().rank() == 0) {
      throw new ShapeException(
          "[%s] operands must have an axis; got a %s, v %s; reshape them."
              .formatted(op, a.label(), v.label()));
    }
    long n = Transforms.length(op, a, -1, a.shape().axis(-1, op));
    long m = Transforms.length(op, v, -1, v.shape().axis(-1, op));
    long all = n + m - 1;
    long few = Math.min(n, m);
    long start =
        switch (mode) {
          case "full" -> 0;
          case "valid" -> few - 1;
          // NumPy's correlation of a longer second operand is the reversed one of exchanged
          // operands.
          case "same" -> backward && m > n ? few / 2 : (few - 1) / 2;
          default ->
              throw new ShapeException(
                  "[%s] the mode must be full, same or valid; got \"%s\".".formatted(op, mode));
        };
    long count =
        switch (mode) {
          case "full" -> all;
          case "valid" -> all - 2 * (few - 1);
          default -> Math.max(n, m);
        };
    Expr<T> kernel = backward ? v.flip(-1) : v;
    double doublings = Math.log(all) / Math.log(2);
    return (double) count * few <= TRANSFORM_COST * all * doublings
        ? direct(a, kernel, start, count)
        : spectral(a, kernel, start, count);
  }

  /** Sum of products over windows of the longer operand. */
  private static <T> Expr<T> direct(Expr<T> a, Expr<T> v, long start, long count) {
    boolean longer = a.shape().dim(-1) >= v.shape().dim(-1);
    Expr<T> x = longer ? a : v;
    Expr<T> taps = longer ? v : a;
    long few = taps.shape().dim(-1);
    long extent = x.shape().dim(-1);
    // Result k is the sum over windows of x that end at element k.
    long before = Math.max(0, few - 1 - start);
    long after = Math.max(0, start + count - extent);
    long[] around = new long[2 * x.shape().rank()];
    around[around.length - 2] = before;
    around[around.length - 1] = after;
    Expr<T> padded = before + after == 0 ? x : Ops.pad(x, around);
    long skip = start - (few - 1) + before;
    int last = x.shape().rank() - 1;
    padded = Transforms.slice(padded, last, Slice.range(skip, skip + count + few - 1));
    Expr<T> windows = Ops.windows(padded, few);
    return Ops.sum(windows.times(taps.flip(-1).unsqueeze(-2)), -1);
  }

  private static <T> Expr<T> spectral(Expr<T> a, Expr<T> v, long start, long count) {
    long points = Factors.smoothAtLeast(a.shape().dim(-1) + v.shape().dim(-1) - 1);
    points += points % 2;
    points = Factors.isSmooth(points) ? points : 2 * Factors.smoothAtLeast(points / 2);
    Expr<T> all = Fft.irfft(Fft.rfft(a, points).times(Fft.rfft(v, points)), points);
    return Transforms.slice(all, all.shape().rank() - 1, Slice.range(start, start + count));
  }

  // Windows

  /** Phase {@code 2 pi k / n} of each element; of one period if periodic. */
  static <T> Expr<T> phase(DType<T> dtype, long n, boolean periodic) {
    return ratio(dtype, n, periodic).times(Scalars.literal(dtype, 2 * Math.PI));
  }

  /** Position of each element, from 0 to 1 (exclusive if periodic). */
  static <T> Expr<T> ratio(DType<T> dtype, long n, boolean periodic) {
    if (n < 0 || !dtype.isFloat()) {
      throw new ShapeException(
          "[window] a window must have floating-point elements, 0 or more; got %s of %s."
              .formatted(n, dtype));
    }
    Expr<T> k = Transforms.index(n, 0, 1).cast(dtype);
    return k.div(Math.max(1, periodic ? n : n - 1));
  }

  /** Sum of cosines: {@code a0 - a1 cos(p) + a2 cos(2 p)}; a single element is 1. */
  static <T> Expr<T> cosines(
      DType<T> dtype, long n, boolean periodic, double a0, double a1, double a2) {
    Expr<T> phase = phase(dtype, n, periodic);
    if (n == 1) {
      return Scalars.filled(dtype, phase.shape(), 1);
    }
    Expr<T> one = Scalars.literal(dtype, a0).minus(Ops.cos(phase).times(a1));
    return a2 == 0 ? one : one.plus(Ops.cos(phase.times(2.0)).times(a2));
  }

  static <T> Expr<T> bartlett(DType<T> dtype, long n, boolean periodic) {
    Expr<T> at = ratio(dtype, n, periodic);
    if (n == 1) {
      return Scalars.filled(dtype, at.shape(), 1);
    }
    return Ops.abs(at.times(2.0).minus(1.0)).neg().plus(1.0);
  }

  static <T> Expr<T> kaiser(DType<T> dtype, long n, double beta, boolean periodic) {
    Expr<T> at = ratio(dtype, n, periodic).times(2.0).minus(1.0);
    if (!(Math.abs(beta) <= 500)) {
      throw new ShapeException(
          "[kaiser] beta must be from -500 to 500; got %s; 8.6 is usual.".formatted(beta));
    }
    if (n == 1) {
      return Scalars.filled(dtype, at.shape(), 1);
    }
    double b = Math.abs(beta);
    Expr<T> inside = Ops.max(at.times(at).neg().plus(1.0), Scalars.literal(dtype, 0));
    Expr<T> z = Ops.sqrt(inside).times(b);
    // The mean of exp(z cos(t)) over the circle is the Bessel function I0(z); the midpoint rule
    // converges exponentially. A common factor of exp(-b) prevents overflow.
    int points = 24 + (int) (2 * Math.sqrt(40 * b));
    Expr<T> cosine =
        Ops.cos(
            Transforms.index(points, 0, 1)
                .cast(dtype)
                .plus(0.5)
                .times(Scalars.literal(dtype, Math.PI / points)));
    Expr<T> sum = Ops.sum(Ops.exp(z.unsqueeze(1).times(cosine).minus(b)), 1);
    double whole = 0;
    for (int k = 0; k < points; k++) {
      whole += Math.exp(b * Math.cos((k + 0.5) * Math.PI / points) - b);
    }
    return sum.div(whole);
  }

  // Short-time transforms

  private static <T> long frame(String op, Expr<T> x, Expr<T> window, long hop) {
    Apply.requireEqual(op, x, window);
    long n = window.shape().rank() == 1 ? window.shape().at(0) : 0;
    if (n < 1 || hop < 1) {
      throw new ShapeException(
          "[%s] the window must be a vector and the hop at least 1; got x %s, window %s, hop %s."
              .formatted(op, x.label(), window.label(), hop));
    }
    return n;
  }

  static <T> Complex<T> stft(Expr<T> x, Expr<T> window, long hop, boolean center) {
    long n = frame("stft", x, window, hop);
    long extent = Transforms.length("stft", x, -1, x.shape().axis(-1, "stft"));
    Expr<T> padded = x;
    if (center) {
      long[] around = new long[2 * x.shape().rank()];
      around[around.length - 2] = n / 2;
      around[around.length - 1] = n / 2;
      padded = Ops.pad(x, PaddingMode.REFLECT, around);
    } else if (extent < n) {
      throw new ShapeException(
          "[stft] x must have at least the elements of the window; got x %s, window %s; pad x."
              .formatted(x.label(), window.label()));
    }
    Expr<T> frames = Ops.windows(padded, new long[] {n}, new long[] {hop}, new long[] {1});
    return Fft.rfft(frames.times(window));
  }

  static <T> Expr<T> istft(Complex<T> s, Expr<T> window, long hop, boolean center) {
    long n = frame("istft", s.re(), window, hop);
    int rank = s.shape().rank();
    if (rank < 2 || s.shape().dim(-1) != n / 2 + 1 || s.shape().dim(-2) < 1) {
      throw new ShapeException(
          ("[istft] the transform must be [..., frames, window / 2 + 1] with at least one frame;"
                  + " got %s, window %s.")
              .formatted(s, window.label()));
    }
    long frames = s.shape().dim(-2);
    Expr<T> sum = overlapAdd(Fft.irfft(s, n).times(window), hop);
    Expr<T> weight = overlapAdd(window.times(window).unsqueeze(0).expand(frames, n), hop);
    Expr<T> one = Scalars.literal(s.dtype(), 1);
    Expr<T> x = sum.div(Ops.where(weight.gt(LEAST_WEIGHT), weight, one));
    long skip = center ? n / 2 : 0;
    return Transforms.slice(x, rank - 2, Slice.range(skip, x.shape().dim(-1) - skip));
  }

  /** Sum of frames {@code [..., frames, n]} that begin every {@code hop} elements. */
  static <T> Expr<T> overlapAdd(Expr<T> frames, long hop) {
    int rank = frames.shape().rank();
    long count = frames.shape().dim(-2);
    long n = frames.shape().dim(-1);
    long blocks = Math.ceilDiv(n, hop);
    // Frames are sequences of blocks; block b of frame f is added at block f + b.
    Expr<T> padded = Transforms.resized(frames, blocks * hop, rank - 1);
    Expr<T> sum = null;
    for (long b = 0; b < blocks; b++) {
      Expr<T> block = Transforms.slice(padded, rank - 1, Slice.range(b * hop, (b + 1) * hop));
      long[] around = new long[2 * (rank - 1)];
      around[around.length - 2] = b;
      around[around.length - 1] = blocks - 1 - b;
      Expr<T> placed = blocks == 1 ? block : Ops.pad(block, around);
      sum = sum == null ? placed : sum.plus(placed);
    }
    long[] dims = new long[rank - 1];
    for (int d = 0; d < rank - 2; d++) {
      dims[d] = frames.shape().at(d);
    }
    dims[rank - 2] = (count + blocks - 1) * hop;
    return Transforms.slice(sum.reshape(dims), rank - 2, Slice.range(0, (count - 1) * hop + n));
  }

  // Mel bands

  private static double mel(double hertz) {
    return 2595 * Math.log10(1 + hertz / 700);
  }

  static <T> Expr<T> melFilters(
      DType<T> dtype, double rate, long n, int bands, double low, double high) {
    if (!(rate > 0 && n >= 2 && bands >= 1 && low >= 0 && low < high && high <= rate / 2)
        || !dtype.isFloat()) {
      throw new ShapeException(
          ("[melFilters] there must be at least 2 samples and 1 band, and 0 <= low < high <= rate /"
                  + " 2; got rate %s, n %s, %s bands from %s to %s Hz in %s.")
              .formatted(rate, n, bands, low, high, dtype));
    }
    double from = mel(low);
    double step = (mel(high) - from) / (bands + 1);
    Expr<T> b = Transforms.index(bands, 1, 2).cast(dtype);
    Expr<T> f = Transforms.index(n / 2 + 1, 0, 2).cast(dtype).times(rate / n);
    // Corners plus 700 Hz are powers of q; r is the frequency in units of the left corner.
    double q = Math.pow(10, step / 2595);
    Expr<T> r = f.plus(700.0).times(Math.pow(10, -from / 2595) / 700);
    r = r.times(Ops.exp(b.times(-Math.log(q))));
    Expr<T> up = r.minus(1.0).div(q - 1);
    Expr<T> down = r.neg().plus(q * q).div(q * q - q);
    return Ops.max(Ops.min(up, down), Scalars.literal(dtype, 0));
  }

  // Cosine transforms

  static <T> Expr<T> dct(Expr<T> x, boolean orthonormal) {
    int last = x.shape().axis(-1, "dct");
    long n = Transforms.length("dct", x, -1, last);
    // Makhoul (1980): even elements forwards, odd ones backwards.
    Expr<T> even = Transforms.slice(x, last, Slice.from(0, 2));
    Expr<T> odd = Transforms.slice(x, last, Slice.from(1, 2)).flip(last);
    Complex<T> v = Fft.fft(Ops.concat(last, List.of(even, odd)));
    Expr<T> y = v.times(quarter(x.dtype(), n)).re().times(2.0);
    return orthonormal ? y.times(norm(x.dtype(), n)) : y;
  }

  static <T> Expr<T> idct(Expr<T> y, boolean orthonormal) {
    int last = y.shape().axis(-1, "idct");
    long n = Transforms.length("idct", y, -1, last);
    Expr<T> raw = orthonormal ? y.div(norm(y.dtype(), n)) : y;
    // Element n of y is 0.
    Expr<T> mirrored =
        n == 1
            ? Scalars.filled(y.dtype(), y.shape(), 0)
            : shifted(Transforms.slice(raw, last, Slice.from(1, 1)).flip(last), last);
    Complex<T> v = Complex.of(raw, mirrored.neg()).times(quarter(y.dtype(), n).conj()).times(0.5);
    Expr<T> x = Fft.ifft(v).re();
    // Even elements are the first half, odd ones the second half, backwards.
    long half = n - n / 2;
    if (n == 1) {
      return x;
    }
    Expr<T> even = Transforms.slice(x, last, Slice.range(0, half));
    Expr<T> odd = Transforms.slice(x, last, Slice.from(half, 1)).flip(last);
    odd = Transforms.resized(odd, half, last);
    long[] dims = y.shape().extents();
    dims[last] = 2 * half;
    return Transforms.resized(Ops.stack(-1, even, odd).reshape(dims), n, last);
  }

  private static <T> Expr<T> shifted(Expr<T> x, int axis) {
    long[] around = new long[2 * axis + 2];
    around[2 * axis] = 1;
    return Ops.pad(x, around);
  }

  /** Roots {@code exp(-pi i k / 2 n)}. */
  private static <T> Complex<T> quarter(DType<T> dtype, long n) {
    return Transforms.root(dtype, Transforms.index(n, 0, 1), 4 * n);
  }

  private static <T> Expr<T> norm(DType<T> dtype, long n) {
    Expr<I64> k = Transforms.index(n, 0, 1);
    return Ops.where(
        k.eq(0),
        Scalars.literal(dtype, Math.sqrt(0.25 / n)),
        Scalars.literal(dtype, Math.sqrt(0.5 / n)));
  }

  static <T> Complex<T> hilbert(Expr<T> x) {
    int last = x.shape().axis(-1, "hilbert");
    long n = Transforms.length("hilbert", x, -1, last);
    Expr<I64> k = Transforms.index(n, 0, 1);
    Expr<T> one = Scalars.literal(x.dtype(), 1);
    Expr<T> rest = Ops.where(k.lt((n + 1) / 2), Scalars.literal(x.dtype(), 2), 0.0);
    var single = n % 2 == 0 ? k.eq(0).or(k.eq(n / 2)) : k.eq(0);
    return Fft.ifft(Fft.fft(x).times(Ops.where(single, one, rest)));
  }
}
