package ristretto.kernels.lambda;

/**
 * Lambdas over {@code int} elements. {@code ToXN} takes N elements and returns an X; {@link
 * Indexed} takes an element and its row-major index. The package {@link ristretto.kernels.lambda}
 * lists what a lambda may do.
 */
public sealed interface IntLambda extends Lambda {
  /** Maps one {@code int} value to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat1 extends IntLambda {
    /** Returns the result for element {@code a}. */
    float apply(int a);
  }

  /** Maps two {@code int} values to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat2 extends IntLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    float apply(int a, int b);
  }

  /** Maps three {@code int} values to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat3 extends IntLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    float apply(int a, int b, int c);
  }

  /** Maps four {@code int} values to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat4 extends IntLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    float apply(int a, int b, int c, int d);
  }

  /** Maps one {@code int} value to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble1 extends IntLambda {
    /** Returns the result for element {@code a}. */
    double apply(int a);
  }

  /** Maps two {@code int} values to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble2 extends IntLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    double apply(int a, int b);
  }

  /** Maps three {@code int} values to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble3 extends IntLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    double apply(int a, int b, int c);
  }

  /** Maps four {@code int} values to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble4 extends IntLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    double apply(int a, int b, int c, int d);
  }

  /** Maps one {@code int} value to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt1 extends IntLambda {
    /** Returns the result for element {@code a}. */
    int apply(int a);
  }

  /** Maps two {@code int} values to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt2 extends IntLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    int apply(int a, int b);
  }

  /** Maps three {@code int} values to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt3 extends IntLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    int apply(int a, int b, int c);
  }

  /** Maps four {@code int} values to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt4 extends IntLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    int apply(int a, int b, int c, int d);
  }

  /** Maps one {@code int} value to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong1 extends IntLambda {
    /** Returns the result for element {@code a}. */
    long apply(int a);
  }

  /** Maps two {@code int} values to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong2 extends IntLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    long apply(int a, int b);
  }

  /** Maps three {@code int} values to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong3 extends IntLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    long apply(int a, int b, int c);
  }

  /** Maps four {@code int} values to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong4 extends IntLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    long apply(int a, int b, int c, int d);
  }

  /** Maps one {@code int} value to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean1 extends IntLambda {
    /** Returns the result for element {@code a}. */
    boolean apply(int a);
  }

  /** Maps two {@code int} values to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean2 extends IntLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    boolean apply(int a, int b);
  }

  /** Maps three {@code int} values to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean3 extends IntLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    boolean apply(int a, int b, int c);
  }

  /** Maps four {@code int} values to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean4 extends IntLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    boolean apply(int a, int b, int c, int d);
  }

  /** Maps an element and its row-major index to a new element. */
  @FunctionalInterface
  non-sealed interface Indexed extends IntLambda {
    /**
     * Returns the new element.
     *
     * @param value the element
     * @param index row-major index of the element in the expression, from 0
     */
    int apply(int value, long index);
  }
}
