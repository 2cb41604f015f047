package ristretto.kernels.lambda;

/**
 * Lambdas over {@code double} elements. {@code ToXN} takes N elements and returns an X; {@link
 * Indexed} takes an element and its row-major index. The package {@link ristretto.kernels.lambda}
 * lists what a lambda may do.
 */
public sealed interface DoubleLambda extends Lambda {
  /** Maps one {@code double} value to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat1 extends DoubleLambda {
    /** Returns the result for element {@code a}. */
    float apply(double a);
  }

  /** Maps two {@code double} values to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat2 extends DoubleLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    float apply(double a, double b);
  }

  /** Maps three {@code double} values to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat3 extends DoubleLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    float apply(double a, double b, double c);
  }

  /** Maps four {@code double} values to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat4 extends DoubleLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    float apply(double a, double b, double c, double d);
  }

  /** Maps one {@code double} value to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble1 extends DoubleLambda {
    /** Returns the result for element {@code a}. */
    double apply(double a);
  }

  /** Maps two {@code double} values to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble2 extends DoubleLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    double apply(double a, double b);
  }

  /** Maps three {@code double} values to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble3 extends DoubleLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    double apply(double a, double b, double c);
  }

  /** Maps four {@code double} values to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble4 extends DoubleLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    double apply(double a, double b, double c, double d);
  }

  /** Maps one {@code double} value to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt1 extends DoubleLambda {
    /** Returns the result for element {@code a}. */
    int apply(double a);
  }

  /** Maps two {@code double} values to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt2 extends DoubleLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    int apply(double a, double b);
  }

  /** Maps three {@code double} values to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt3 extends DoubleLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    int apply(double a, double b, double c);
  }

  /** Maps four {@code double} values to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt4 extends DoubleLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    int apply(double a, double b, double c, double d);
  }

  /** Maps one {@code double} value to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong1 extends DoubleLambda {
    /** Returns the result for element {@code a}. */
    long apply(double a);
  }

  /** Maps two {@code double} values to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong2 extends DoubleLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    long apply(double a, double b);
  }

  /** Maps three {@code double} values to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong3 extends DoubleLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    long apply(double a, double b, double c);
  }

  /** Maps four {@code double} values to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong4 extends DoubleLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    long apply(double a, double b, double c, double d);
  }

  /** Maps one {@code double} value to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean1 extends DoubleLambda {
    /** Returns the result for element {@code a}. */
    boolean apply(double a);
  }

  /** Maps two {@code double} values to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean2 extends DoubleLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    boolean apply(double a, double b);
  }

  /** Maps three {@code double} values to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean3 extends DoubleLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    boolean apply(double a, double b, double c);
  }

  /** Maps four {@code double} values to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean4 extends DoubleLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    boolean apply(double a, double b, double c, double d);
  }

  /** Maps an element and its row-major index to a new element. */
  @FunctionalInterface
  non-sealed interface Indexed extends DoubleLambda {
    /**
     * Returns the new element.
     *
     * @param value the element
     * @param index row-major index of the element in the expression, from 0
     */
    double apply(double value, long index);
  }
}
