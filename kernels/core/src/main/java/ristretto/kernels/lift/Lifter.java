package ristretto.kernels.lift;

import ristretto.kernels.lambda.Lambda;

/**
 * Turns lambdas into scalar IR, once for each lambda class, that is for each place in a program.
 */
public final class Lifter {
  private static final ClassValue<Slot> CACHE =
      new ClassValue<>() {
        @Override
        protected Slot computeValue(Class<?> type) {
          return new Slot();
        }
      };

  /** Filled by the first lambda of a class. */
  private static final class Slot {
    volatile LiftedLambda lifted;
  }

  private Lifter() {}

  /**
   * The IR of a lambda or method reference. The first lambda of a class has its bytecode read;
   * later ones cost a look-up. Those typed into jshell are read at each use, because their methods
   * may have been redefined.
   *
   * @throws ristretto.kernels.LambdaException if it holds something that cannot become part of a
   *     kernel
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
