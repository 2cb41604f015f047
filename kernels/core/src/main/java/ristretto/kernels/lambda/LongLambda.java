package ristretto.kernels.lambda;

/**
 * Lambdas over {@code long} elements. {@code ToXN} takes N elements and returns an X; {@link
 * Indexed} takes an element and its row-major index. The package {@link ristretto.kernels.lambda}
 * lists what a lambda may do.
 */
public sealed interface LongLambda extends Lambda {
  /** Maps one {@code long} value to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat1 extends LongLambda {
    /** Returns the result for element {@code a}. */
    float apply(long a);
  }

  /** Maps two {@code long} values to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat2 extends LongLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    float apply(long a, long b);
  }

  /** Maps three {@code long} values to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat3 extends LongLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    float apply(long a, long b, long c);
  }

  /** Maps four {@code long} values to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat4 extends LongLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    float apply(long a, long b, long c, long d);
  }

  /** Maps one {@code long} value to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble1 extends LongLambda {
    /** Returns the result for element {@code a}. */
    double apply(long a);
  }

  /** Maps two {@code long} values to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble2 extends LongLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    double apply(long a, long b);
  }

  /** Maps three {@code long} values to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble3 extends LongLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    double apply(long a, long b, long c);
  }

  /** Maps four {@code long} values to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble4 extends LongLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    double apply(long a, long b, long c, long d);
  }

  /** Maps one {@code long} value to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt1 extends LongLambda {
    /** Returns the result for element {@code a}. */
    int apply(long a);
  }

  /** Maps two {@code long} values to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt2 extends LongLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    int apply(long a, long b);
  }

  /** Maps three {@code long} values to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt3 extends LongLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    int apply(long a, long b, long c);
  }

  /** Maps four {@code long} values to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt4 extends LongLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    int apply(long a, long b, long c, long d);
  }

  /** Maps one {@code long} value to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong1 extends LongLambda {
    /** Returns the result for element {@code a}. */
    long apply(long a);
  }

  /** Maps two {@code long} values to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong2 extends LongLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    long apply(long a, long b);
  }

  /** Maps three {@code long} values to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong3 extends LongLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    long apply(long a, long b, long c);
  }

  /** Maps four {@code long} values to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong4 extends LongLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    long apply(long a, long b, long c, long d);
  }

  /** Maps one {@code long} value to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean1 extends LongLambda {
    /** Returns the result for element {@code a}. */
    boolean apply(long a);
  }

  /** Maps two {@code long} values to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean2 extends LongLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    boolean apply(long a, long b);
  }

  /** Maps three {@code long} values to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean3 extends LongLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    boolean apply(long a, long b, long c);
  }

  /** Maps four {@code long} values to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean4 extends LongLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    boolean apply(long a, long b, long c, long d);
  }

  /** Maps an element and its row-major index to a new element. */
  @FunctionalInterface
  non-sealed interface Indexed extends LongLambda {
    /**
     * Returns the new element.
     *
     * @param value the element
     * @param index row-major index of the element in the expression, from 0
     */
    long apply(long value, long index);
  }
}
