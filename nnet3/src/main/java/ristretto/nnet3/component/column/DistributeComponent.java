package ristretto.nnet3.component.column;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.Index;
import ristretto.nnet3.Property;
import ristretto.nnet3.step.ForwardStep;

/**
 * Distribution of column blocks over x: an output row at x is block {@code x mod k} of the input
 * row at {@code floor(x / k)}, for k blocks per input row.
 */
public final class DistributeComponent extends BlockComponent {
  @Override
  public Set<Property> properties() {
    return EnumSet.noneOf(Property.class);
  }

  @Override
  public List<Index> inputIndexes(Index output) {
    return List.of(output.at(output.t(), Math.floorDiv(output.x(), inputDim / outputDim)));
  }

  @Override
  public boolean isComputable(Index output, Predicate<Index> available, Consumer<Index> used) {
    Index input = inputIndexes(output).get(0);
    if (!available.test(input)) {
      return false;
    }
    used.accept(input);
    return true;
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    int blocks = inputDim / outputDim;
    long places = f.x().shape().dim(0);
    Expr<F32> rows =
        f.x()
            .reshape(places, f.sequences(), blocks, outputDim)
            .permute(0, 2, 1, 3)
            .reshape(places * blocks, f.sequences(), outputDim);
    int[] map =
        f.outputRows().stream()
            .mapToInt(
                row -> f.place(inputIndexes(row).get(0)) * blocks + Math.floorMod(row.x(), blocks))
            .toArray();
    return f.rows(rows, map);
  }
}
