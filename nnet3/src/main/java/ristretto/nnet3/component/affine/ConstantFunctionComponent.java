package ristretto.nnet3.component.affine;

import static ristretto.nnet3.Property.BACKPROP_ADDS;
import static ristretto.nnet3.Property.PROPAGATE_IN_PLACE;
import static ristretto.nnet3.Property.SIMPLE;
import static ristretto.nnet3.Property.UPDATABLE;

import java.util.EnumSet;
import java.util.Set;
import java.util.random.RandomGenerator;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.config.ConfigLine;

/** Trainable constant row: {@code y = b} in each row, for any input. */
public final class ConstantFunctionComponent extends ConstantRows {
  private int inputDim;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    super.init(line, random);
    inputDim = line.positive("input-dim");
  }

  @Override
  public void fields(Fields f) {
    updatableFields(f);
    inputDim = f.positive("<InputDim>", inputDim);
    rowFields(f);
  }

  @Override
  public int inputDim() {
    return inputDim;
  }

  @Override
  public Set<Property> properties() {
    var all = EnumSet.of(SIMPLE, BACKPROP_ADDS);
    if (isUpdatable) {
      all.add(UPDATABLE);
    }
    if (inputDim == output.length) {
      all.add(PROPAGATE_IN_PLACE);
    }
    return all;
  }

  @Override
  public InfoText infoText() {
    return rowInfo(super.infoText().raw(", " + type()).add("input-dim", inputDim));
  }
}
