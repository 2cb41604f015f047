package ristretto.expr;

import ristretto.expr.type.DType;

/**
 * Convolutions, windows, short-time spectra and other signal processing; see {@link Fft} for
 * Fourier transforms. All functions have gradients. They work along the last axis, for all others
 * at once.
 *
 * @hidden its operations are documented as those of {@link Ops}
 */
public abstract class SignalOps extends SelectionOps {
  SignalOps() {}

  // Convolution

  /** Convolution with mode "full"; see {@link #convolve(Expr, Expr, String)}. */
  public static <T> Expr<T> convolve(Expr<T> a, Expr<T> v) {
    return convolve(a, v, "full");
  }

  /**
   * Convolution along the last axis with NumPy's modes: {@code a[..., n], v[..., m]} give n + m - 1
   * elements for "full", max(n, m) for "same", and those without padding for "valid". Other axes
   * broadcast. Sums of products if results times the shorter length are at most {@code 10 l
   * log2(l)} with l = n + m - 1, otherwise Fourier transforms, whose error relates to the largest
   * result. F32 and F64.
   */
  public static <T> Expr<T> convolve(Expr<T> a, Expr<T> v, String mode) {
    return Signals.convolve("convolve", a, v, mode, false);
  }

  /** Correlation with mode "valid"; see {@link #correlate(Expr, Expr, String)}. */
  public static <T> Expr<T> correlate(Expr<T> a, Expr<T> v) {
    return correlate(a, v, "valid");
  }

  /**
   * Correlation along the last axis: the convolution with reversed {@code v}, with NumPy's modes;
   * see {@link #convolve(Expr, Expr, String)}.
   */
  public static <T> Expr<T> correlate(Expr<T> a, Expr<T> v, String mode) {
    return Signals.convolve("correlate", a, v, mode, true);
  }

  // Windows

  /** Symmetric Hann window of n elements; periodic windows suit spectra. */
  public static <T> Expr<T> hann(DType<T> dtype, long n) {
    return hann(dtype, n, false);
  }

  /** Hann window of n elements: symmetric, or one period of a cosine. */
  public static <T> Expr<T> hann(DType<T> dtype, long n, boolean periodic) {
    return Signals.cosines(dtype, n, periodic, 0.5, 0.5, 0);
  }

  /** Symmetric Hamming window of n elements. */
  public static <T> Expr<T> hamming(DType<T> dtype, long n) {
    return hamming(dtype, n, false);
  }

  /** Hamming window of n elements: symmetric or periodic. */
  public static <T> Expr<T> hamming(DType<T> dtype, long n, boolean periodic) {
    return Signals.cosines(dtype, n, periodic, 0.54, 0.46, 0);
  }

  /** Symmetric Blackman window of n elements. */
  public static <T> Expr<T> blackman(DType<T> dtype, long n) {
    return blackman(dtype, n, false);
  }

  /** Blackman window of n elements: symmetric or periodic. */
  public static <T> Expr<T> blackman(DType<T> dtype, long n, boolean periodic) {
    return Signals.cosines(dtype, n, periodic, 0.42, 0.5, 0.08);
  }

  /** Symmetric triangular window of n elements with zeros at the ends. */
  public static <T> Expr<T> bartlett(DType<T> dtype, long n) {
    return bartlett(dtype, n, false);
  }

  /** Triangular window of n elements: symmetric or periodic. */
  public static <T> Expr<T> bartlett(DType<T> dtype, long n, boolean periodic) {
    return Signals.bartlett(dtype, n, periodic);
  }

  /** Symmetric Kaiser window of n elements. */
  public static <T> Expr<T> kaiser(DType<T> dtype, long n, double beta) {
    return kaiser(dtype, n, beta, false);
  }

  /** Kaiser window of n elements: symmetric or periodic. */
  public static <T> Expr<T> kaiser(DType<T> dtype, long n, double beta, boolean periodic) {
    return Signals.kaiser(dtype, n, beta, periodic);
  }

  // Short-time transforms

  /**
   * Short-time Fourier transform: {@code x[..., samples], window[n] -> y[..., frames, n / 2 + 1]}.
   * A frame begins every {@code hop} samples, and none goes beyond the last sample: {@code 1 +
   * (samples - n) / hop} frames. Framing and window are fused with the kernel that feeds the
   * transform.
   */
  public static <T> Complex<T> stft(Expr<T> x, Expr<T> window, long hop) {
    return stft(x, window, hop, false);
  }

  /**
   * Short-time Fourier transform, optionally with frames centered at multiples of the hop: x is
   * padded by its reflection, n / 2 samples at both ends, as in librosa and PyTorch.
   */
  public static <T> Complex<T> stft(Expr<T> x, Expr<T> window, long hop, boolean center) {
    return Signals.stft(x, window, hop, center);
  }

  /**
   * Signal with the least squared distance from a short-time transform (Griffin and Lim 1984):
   * {@code s[..., frames, n / 2 + 1], window[n] -> x[..., (frames - 1) hop + n]}; the inverse of
   * {@link #stft(Expr, Expr, long)} where windows are not zero.
   */
  public static <T> Expr<T> istft(Complex<T> s, Expr<T> window, long hop) {
    return istft(s, window, hop, false);
  }

  /** Inverse of {@link #stft(Expr, Expr, long, boolean)}; without the padding if centered. */
  public static <T> Expr<T> istft(Complex<T> s, Expr<T> window, long hop, boolean center) {
    return Signals.istft(s, window, hop, center);
  }

  /** Power of the short-time Fourier transform: {@code x[..., samples] -> [..., frames, bins]}. */
  public static <T> Expr<T> spectrogram(Expr<T> x, Expr<T> window, long hop) {
    return stft(x, window, hop).abs2();
  }

  /**
   * Triangles of height 1 with equally spaced corners on the mel scale 2595 log10(1 + f / 700), as
   * torchaudio's default: {@code [n / 2 + 1, bands]}, to multiply spectra of n samples with.
   *
   * @param rate samples per second
   */
  public static <T> Expr<T> melFilters(DType<T> dtype, double rate, long n, int bands) {
    return melFilters(dtype, rate, n, bands, 0, rate / 2);
  }

  /**
   * Mel filters between two frequencies in Hz; see {@link #melFilters(DType, double, long, int)}.
   */
  public static <T> Expr<T> melFilters(
      DType<T> dtype, double rate, long n, int bands, double low, double high) {
    return Signals.melFilters(dtype, rate, n, bands, low, high);
  }

  /**
   * Natural logarithms of mel bands of the {@link #spectrogram}, at least log(1e-10): {@code x[...,
   * samples] -> [..., frames, bands]}.
   *
   * @param rate samples per second
   */
  public static <T> Expr<T> logMel(Expr<T> x, double rate, Expr<T> window, long hop, int bands) {
    Expr<T> power = spectrogram(x, window, hop);
    Expr<T> filters = melFilters(x.dtype(), rate, window.shape().at(0), bands);
    return Ops.log(Ops.max(Ops.dot(power, filters), Scalars.literal(x.dtype(), 1e-10)));
  }

  /**
   * Mel-frequency cepstral coefficients (Davis and Mermelstein 1980), the first of the orthonormal
   * {@link #dct(Expr, boolean)} of {@link #logMel}: {@code x[..., samples] -> [..., frames,
   * count]}.
   *
   * @param rate samples per second
   */
  public static <T> Expr<T> mfcc(
      Expr<T> x, double rate, Expr<T> window, long hop, int bands, int count) {
    if (count < 1 || count > bands) {
      throw new ristretto.kernels.ShapeException(
          "[mfcc] there must be 1 to %s coefficients, as bands; got %s.".formatted(bands, count));
    }
    Expr<T> all = dct(logMel(x, rate, window, hop, bands), true);
    return Transforms.resized(all, count, all.shape().rank() - 1);
  }

  // Other transforms

  /** Cosine transform (DCT-II): {@code y[k] = 2 sum over j of x[j] cos(pi k (2 j + 1) / 2 n)}. */
  public static <T> Expr<T> dct(Expr<T> x) {
    return dct(x, false);
  }

  /** Cosine transform (DCT-II), optionally scaled to an orthonormal transform. */
  public static <T> Expr<T> dct(Expr<T> x, boolean orthonormal) {
    return Signals.dct(x, orthonormal);
  }

  /** Inverse of {@link #dct(Expr)} (DCT-III, scaled). */
  public static <T> Expr<T> idct(Expr<T> y) {
    return idct(y, false);
  }

  /** Inverse of {@link #dct(Expr, boolean)}. */
  public static <T> Expr<T> idct(Expr<T> y, boolean orthonormal) {
    return Signals.idct(y, orthonormal);
  }

  /** Analytic signal of real numbers: its imaginary part is their Hilbert transform. */
  public static <T> Complex<T> hilbert(Expr<T> x) {
    return Signals.hilbert(x);
  }
}
