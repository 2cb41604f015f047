package ristretto.expr.linalg;

/**
 * Computation on one matrix of a batch. Routines are records: their sizes and settings are part of
 * the key of cached plans. Matrices are row-major; LAPACK sees them as their transposes.
 */
interface Routine {
  /**
   * Computes the packed results of a matrix. A matrix with NaN or infinity gives NaN.
   *
   * @param out all results, one after the other, row-major
   * @param in operands, row-major, which stay as they are
   * @return null, or the property that the operand lacks
   */
  Failure run(Reals out, Reals... in);

  /** Number of elements of the results of one matrix. */
  long results();

  /**
   * Property that a matrix lacks.
   *
   * @param rule property that must hold
   * @param found sentence part about the matrix: "whose ..."
   * @param remedy advice to the user
   */
  record Failure(String rule, String found, String remedy) {
    /** Failure of a matrix with a pivot of zero. */
    static Failure singular(int pivot) {
      return new Failure(
          "the matrix must not be singular",
          "whose pivot " + pivot + " is zero",
          "use lstsq or pinv, or add a multiple of the identity");
    }

    /** Failure of an iteration. */
    static Failure notConverged(int count) {
      return new Failure(
          "the iteration must converge",
          "of which " + count + " values did not",
          "scale the matrix, or use F64");
    }
  }
}
