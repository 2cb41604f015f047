package ristretto.kernels.lambda;

/**
 * Lambdas over {@code long} elements. {@code ToXN} takes N of them and gives an X; {@link Indexed}
 * takes one and its element number. What a lambda may do is said in {@link
 * ristretto.kernels.lambda}.
 */
public sealed interface LongLambda extends Lambda {
  /** From one {@code long} value to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat1 extends LongLambda {
    /** The result for element {@code a}. */
    float apply(long a);
  }

  /** From two {@code long} values to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat2 extends LongLambda {
    /** The result for elements of one index, after broadcasting. */
    float apply(long a, long b);
  }

  /** From three {@code long} values to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat3 extends LongLambda {
    /** The result for elements of one index, after broadcasting. */
    float apply(long a, long b, long c);
  }

  /** From four {@code long} values to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat4 extends LongLambda {
    /** The result for elements of one index, after broadcasting. */
    float apply(long a, long b, long c, long d);
  }

  /** From one {@code long} value to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble1 extends LongLambda {
    /** The result for element {@code a}. */
    double apply(long a);
  }

  /** From two {@code long} values to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble2 extends LongLambda {
    /** The result for elements of one index, after broadcasting. */
    double apply(long a, long b);
  }

  /** From three {@code long} values to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble3 extends LongLambda {
    /** The result for elements of one index, after broadcasting. */
    double apply(long a, long b, long c);
  }

  /** From four {@code long} values to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble4 extends LongLambda {
    /** The result for elements of one index, after broadcasting. */
    double apply(long a, long b, long c, long d);
  }

  /** From one {@code long} value to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt1 extends LongLambda {
    /** The result for element {@code a}. */
    int apply(long a);
  }

  /** From two {@code long} values to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt2 extends LongLambda {
    /** The result for elements of one index, after broadcasting. */
    int apply(long a, long b);
  }

  /** From three {@code long} values to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt3 extends LongLambda {
    /** The result for elements of one index, after broadcasting. */
    int apply(long a, long b, long c);
  }

  /** From four {@code long} values to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt4 extends LongLambda {
    /** The result for elements of one index, after broadcasting. */
    int apply(long a, long b, long c, long d);
  }

  /** From one {@code long} value to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong1 extends LongLambda {
    /** The result for element {@code a}. */
    long apply(long a);
  }

  /** From two {@code long} values to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong2 extends LongLambda {
    /** The result for elements of one index, after broadcasting. */
    long apply(long a, long b);
  }

  /** From three {@code long} values to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong3 extends LongLambda {
    /** The result for elements of one index, after broadcasting. */
    long apply(long a, long b, long c);
  }

  /** From four {@code long} values to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong4 extends LongLambda {
    /** The result for elements of one index, after broadcasting. */
    long apply(long a, long b, long c, long d);
  }

  /** From one {@code long} value to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean1 extends LongLambda {
    /** The result for element {@code a}. */
    boolean apply(long a);
  }

  /** From two {@code long} values to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean2 extends LongLambda {
    /** The result for elements of one index, after broadcasting. */
    boolean apply(long a, long b);
  }

  /** From three {@code long} values to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean3 extends LongLambda {
    /** The result for elements of one index, after broadcasting. */
    boolean apply(long a, long b, long c);
  }

  /** From four {@code long} values to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean4 extends LongLambda {
    /** The result for elements of one index, after broadcasting. */
    boolean apply(long a, long b, long c, long d);
  }

  /** From an element and its row-major number to a new element. */
  @FunctionalInterface
  non-sealed interface Indexed extends LongLambda {
    /**
     * The new element.
     *
     * @param value the element
     * @param index its row-major number in the expression, from 0
     */
    long apply(long value, long index);
  }
}
