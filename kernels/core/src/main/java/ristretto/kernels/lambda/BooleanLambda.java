package ristretto.kernels.lambda;

/**
 * Lambdas over {@code boolean} elements. {@code ToXN} takes N elements and returns an X; {@link
 * Indexed} takes an element and its row-major index. The package {@link ristretto.kernels.lambda}
 * lists what a lambda may do.
 */
public sealed interface BooleanLambda extends Lambda {
  /** Maps one {@code boolean} value to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat1 extends BooleanLambda {
    /** Returns the result for element {@code a}. */
    float apply(boolean a);
  }

  /** Maps two {@code boolean} values to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat2 extends BooleanLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    float apply(boolean a, boolean b);
  }

  /** Maps three {@code boolean} values to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat3 extends BooleanLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    float apply(boolean a, boolean b, boolean c);
  }

  /** Maps four {@code boolean} values to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat4 extends BooleanLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    float apply(boolean a, boolean b, boolean c, boolean d);
  }

  /** Maps one {@code boolean} value to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble1 extends BooleanLambda {
    /** Returns the result for element {@code a}. */
    double apply(boolean a);
  }

  /** Maps two {@code boolean} values to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble2 extends BooleanLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    double apply(boolean a, boolean b);
  }

  /** Maps three {@code boolean} values to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble3 extends BooleanLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    double apply(boolean a, boolean b, boolean c);
  }

  /** Maps four {@code boolean} values to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble4 extends BooleanLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    double apply(boolean a, boolean b, boolean c, boolean d);
  }

  /** Maps one {@code boolean} value to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt1 extends BooleanLambda {
    /** Returns the result for element {@code a}. */
    int apply(boolean a);
  }

  /** Maps two {@code boolean} values to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt2 extends BooleanLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    int apply(boolean a, boolean b);
  }

  /** Maps three {@code boolean} values to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt3 extends BooleanLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    int apply(boolean a, boolean b, boolean c);
  }

  /** Maps four {@code boolean} values to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt4 extends BooleanLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    int apply(boolean a, boolean b, boolean c, boolean d);
  }

  /** Maps one {@code boolean} value to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong1 extends BooleanLambda {
    /** Returns the result for element {@code a}. */
    long apply(boolean a);
  }

  /** Maps two {@code boolean} values to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong2 extends BooleanLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    long apply(boolean a, boolean b);
  }

  /** Maps three {@code boolean} values to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong3 extends BooleanLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    long apply(boolean a, boolean b, boolean c);
  }

  /** Maps four {@code boolean} values to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong4 extends BooleanLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    long apply(boolean a, boolean b, boolean c, boolean d);
  }

  /** Maps one {@code boolean} value to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean1 extends BooleanLambda {
    /** Returns the result for element {@code a}. */
    boolean apply(boolean a);
  }

  /** Maps two {@code boolean} values to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean2 extends BooleanLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    boolean apply(boolean a, boolean b);
  }

  /** Maps three {@code boolean} values to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean3 extends BooleanLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    boolean apply(boolean a, boolean b, boolean c);
  }

  /** Maps four {@code boolean} values to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean4 extends BooleanLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    boolean apply(boolean a, boolean b, boolean c, boolean d);
  }

  /** Maps an element and its row-major index to a new element. */
  @FunctionalInterface
  non-sealed interface Indexed extends BooleanLambda {
    /**
     * Returns the new element.
     *
     * @param value the element
     * @param index row-major index of the element in the expression, from 0
     */
    boolean apply(boolean value, long index);
  }
}
