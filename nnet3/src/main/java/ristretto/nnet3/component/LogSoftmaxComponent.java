package ristretto.nnet3.component;

import static ristretto.nnet3.Property.BACKPROP_NEEDS_OUTPUT;
import static ristretto.nnet3.Property.SIMPLE;
import static ristretto.nnet3.Property.STORES_STATS;

import java.util.EnumSet;
import java.util.Set;
import ristretto.nnet3.Property;

/** {@code y = x - log(sum(exp(x)))} of each row. */
final class LogSoftmaxComponent extends NonlinearComponent {
  @Override
  public Set<Property> properties() {
    return EnumSet.of(SIMPLE, BACKPROP_NEEDS_OUTPUT, STORES_STATS);
  }
}
