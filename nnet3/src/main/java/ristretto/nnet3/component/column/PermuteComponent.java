package ristretto.nnet3.component.column;

import static ristretto.nnet3.Property.SIMPLE;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.step.ForwardStep;

/** Column permutation: {@code y[i] = x[map[i]]}. */
public final class PermuteComponent extends ComponentBase {
  private int[] columnMap;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    columnMap = line.integers("column-map");
    if (!isPermutation()) {
      throw line.error("column-map", "column-map must have each column's number once");
    }
  }

  private boolean isPermutation() {
    int[] sorted = columnMap.clone();
    Arrays.sort(sorted);
    return columnMap.length > 0 && IntStream.range(0, sorted.length).allMatch(i -> sorted[i] == i);
  }

  @Override
  public void fields(Fields f) {
    columnMap = f.integers("<ColumnMap>", columnMap);
    f.check(isPermutation(), "<ColumnMap> must have each column's number once", "other numbers");
  }

  @Override
  public int inputDim() {
    return columnMap.length;
  }

  @Override
  public Set<Property> properties() {
    return EnumSet.of(SIMPLE);
  }

  @Override
  public InfoText infoText() {
    var first = new StringBuilder("[ ");
    Arrays.stream(columnMap).limit(5).forEach(c -> first.append(c).append(' '));
    first.append(columnMap.length > 5 ? "... ]" : "]");
    // Kaldi prints the extra blank too.
    return new InfoText(type()).add("dim", columnMap.length).raw(" ").add("column-map", first);
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    return f.takeColumns(columnMap);
  }
}
