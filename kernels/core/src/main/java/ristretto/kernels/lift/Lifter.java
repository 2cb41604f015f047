package ristretto.kernels.lift;

import ristretto.kernels.lambda.Lambda;

/**
 * Converts lambdas to scalar IR, once per lambda class, that is, per lambda expression in the
 * source.
 */
public final class Lifter {
  private static final ClassValue<Slot> CACHE =
      new ClassValue<>() {
        @Override
        protected Slot computeValue(Class<?> type) {
          return new Slot();
        }
      };

  /** Cache entry of a lambda class, filled by the first lambda of the class. */
  private static final class Slot {
    volatile LiftedLambda lifted;
  }

  private Lifter() {}

  /**
   * Returns the IR of a lambda or method reference. The bytecode is read for the first lambda of a
   * class; later ones cost a look-up. Lambdas typed into jshell are lifted at each use, because the
   * methods they call may have been redefined.
   *
   * @throws ristretto.kernels.LambdaException if the lambda contains something that cannot become
   *     part of a kernel
   */
  public static LiftedLambda lift(Lambda lambda) {
    if (JShell.made(lambda.getClass())) {
      return new LambdaLifter(lambda).lift();
    }
    Slot slot = CACHE.get(lambda.getClass());
    LiftedLambda lifted = slot.lifted;
    if (lifted == null) {
      synchronized (slot) {
        lifted = slot.lifted;
        if (lifted == null) {
          lifted = new LambdaLifter(lambda).lift();
          slot.lifted = lifted;
        }
      }
    }
    return lifted;
  }
}
