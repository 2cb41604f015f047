package ristretto.kernels.scalar;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.kernels.scalar.ScalarType.F32;
import static ristretto.kernels.scalar.ScalarType.F64;
import static ristretto.kernels.scalar.ScalarType.I64;

import java.util.List;
import org.junit.jupiter.api.Test;
import ristretto.kernels.scalar.TapeInterpreter.Arithmetic;

class TapeBuilderTest {
  private final TapeBuilder t = new TapeBuilder();
  private final int x = t.input(0, F32);
  private final int y = t.input(1, F32);

  @Test
  void equalNodesAreOneRow() {
    int sum = t.apply(Op.ADD, x, y);
    assertThat(t.input(0, F32)).isEqualTo(x);
    assertThat(t.apply(Op.ADD, x, y)).isEqualTo(sum);
    assertThat(t.apply(Op.ADD, y, x)).as("commutative").isEqualTo(sum);
    assertThat(t.apply(Op.SUB, y, x)).isNotEqualTo(t.apply(Op.SUB, x, y));
    assertThat(t.constant(F32, 0)).isNotEqualTo(t.constant(F32, -0.0));
    assertThat(t.constant(F32, 1)).isNotEqualTo(t.constant(F64, 1));
    assertThat(t.constant(F32, 0.1)).isEqualTo(t.constant(F32, 0.1f));
  }

  @Test
  void constantsComeLastInCommutativeOperations() {
    int two = t.constant(F32, 2);
    int late = t.input(2, F32);
    assertThat(t.node(t.apply(Op.MUL, two, late)))
        .isEqualTo(new Node.Apply(Op.MUL, F32, late, two, -1));
  }

  @Test
  void buildKeepsWhatTheOutputsNeed() {
    int unused = t.apply(Op.EXP, x);
    int product = t.apply(Op.MUL, y, y);
    Tape tape = t.build(product, y, product);
    assertThat(unused).isLessThan(product);
    assertThat(tape)
        .hasToString(
            """
            %0 f32 = input 1
            %1 f32 = mul %0 %0
            outputs %1 %0 %1
            """);
    assertThat(tape.slots()).isEqualTo(2);
    assertThat(tape.operations()).isEqualTo(1);
  }

  @Test
  void inlineReplacesSlotsAndSimplifiesAgain() {
    var inner = new TapeBuilder();
    Tape scaled = inner.build(inner.apply(Op.MUL, inner.input(0, F32), inner.input(1, F32)));
    assertThat(t.inline(scaled, x, t.constant(F32, 1))).containsExactly(x);
    assertThat(t.inline(scaled, y, x)).containsExactly(t.apply(Op.MUL, x, y));
  }

  @Test
  void tapesAreEqualByContent() {
    var other = new TapeBuilder();
    other.input(1, F32);
    Tape a = t.build(t.apply(Op.SUB, x, y));
    Tape b = other.build(other.apply(Op.SUB, other.input(0, F32), other.input(1, F32)));
    assertThat(a).isNotEqualTo(t.build(t.apply(Op.SUB, y, x))).isNotEqualTo(t.build(x));
    assertThat(a)
        .isEqualTo(t.build(t.apply(Op.SUB, x, y)))
        .hasSameHashCodeAs(t.build(t.apply(Op.SUB, x, y)));
    assertThat(b.outputs()).isEqualTo(a.outputs());
  }

  /** A tree of this DAG has 2^60 nodes. */
  @Test
  void sharedRowsCostNothing() {
    int sum = x;
    for (int k = 0; k < 60; k++) {
      sum = t.apply(Op.ADD, sum, t.apply(Op.MUL, sum, y));
    }
    Tape tape = t.build(sum);
    assertThat(tape.size()).isEqualTo(122);
    assertThat(tape.hashCode()).isEqualTo(t.build(sum).hashCode());
  }

  @Test
  void largeIntegersAreExact() {
    int big = t.constantBits(I64, Long.MAX_VALUE);
    assertThat(t.node(t.apply(Op.SUB, big, t.constantBits(I64, 1))))
        .isEqualTo(new Node.Const(I64, Long.MAX_VALUE - 1));
  }

  @Test
  void functionsWithLoopsAreCalledByContent() {
    Function twice = Functions.power("a");
    int call = t.call(twice, List.of(x, t.constant(ScalarType.I32, 5)));
    assertThat(t.call(Functions.power("b"), List.of(x, t.constant(ScalarType.I32, 5))))
        .isEqualTo(call);
    Object result = new TapeInterpreter(t.build(call), Arithmetic.TYPED).output(0, _ -> 3f);
    assertThat(result).isEqualTo(243f);
  }
}
