package ristretto.nnet3.component;

import java.util.EnumSet;
import java.util.Set;
import ristretto.nnet3.Component;
import ristretto.nnet3.ConfigLine;
import ristretto.nnet3.Property;

/** Output = input; backward multiplies by a factor. */
public final class NoOpComponent implements Component {
  private final int dim;
  private final float backpropScale;

  NoOpComponent(ConfigLine line) {
    dim = line.positive("dim");
    backpropScale = line.real("backprop-scale", 1);
  }

  @Override
  public String type() {
    return "NoOpComponent";
  }

  @Override
  public int inputDim() {
    return dim;
  }

  @Override
  public int outputDim() {
    return dim;
  }

  @Override
  public Set<Property> properties() {
    return EnumSet.of(Property.SIMPLE, Property.PROPAGATE_IN_PLACE, Property.BACKPROP_IN_PLACE);
  }

  @Override
  public String info() {
    return "NoOpComponent, dim=" + dim + ", backprop-scale=" + backpropScale;
  }
}
