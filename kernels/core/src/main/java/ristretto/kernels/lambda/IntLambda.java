package ristretto.kernels.lambda;

/**
 * Lambdas over {@code int} elements. {@code ToXN} takes N of them and gives an X; {@link Indexed}
 * takes one and its element number. What a lambda may do is said in {@link
 * ristretto.kernels.lambda}.
 */
public sealed interface IntLambda extends Lambda {
  /** From one {@code int} value to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat1 extends IntLambda {
    /** The result for element {@code a}. */
    float apply(int a);
  }

  /** From two {@code int} values to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat2 extends IntLambda {
    /** The result for elements of one index, after broadcasting. */
    float apply(int a, int b);
  }

  /** From three {@code int} values to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat3 extends IntLambda {
    /** The result for elements of one index, after broadcasting. */
    float apply(int a, int b, int c);
  }

  /** From four {@code int} values to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat4 extends IntLambda {
    /** The result for elements of one index, after broadcasting. */
    float apply(int a, int b, int c, int d);
  }

  /** From one {@code int} value to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble1 extends IntLambda {
    /** The result for element {@code a}. */
    double apply(int a);
  }

  /** From two {@code int} values to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble2 extends IntLambda {
    /** The result for elements of one index, after broadcasting. */
    double apply(int a, int b);
  }

  /** From three {@code int} values to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble3 extends IntLambda {
    /** The result for elements of one index, after broadcasting. */
    double apply(int a, int b, int c);
  }

  /** From four {@code int} values to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble4 extends IntLambda {
    /** The result for elements of one index, after broadcasting. */
    double apply(int a, int b, int c, int d);
  }

  /** From one {@code int} value to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt1 extends IntLambda {
    /** The result for element {@code a}. */
    int apply(int a);
  }

  /** From two {@code int} values to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt2 extends IntLambda {
    /** The result for elements of one index, after broadcasting. */
    int apply(int a, int b);
  }

  /** From three {@code int} values to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt3 extends IntLambda {
    /** The result for elements of one index, after broadcasting. */
    int apply(int a, int b, int c);
  }

  /** From four {@code int} values to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt4 extends IntLambda {
    /** The result for elements of one index, after broadcasting. */
    int apply(int a, int b, int c, int d);
  }

  /** From one {@code int} value to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong1 extends IntLambda {
    /** The result for element {@code a}. */
    long apply(int a);
  }

  /** From two {@code int} values to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong2 extends IntLambda {
    /** The result for elements of one index, after broadcasting. */
    long apply(int a, int b);
  }

  /** From three {@code int} values to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong3 extends IntLambda {
    /** The result for elements of one index, after broadcasting. */
    long apply(int a, int b, int c);
  }

  /** From four {@code int} values to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong4 extends IntLambda {
    /** The result for elements of one index, after broadcasting. */
    long apply(int a, int b, int c, int d);
  }

  /** From one {@code int} value to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean1 extends IntLambda {
    /** The result for element {@code a}. */
    boolean apply(int a);
  }

  /** From two {@code int} values to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean2 extends IntLambda {
    /** The result for elements of one index, after broadcasting. */
    boolean apply(int a, int b);
  }

  /** From three {@code int} values to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean3 extends IntLambda {
    /** The result for elements of one index, after broadcasting. */
    boolean apply(int a, int b, int c);
  }

  /** From four {@code int} values to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean4 extends IntLambda {
    /** The result for elements of one index, after broadcasting. */
    boolean apply(int a, int b, int c, int d);
  }

  /** From an element and its row-major number to a new element. */
  @FunctionalInterface
  non-sealed interface Indexed extends IntLambda {
    /**
     * The new element.
     *
     * @param value the element
     * @param index its row-major number in the expression, from 0
     */
    int apply(int value, long index);
  }
}
