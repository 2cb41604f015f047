package ristretto.kernels.cpu.codegen;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.kernels.cpu.strip.StripSpec.Access.ACCUMULATE;
import static ristretto.kernels.cpu.strip.StripSpec.Access.INDEX;
import static ristretto.kernels.cpu.strip.StripSpec.Access.SCALAR;
import static ristretto.kernels.cpu.strip.StripSpec.Access.UNIT;
import static ristretto.kernels.scalar.ScalarType.BOOL;
import static ristretto.kernels.scalar.ScalarType.F32;
import static ristretto.kernels.scalar.ScalarType.F64;
import static ristretto.kernels.scalar.ScalarType.I32;
import static ristretto.kernels.scalar.ScalarType.I64;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.kernels.cpu.strip.StripSpec;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/** Scalar code, vector code and the tape interpreter give the same bits. */
class StripCompilerTest {
  private static final List<ScalarType> MEMORY = List.of(F32, F64, I32, I64);

  /** Operations with one right result; the others have tests of their accuracy. */
  static boolean exact(Op op) {
    return switch (op) {
      case CBRT, EXP, EXP2, EXPM1, LOG, LOG2, LOG10, LOG1P, SIN, COS, TAN, ASIN, ACOS, ATAN ->
          false;
      case SINH, COSH, TANH, SIGMOID, ASINH, ACOSH, ATANH, ERF, ERFC, POW, ATAN2, HYPOT -> false;
      default -> true;
    };
  }

  @ParameterizedTest
  @EnumSource(Op.class)
  void everyExactOperationOnEveryType(Op op) {
    if (!exact(op)) {
      return;
    }
    for (ScalarType type : ScalarType.values()) {
      if (!op.accepts(type) || op == Op.BITCAST) {
        continue;
      }
      for (ScalarType to : op == Op.CONVERT ? ScalarType.values() : new ScalarType[] {type}) {
        if (to.isStorageOnly()) {
          continue;
        }
        var t = new TapeBuilder();
        int[] in = {operand(t, 0, type), operand(t, 1, type), operand(t, 2, type)};
        int result =
            switch (op) {
              case CONVERT -> t.convert(in[0], to);
              case SELECT -> t.apply(op, t.convert(operand(t, 3, I32), BOOL), in[0], in[1]);
              default ->
                  switch (op.arity()) {
                    case 1 -> t.apply(op, in[0]);
                    case 2 -> t.apply(op, in[0], in[1]);
                    default -> t.apply(op, in[0], in[1], in[2]);
                  };
            };
        if (t.type(result) == BOOL) {
          result = t.convert(result, I32);
        }
        StripRun.check(StripRun.map(t.build(result), UNIT, UNIT, UNIT, UNIT), 2, 1300, 1);
      }
    }
  }

  private static int operand(TapeBuilder t, int slot, ScalarType type) {
    return type == BOOL ? t.convert(t.input(slot, I32), BOOL) : t.input(slot, type);
  }

  @Test
  void bitcasts() {
    for (var pair : List.of(List.of(F32, I32), List.of(F64, I64))) {
      for (var types : List.of(pair, pair.reversed())) {
        var t = new TapeBuilder();
        int cast = t.bitcast(t.input(0, types.get(0)), types.get(1));
        StripRun.check(StripRun.map(t.build(cast), UNIT), 1, 200, 2);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 97, 1023, 1024, 1025, 4099})
  void everyLength(int n) {
    for (ScalarType type : MEMORY) {
      var t = new TapeBuilder();
      int product = t.apply(Op.MUL, t.input(0, type), t.input(1, type));
      var tape = t.build(t.apply(Op.ADD, product, t.input(2, type)), product);
      StripRun.check(StripRun.map(tape, UNIT, SCALAR, UNIT), n < 100 ? 5 : 2, n, n);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 15, 16, 17, 31, 32, 33, 63, 65, 1024, 4099})
  void accumulators(int n) {
    for (ScalarType type : MEMORY) {
      var t = new TapeBuilder();
      int x = t.apply(Op.MUL, t.input(0, type), t.input(1, type));
      int largest = t.apply(Op.MAX, t.input(2, type), x);
      int sum = t.apply(Op.ADD, t.input(3, type), x);
      int better = t.apply(Op.LT, t.input(2, type), x);
      int at = t.apply(Op.SELECT, better, t.input(5, I32), t.input(4, I32));
      var spec =
          new StripSpec(
              t.build(largest, sum, at, x),
              List.of(UNIT, SCALAR, ACCUMULATE, ACCUMULATE, ACCUMULATE, INDEX),
              List.of(2, 3, 4, StripSpec.STORE));
      StripRun.check(spec, 3, n, n);
    }
  }

  @Test
  void indices() {
    var t = new TapeBuilder();
    int a = t.input(0, I32);
    int b = t.input(1, I64);
    var tape = t.build(a, b, t.apply(Op.ADD, t.convert(a, F32), t.convert(b, F32)));
    StripRun.check(StripRun.map(tape, INDEX, INDEX), 3, 1100, 3);
  }

  @Test
  void copiesAndConstants() {
    for (ScalarType type : MEMORY) {
      var t = new TapeBuilder();
      int x = t.input(0, type);
      var tape = t.build(x, t.constant(type, 3), x, t.input(1, type));
      StripRun.check(StripRun.map(tape, UNIT, SCALAR), 2, 77, 4);
    }
  }

  /** Each link uses two earlier ones, so that values cross segments. */
  static StripSpec chain(ScalarType type, int length) {
    var t = new TapeBuilder();
    int last = t.input(0, type);
    int before = t.input(1, type);
    for (int k = 0; k < length; k++) {
      Op op =
          switch (k % 3) {
            case 0 -> Op.ADD;
            case 1 -> Op.SUB;
            default -> Op.MIN;
          };
      int next = t.apply(op, last, k % 7 == 0 ? before : t.constant(type, k % 5 + 1));
      before = k % 11 == 0 ? last : before;
      last = next;
    }
    return StripRun.map(t.build(last), UNIT, UNIT);
  }

  @Test
  void longChains() {
    for (ScalarType type : MEMORY) {
      StripRun.check(chain(type, 100), 2, 1030, 5);
    }
    StripRun.check(chain(F32, 2000), 1, 1030, 5);
    StripRun.check(chain(F32, 9000), 1, 17, 5);
  }

  @Test
  void hundredsOfInputs() {
    var t = new TapeBuilder();
    int sum = t.input(0, F32);
    for (int k = 1; k < 400; k++) {
      sum = t.apply(Op.ADD, sum, t.input(k, F32));
    }
    var access = new StripSpec.Access[400];
    Arrays.setAll(access, k -> k % 3 == 2 ? SCALAR : UNIT);
    StripRun.check(StripRun.map(t.build(sum), access), 2, 1050, 6);
  }

  /** C1 needs milliseconds for each load that is inlined into a method, and more for long ones. */
  @Test
  void scalarsAreReadByShortCalls() {
    var t = new TapeBuilder();
    int sum = t.input(0, F32);
    for (int k = 1; k <= 90; k++) {
      sum = t.apply(k % 2 == 0 ? Op.ADD : Op.MUL, sum, t.input(k, F32));
    }
    var access = new StripSpec.Access[91];
    Arrays.setAll(access, k -> k == 0 ? UNIT : SCALAR);
    var spec = StripRun.map(t.build(sum), access);
    byte[] bytes =
        StripClass.write(
            PlanSegments.apply(spec, spec.tape(), false),
            java.lang.constant.ClassDesc.of("scalars"));
    for (var method : ClassFile.of().parse(bytes).methods()) {
      var code = method.findAttribute(Attributes.code()).orElseThrow();
      assertThat(code.codeLength()).isLessThan(200 + 90 * 24);
    }
  }
}
