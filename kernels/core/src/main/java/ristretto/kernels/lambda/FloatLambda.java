package ristretto.kernels.lambda;

/**
 * Lambdas over {@code float} elements. {@code ToXN} takes N of them and gives an X; {@link Indexed}
 * takes one and its element number. What a lambda may do is said in {@link
 * ristretto.kernels.lambda}.
 */
public sealed interface FloatLambda extends Lambda {
  /** From one {@code float} value to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat1 extends FloatLambda {
    /** The result for element {@code a}. */
    float apply(float a);
  }

  /** From two {@code float} values to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat2 extends FloatLambda {
    /** The result for elements of one index, after broadcasting. */
    float apply(float a, float b);
  }

  /** From three {@code float} values to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat3 extends FloatLambda {
    /** The result for elements of one index, after broadcasting. */
    float apply(float a, float b, float c);
  }

  /** From four {@code float} values to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat4 extends FloatLambda {
    /** The result for elements of one index, after broadcasting. */
    float apply(float a, float b, float c, float d);
  }

  /** From one {@code float} value to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble1 extends FloatLambda {
    /** The result for element {@code a}. */
    double apply(float a);
  }

  /** From two {@code float} values to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble2 extends FloatLambda {
    /** The result for elements of one index, after broadcasting. */
    double apply(float a, float b);
  }

  /** From three {@code float} values to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble3 extends FloatLambda {
    /** The result for elements of one index, after broadcasting. */
    double apply(float a, float b, float c);
  }

  /** From four {@code float} values to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble4 extends FloatLambda {
    /** The result for elements of one index, after broadcasting. */
    double apply(float a, float b, float c, float d);
  }

  /** From one {@code float} value to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt1 extends FloatLambda {
    /** The result for element {@code a}. */
    int apply(float a);
  }

  /** From two {@code float} values to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt2 extends FloatLambda {
    /** The result for elements of one index, after broadcasting. */
    int apply(float a, float b);
  }

  /** From three {@code float} values to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt3 extends FloatLambda {
    /** The result for elements of one index, after broadcasting. */
    int apply(float a, float b, float c);
  }

  /** From four {@code float} values to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt4 extends FloatLambda {
    /** The result for elements of one index, after broadcasting. */
    int apply(float a, float b, float c, float d);
  }

  /** From one {@code float} value to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong1 extends FloatLambda {
    /** The result for element {@code a}. */
    long apply(float a);
  }

  /** From two {@code float} values to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong2 extends FloatLambda {
    /** The result for elements of one index, after broadcasting. */
    long apply(float a, float b);
  }

  /** From three {@code float} values to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong3 extends FloatLambda {
    /** The result for elements of one index, after broadcasting. */
    long apply(float a, float b, float c);
  }

  /** From four {@code float} values to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong4 extends FloatLambda {
    /** The result for elements of one index, after broadcasting. */
    long apply(float a, float b, float c, float d);
  }

  /** From one {@code float} value to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean1 extends FloatLambda {
    /** The result for element {@code a}. */
    boolean apply(float a);
  }

  /** From two {@code float} values to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean2 extends FloatLambda {
    /** The result for elements of one index, after broadcasting. */
    boolean apply(float a, float b);
  }

  /** From three {@code float} values to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean3 extends FloatLambda {
    /** The result for elements of one index, after broadcasting. */
    boolean apply(float a, float b, float c);
  }

  /** From four {@code float} values to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean4 extends FloatLambda {
    /** The result for elements of one index, after broadcasting. */
    boolean apply(float a, float b, float c, float d);
  }

  /** From an element and its row-major number to a new element. */
  @FunctionalInterface
  non-sealed interface Indexed extends FloatLambda {
    /**
     * The new element.
     *
     * @param value the element
     * @param index its row-major number in the expression, from 0
     */
    float apply(float value, long index);
  }
}
