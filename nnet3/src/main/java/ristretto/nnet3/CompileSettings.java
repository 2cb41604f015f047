package ristretto.nnet3;

import java.io.Serializable;
import java.util.Set;
import ristretto.expr.Context;
import ristretto.expr.option.Optimization;

/**
 * Settings of computations: disabled program optimizations, and options for networks.
 *
 * @param without optimizations of programs that are disabled
 * @param lowering options for networks
 */
public record CompileSettings(Set<Optimization> without, LoweringOptions lowering)
    implements Serializable {
  /** Default settings: all optimizations enabled. */
  public static final CompileSettings DEFAULT =
      new CompileSettings(Set.of(), LoweringOptions.DEFAULT);

  /** Opens a context on the device; programs recorded in it use these optimizations. */
  public Context open() {
    Context context = Context.open();
    context.without(without);
    return context;
  }
}
