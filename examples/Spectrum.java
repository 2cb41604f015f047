// Finds the notes of a chord in noise: a short-time spectrum, its average, and its peaks.
//
// Framing and window are fused into the kernel that feeds the transform, and the powers of the
// spectrum into the kernel that averages them.
//
//   ./ristretto run examples/Spectrum.java [--quick]

import module ristretto.expr;
import static ristretto.expr.Ops.*;

void main(String[] args) {
  boolean quick = quick(args);
  int rate = 44_100;
  long samples = (quick ? 2L : 60L) * rate;
  double[] notes = {220, 277.18, 329.63}; // a, c sharp, e
  int frame = 16_384;
  int hop = frame / 4;
  try (var ctx = Context.open()) {
    Expr<F32> second = ctx.arange(F32, rate).times(2 * Math.PI / rate);
    Expr<F32> time = tile(second, samples / rate);
    Expr<F32> chord = normal(F32, 7, samples).times(0.5);
    for (double note : notes) {
      chord = chord.plus(sin(time.times(Math.round(note))));
    }
    Tensor<F32> sound = ctx.eval(chord);

    Expr<F32> power = spectrogram(sound, hann(F32, frame, true), hop);
    Expr<F32> average = mean(power, 0);
    Plan plan = ctx.explain(average);
    IO.println(plan);
    long start = System.nanoTime();
    Tensor<F32> spectrum = ctx.eval(average);
    // A bin that exceeds both neighbours is a peak.
    Expr<F32> middle = spectrum.slice(range(1, -1));
    var isPeak = middle.gt(spectrum.slice(range(0, -2))).and(middle.gt(spectrum.slice(from(2))));
    long[] peaks = ctx.eval(argTopK(where(isPeak, middle, 0), 3, 0)).toLongArray();
    double seconds = (System.nanoTime() - start) / 1e9;

    Arrays.sort(peaks);
    double worst = 0;
    for (int k = 0; k < peaks.length; k++) {
      double hertz = (peaks[k] + 1.0) * rate / frame;
      worst = Math.max(worst, Math.abs(hertz - notes[k]));
      IO.println(String.format(Locale.ROOT, "note at %.1f Hz, expected %.1f Hz", hertz, notes[k]));
    }
    IO.println(
        String.format(
            Locale.ROOT,
            "result: off_hertz=%.2f kernels=%d seconds=%.3f",
            worst,
            plan.kernelCount(),
            seconds));
  }
}

/// Parses the only option, --quick; other arguments end the program with exit code 2.
boolean quick(String[] args) {
  if (args.length == 0) {
    return false;
  }
  if (args.length == 1 && args[0].equals("--quick")) {
    return true;
  }
  System.err.println("Spectrum takes --quick or nothing; got " + String.join(" ", args));
  System.exit(2);
  return false;
}
