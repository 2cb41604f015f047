package ristretto.kernels.scalar;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.kernels.scalar.ScalarType.BOOL;
import static ristretto.kernels.scalar.ScalarType.F32;
import static ristretto.kernels.scalar.ScalarType.F64;
import static ristretto.kernels.scalar.ScalarType.I32;
import static ristretto.kernels.scalar.ScalarType.I64;

import java.util.ArrayList;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import ristretto.kernels.scalar.TapeInterpreter.Arithmetic;

class FoldConstantsTest {
  private static final List<ScalarType> COMPUTE_TYPES = List.of(BOOL, I32, I64, F32, F64);

  @ParameterizedTest
  @EnumSource(Op.class)
  void agreesWithTheInterpreterOnSpecialValues(Op op) {
    for (ScalarType type : COMPUTE_TYPES) {
      if (!op.accepts(type)) {
        continue;
      }
      List<ScalarType> results =
          switch (op.kind()) {
            case COMPARE -> List.of(BOOL);
            case CAST ->
                COMPUTE_TYPES.stream()
                    .filter(to -> op == Op.CONVERT || to.bytes() == type.bytes())
                    .toList();
            default -> List.of(type);
          };
      for (ScalarType result : results) {
        for (List<Node.Const> operands : operands(op, type)) {
          check(op, result, operands);
        }
      }
    }
  }

  private static List<List<Node.Const>> operands(Op op, ScalarType type) {
    var all = new ArrayList<List<Node.Const>>();
    List<Node.Const> values =
        SpecialValues.bits(type).stream().map(bits -> new Node.Const(type, bits)).toList();
    for (Node.Const a : op == Op.SELECT ? constants(BOOL) : values) {
      if (op.arity() == 1) {
        all.add(List.of(a));
        continue;
      }
      for (Node.Const b : values) {
        if (op.arity() == 2) {
          all.add(List.of(a, b));
          continue;
        }
        for (Node.Const c : values) {
          all.add(List.of(a, b, c));
        }
      }
    }
    return all;
  }

  private static List<Node.Const> constants(ScalarType type) {
    return SpecialValues.bits(type).stream().map(bits -> new Node.Const(type, bits)).toList();
  }

  private static void check(Op op, ScalarType type, List<Node.Const> operands) {
    Node.Const b = operands.size() > 1 ? operands.get(1) : null;
    Node.Const c = operands.size() > 2 ? operands.get(2) : null;
    Node.Const folded = FoldConstants.apply(op, type, operands.get(0), b, c);
    if (folded == null) {
      return;
    }
    var nodes = new ArrayList<Node>(operands);
    nodes.add(new Node.Apply(op, type, 0, b == null ? -1 : 1, c == null ? -1 : 2));
    var tape = new Tape(nodes, List.of(nodes.size() - 1));
    Object expected = new TapeInterpreter(tape, Arithmetic.TYPED).output(0, _ -> null);
    assertThat(folded.type()).isEqualTo(type);
    // Value equality of boxed floats: NaNs are equal, zeros of different sign are not.
    assertThat(ScalarOps.value(type, folded.bits()))
        .as("%s of %s as %s", op, operands, type)
        .isEqualTo(expected);
  }

  /** Against values of higher precision, where the interpreter uses the same formula. */
  @Test
  void hyperbolicInversesKeepTheirPrecision() {
    assertThat(fold(Op.ASINH, 1e-20)).isEqualTo(1e-20);
    assertThat(fold(Op.ASINH, -0.0)).isEqualTo(-0.0);
    assertThat(fold(Op.ASINH, 1e300)).isCloseTo(691.4686750787737, within());
    assertThat(fold(Op.ASINH, 1)).isCloseTo(0.881373587019543, within());
    assertThat(fold(Op.ACOSH, 1 + 0x1p-40)).isCloseTo(1.3486991523485068e-6, within());
    assertThat(fold(Op.ACOSH, Double.MAX_VALUE)).isCloseTo(710.475860073944, within());
    assertThat(fold(Op.ACOSH, 0.5)).isNaN();
    assertThat(fold(Op.ATANH, 1e-20)).isEqualTo(1e-20);
    assertThat(fold(Op.ATANH, 0.5)).isCloseTo(0.5493061443340548, within());
    assertThat(fold(Op.ATANH, -1)).isEqualTo(Double.NEGATIVE_INFINITY);
  }

  @Test
  void logarithmToBaseTwoIsExactForPowers() {
    for (int e = Double.MIN_EXPONENT; e <= Double.MAX_EXPONENT; e++) {
      assertThat(fold(Op.LOG2, Math.scalb(1.0, e))).isEqualTo(e);
    }
    assertThat(fold(Op.LOG2, Double.POSITIVE_INFINITY)).isEqualTo(Double.POSITIVE_INFINITY);
    assertThat(fold(Op.LOG2, 0)).isEqualTo(Double.NEGATIVE_INFINITY);
    assertThat(fold(Op.LOG2, -1)).isNaN();
  }

  private static Percentage within() {
    return Percentage.withPercentage(1e-13);
  }

  private static double fold(Op op, double a) {
    return FoldConstants.apply(op, F64, Node.Const.of(F64, a), null, null).asDouble();
  }
}
