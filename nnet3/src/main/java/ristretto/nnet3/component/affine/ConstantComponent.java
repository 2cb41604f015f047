package ristretto.nnet3.component.affine;

import static ristretto.nnet3.Property.UPDATABLE;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import ristretto.nnet3.Index;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;

/** Trainable constant row: {@code y = b} in each row, without input. */
public final class ConstantComponent extends ConstantRows {
  @Override
  public void fields(Fields f) {
    updatableFields(f);
    rowFields(f);
  }

  /** Returns the output dimension. The input descriptor is never read; a node may name itself. */
  @Override
  public int inputDim() {
    return output.length;
  }

  @Override
  public Set<Property> properties() {
    var none = EnumSet.noneOf(Property.class);
    return isUpdatable ? EnumSet.of(UPDATABLE) : none;
  }

  @Override
  public List<Index> inputIndexes(Index at) {
    return List.of();
  }

  @Override
  public boolean isComputable(Index at, Predicate<Index> available, Consumer<Index> used) {
    return true;
  }

  @Override
  public InfoText infoText() {
    return rowInfo(super.infoText().raw(", " + type()));
  }
}
