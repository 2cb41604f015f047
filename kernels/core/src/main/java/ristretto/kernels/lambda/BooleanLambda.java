package ristretto.kernels.lambda;

/**
 * Lambdas over {@code boolean} elements. {@code ToXN} takes N of them and gives an X; {@link
 * Indexed} takes one and its element number. What a lambda may do is said in {@link
 * ristretto.kernels.lambda}.
 */
public sealed interface BooleanLambda extends Lambda {
  /** From one {@code boolean} value to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat1 extends BooleanLambda {
    /** The result for element {@code a}. */
    float apply(boolean a);
  }

  /** From two {@code boolean} values to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat2 extends BooleanLambda {
    /** The result for elements of one index, after broadcasting. */
    float apply(boolean a, boolean b);
  }

  /** From three {@code boolean} values to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat3 extends BooleanLambda {
    /** The result for elements of one index, after broadcasting. */
    float apply(boolean a, boolean b, boolean c);
  }

  /** From four {@code boolean} values to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat4 extends BooleanLambda {
    /** The result for elements of one index, after broadcasting. */
    float apply(boolean a, boolean b, boolean c, boolean d);
  }

  /** From one {@code boolean} value to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble1 extends BooleanLambda {
    /** The result for element {@code a}. */
    double apply(boolean a);
  }

  /** From two {@code boolean} values to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble2 extends BooleanLambda {
    /** The result for elements of one index, after broadcasting. */
    double apply(boolean a, boolean b);
  }

  /** From three {@code boolean} values to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble3 extends BooleanLambda {
    /** The result for elements of one index, after broadcasting. */
    double apply(boolean a, boolean b, boolean c);
  }

  /** From four {@code boolean} values to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble4 extends BooleanLambda {
    /** The result for elements of one index, after broadcasting. */
    double apply(boolean a, boolean b, boolean c, boolean d);
  }

  /** From one {@code boolean} value to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt1 extends BooleanLambda {
    /** The result for element {@code a}. */
    int apply(boolean a);
  }

  /** From two {@code boolean} values to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt2 extends BooleanLambda {
    /** The result for elements of one index, after broadcasting. */
    int apply(boolean a, boolean b);
  }

  /** From three {@code boolean} values to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt3 extends BooleanLambda {
    /** The result for elements of one index, after broadcasting. */
    int apply(boolean a, boolean b, boolean c);
  }

  /** From four {@code boolean} values to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt4 extends BooleanLambda {
    /** The result for elements of one index, after broadcasting. */
    int apply(boolean a, boolean b, boolean c, boolean d);
  }

  /** From one {@code boolean} value to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong1 extends BooleanLambda {
    /** The result for element {@code a}. */
    long apply(boolean a);
  }

  /** From two {@code boolean} values to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong2 extends BooleanLambda {
    /** The result for elements of one index, after broadcasting. */
    long apply(boolean a, boolean b);
  }

  /** From three {@code boolean} values to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong3 extends BooleanLambda {
    /** The result for elements of one index, after broadcasting. */
    long apply(boolean a, boolean b, boolean c);
  }

  /** From four {@code boolean} values to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong4 extends BooleanLambda {
    /** The result for elements of one index, after broadcasting. */
    long apply(boolean a, boolean b, boolean c, boolean d);
  }

  /** From one {@code boolean} value to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean1 extends BooleanLambda {
    /** The result for element {@code a}. */
    boolean apply(boolean a);
  }

  /** From two {@code boolean} values to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean2 extends BooleanLambda {
    /** The result for elements of one index, after broadcasting. */
    boolean apply(boolean a, boolean b);
  }

  /** From three {@code boolean} values to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean3 extends BooleanLambda {
    /** The result for elements of one index, after broadcasting. */
    boolean apply(boolean a, boolean b, boolean c);
  }

  /** From four {@code boolean} values to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean4 extends BooleanLambda {
    /** The result for elements of one index, after broadcasting. */
    boolean apply(boolean a, boolean b, boolean c, boolean d);
  }

  /** From an element and its row-major number to a new element. */
  @FunctionalInterface
  non-sealed interface Indexed extends BooleanLambda {
    /**
     * The new element.
     *
     * @param value the element
     * @param index its row-major number in the expression, from 0
     */
    boolean apply(boolean value, long index);
  }
}
