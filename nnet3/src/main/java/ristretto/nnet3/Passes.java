package ristretto.nnet3;

import java.util.Set;
import ristretto.expr.Context;
import ristretto.expr.Optimization;

/**
 * What computations are made with and without: optimizations of programs, and choices for networks.
 *
 * @param without optimizations of programs that are left out
 * @param choices for networks
 */
public record Passes(Set<Optimization> without, Choices choices) {
  /** All that are on unless somebody says otherwise. */
  public static final Passes DEFAULT = new Passes(Set.of(), Choices.DEFAULT);

  /** Opens the device, where programs are recorded so from here on. */
  public Context open() {
    Context context = Context.open();
    context.without(without);
    return context;
  }
}
