package ristretto.expr.linalg;

/**
 * Exponential of a matrix {@code a[n,n] -> [n,n]}, by scaling and squaring of a Pade approximant
 * whose degree depends on the norm (Higham, The scaling and squaring method for the matrix
 * exponential revisited, 2005).
 */
record Exponential(int n) implements Routine {
  /** Degrees of the approximants. */
  private static final int[] DEGREES = {3, 5, 7, 9, 13};

  /** Largest 1-norms for which a degree reaches the precision of F64. */
  private static final double[] WIDE_NORMS = {
    1.495585217958292e-2,
    2.539398330063230e-1,
    9.504178996162932e-1,
    2.097847961257068,
    5.371920351148152
  };

  /** Largest 1-norms for which a degree reaches the precision of F32. */
  private static final double[] NARROW_NORMS = {
    4.258730016922831e-1, 1.880152677804762, 3.925724783138660
  };

  /** Squarings that make any finite matrix small. */
  private static final int MOST_SQUARINGS = 1100;

  @Override
  public long results() {
    return (long) n * n;
  }

  @Override
  public Failure run(Reals out, Reals... in) {
    long square = results();
    try (var scratch = new Scratch(out.wide(), 6 * square)) {
      Reals a = scratch.take(square);
      if (!a.copy(in[0], square)) {
        out.fill(Double.NaN);
        return null;
      }
      double norm = norm(a);
      double[] norms = out.wide() ? WIDE_NORMS : NARROW_NORMS;
      int which = 0;
      while (which < norms.length - 1 && norm > norms[which]) {
        which++;
      }
      int squarings = 0;
      while (norm > norms[which] && squarings < MOST_SQUARINGS) {
        norm /= 2;
        squarings++;
      }
      // In two steps: the factor alone may underflow.
      a.scale(Math.scalb(1.0, -(squarings / 2)), square);
      a.scale(Math.scalb(1.0, -(squarings - squarings / 2)), square);
      approximate(out, a, DEGREES[which], scratch);
      Reals other = a;
      Reals result = out;
      for (int k = 0; k < squarings; k++) {
        Products.multiply(other, result, false, result, false, n, n, n);
        Reals swap = other;
        other = result;
        result = swap;
      }
      if (result != out) {
        out.copy(result, square);
      }
      return null;
    }
  }

  /** Pade approximant {@code (V - U)^-1 (V + U)} with the odd part U and the even part V. */
  private void approximate(Reals out, Reals a, int degree, Scratch scratch) {
    long square = results();
    Reals second = scratch.take(square);
    Reals power = scratch.take(square);
    Reals next = scratch.take(square);
    Reals odd = scratch.take(square);
    Reals even = scratch.take(square);
    Products.multiply(second, a, false, a, false, n, n, n);
    double[] b = coefficients(degree);
    power.identity(n, n);
    odd.fill(0, square);
    even.fill(0, square);
    for (int j = 0; 2 * j < degree; j++) {
      if (j > 0) {
        Products.multiply(next, power, false, second, false, n, n, n);
        Reals swap = power;
        power = next;
        next = swap;
      }
      add(odd, b[2 * j + 1], power);
      add(even, b[2 * j], power);
    }
    Products.multiply(next, a, false, odd, false, n, n, n);
    for (long k = 0; k < square; k++) {
      double u = next.get(k);
      double v = even.get(k);
      power.set(k, v - u);
      even.set(k, v + u);
    }
    new LuRoutines.Solve(n, n).run(out, power, even);
  }

  private void add(Reals to, double factor, Reals from) {
    for (long k = 0; k < results(); k++) {
      to.set(k, to.get(k) + factor * from.get(k));
    }
  }

  /** Coefficients {@code (2m - j)! m! / ((2m)! (m - j)! j!)} of an approximant of degree m. */
  private static double[] coefficients(int m) {
    double[] b = new double[m + 1];
    b[0] = 1;
    for (int j = 1; j <= m; j++) {
      b[j] = b[j - 1] * (m - j + 1) / ((2.0 * m - j + 1) * j);
    }
    return b;
  }

  private double norm(Reals a) {
    double most = 0;
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int i = 0; i < n; i++) {
        sum += Math.abs(a.get((long) i * n + j));
      }
      most = Math.max(most, sum);
    }
    return most;
  }
}
