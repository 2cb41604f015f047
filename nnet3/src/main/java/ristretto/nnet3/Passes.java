package ristretto.nnet3;

import java.util.Set;
import ristretto.expr.Context;
import ristretto.expr.Optimization;

/**
 * Settings of computations: disabled program optimizations, and options for networks.
 *
 * @param without optimizations of programs that are disabled
 * @param choices options for networks
 */
public record Passes(Set<Optimization> without, Choices choices) {
  /** Default settings: all optimizations enabled. */
  public static final Passes DEFAULT = new Passes(Set.of(), Choices.DEFAULT);

  /** Opens a context on the device; programs recorded in it use these optimizations. */
  public Context open() {
    Context context = Context.open();
    context.without(without);
    return context;
  }
}
