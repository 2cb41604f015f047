package ristretto.nnet3.component.column;

import static ristretto.nnet3.Property.SIMPLE;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.step.ForwardStep;

/** Sum of each group of adjacent columns. */
public final class SumGroupComponent extends ComponentBase {
  private int[] sizes;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    if (line.has("sizes")) {
      sizes = line.integers("sizes");
      if (!isValid()) {
        throw line.error("sizes", "sizes must be numbers above 0");
      }
      return;
    }
    int inputDim = line.positive("input-dim");
    int outputDim = divisor(line, "output-dim", line.positive("output-dim"), inputDim);
    sizes = new int[outputDim];
    Arrays.fill(sizes, inputDim / outputDim);
  }

  private boolean isValid() {
    return sizes.length > 0 && Arrays.stream(sizes).allMatch(size -> size > 0);
  }

  @Override
  public void fields(Fields f) {
    sizes = f.integers("<Sizes>", sizes);
    f.check(isValid(), "<Sizes> must be numbers above 0", Arrays.toString(sizes));
  }

  @Override
  public int inputDim() {
    return Arrays.stream(sizes).sum();
  }

  @Override
  public int outputDim() {
    return sizes.length;
  }

  @Override
  public Set<Property> properties() {
    return EnumSet.of(SIMPLE);
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    Expr<F32> groups = f.derived(sizes, "groups", this::groups, sizes.length, inputDim());
    return f.product(f.x(), groups);
  }

  /** Returns the indicator matrix: 1 where a column belongs to a group. */
  private float[] groups() {
    int dim = inputDim();
    var ones = new float[sizes.length * dim];
    int column = 0;
    for (int group = 0; group < sizes.length; group++) {
      for (int k = 0; k < sizes[group]; k++) {
        ones[group * dim + column++] = 1;
      }
    }
    return ones;
  }
}
