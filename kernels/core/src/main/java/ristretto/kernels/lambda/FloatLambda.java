package ristretto.kernels.lambda;

/**
 * Lambdas over {@code float} elements. {@code ToXN} takes N elements and returns an X; {@link
 * Indexed} takes an element and its row-major index. The package {@link ristretto.kernels.lambda}
 * lists what a lambda may do.
 */
public sealed interface FloatLambda extends Lambda {
  /** Maps one {@code float} value to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat1 extends FloatLambda {
    /** Returns the result for element {@code a}. */
    float apply(float a);
  }

  /** Maps two {@code float} values to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat2 extends FloatLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    float apply(float a, float b);
  }

  /** Maps three {@code float} values to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat3 extends FloatLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    float apply(float a, float b, float c);
  }

  /** Maps four {@code float} values to a {@code float}. */
  @FunctionalInterface
  non-sealed interface ToFloat4 extends FloatLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    float apply(float a, float b, float c, float d);
  }

  /** Maps one {@code float} value to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble1 extends FloatLambda {
    /** Returns the result for element {@code a}. */
    double apply(float a);
  }

  /** Maps two {@code float} values to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble2 extends FloatLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    double apply(float a, float b);
  }

  /** Maps three {@code float} values to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble3 extends FloatLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    double apply(float a, float b, float c);
  }

  /** Maps four {@code float} values to a {@code double}. */
  @FunctionalInterface
  non-sealed interface ToDouble4 extends FloatLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    double apply(float a, float b, float c, float d);
  }

  /** Maps one {@code float} value to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt1 extends FloatLambda {
    /** Returns the result for element {@code a}. */
    int apply(float a);
  }

  /** Maps two {@code float} values to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt2 extends FloatLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    int apply(float a, float b);
  }

  /** Maps three {@code float} values to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt3 extends FloatLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    int apply(float a, float b, float c);
  }

  /** Maps four {@code float} values to an {@code int}. */
  @FunctionalInterface
  non-sealed interface ToInt4 extends FloatLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    int apply(float a, float b, float c, float d);
  }

  /** Maps one {@code float} value to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong1 extends FloatLambda {
    /** Returns the result for element {@code a}. */
    long apply(float a);
  }

  /** Maps two {@code float} values to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong2 extends FloatLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    long apply(float a, float b);
  }

  /** Maps three {@code float} values to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong3 extends FloatLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    long apply(float a, float b, float c);
  }

  /** Maps four {@code float} values to a {@code long}. */
  @FunctionalInterface
  non-sealed interface ToLong4 extends FloatLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    long apply(float a, float b, float c, float d);
  }

  /** Maps one {@code float} value to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean1 extends FloatLambda {
    /** Returns the result for element {@code a}. */
    boolean apply(float a);
  }

  /** Maps two {@code float} values to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean2 extends FloatLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    boolean apply(float a, float b);
  }

  /** Maps three {@code float} values to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean3 extends FloatLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    boolean apply(float a, float b, float c);
  }

  /** Maps four {@code float} values to a {@code boolean}. */
  @FunctionalInterface
  non-sealed interface ToBoolean4 extends FloatLambda {
    /** Returns the result for the elements at one index, after broadcasting. */
    boolean apply(float a, float b, float c, float d);
  }

  /** Maps an element and its row-major index to a new element. */
  @FunctionalInterface
  non-sealed interface Indexed extends FloatLambda {
    /**
     * Returns the new element.
     *
     * @param value the element
     * @param index row-major index of the element in the expression, from 0
     */
    float apply(float value, long index);
  }
}
