package ristretto.kernels.scalar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.kernels.scalar.ScalarType.BOOL;
import static ristretto.kernels.scalar.ScalarType.F16;
import static ristretto.kernels.scalar.ScalarType.F32;
import static ristretto.kernels.scalar.ScalarType.F64;
import static ristretto.kernels.scalar.ScalarType.I32;
import static ristretto.kernels.scalar.ScalarType.I64;

import java.util.List;
import org.junit.jupiter.api.Test;

class VerifyTapeTest {
  private static final Node X = new Node.Input(F32, 0);
  private static final Node K = new Node.Input(I32, 1);
  private static final Node P = new Node.Input(BOOL, 2);
  private static final Node N = new Node.Input(I64, 3);

  @Test
  void messageNamesTheRuleAndShowsTheRows() {
    assertThatThrownBy(() -> tape(X, K, new Node.Apply(Op.ADD, F32, 0, 1, -1)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            """
            [verify] operand types of ADD; at row %2; this is a bug of Ristretto, please report it
              %0 = Input[type=F32, slot=0]
              %1 = Input[type=I32, slot=1]
            > %2 = Apply[op=ADD, type=F32, a=0, b=1, c=-1]
            """);
  }

  @Test
  void everyRuleIsChecked() {
    refused("operands come before their user", X, new Node.Apply(Op.NEG, F32, 1, -1, -1));
    refused("operands come before their user", X, new Node.Apply(Op.NEG, F32, -1, -1, -1));
    refused("storage types do not appear in a tape", new Node.Input(F16, 0));
    refused("slots are not negative", new Node.Input(F32, -1));
    refused("arity of NEG", X, new Node.Apply(Op.NEG, F32, 0, 0, -1));
    refused("arity of ADD", X, new Node.Apply(Op.ADD, F32, 0, -1, 0));
    refused("SQRT on I32", K, new Node.Apply(Op.SQRT, I32, 0, -1, -1));
    refused("ADD on F32", X, new Node.Apply(Op.ADD, F64, 0, 0, -1));
    refused("ADD on BOOL", P, new Node.Apply(Op.ADD, BOOL, 0, 0, -1));
    refused("MULHI on I64", N, new Node.Apply(Op.MULHI, I64, 0, 0, -1));
    refused("operand types of FMA", X, K, new Node.Apply(Op.FMA, F32, 0, 0, 1));
    refused("a comparison is bool", X, new Node.Apply(Op.LT, F32, 0, 0, -1));
    refused("compared types", X, K, new Node.Apply(Op.LT, BOOL, 0, 1, -1));
    refused("compared types", P, new Node.Apply(Op.LT, BOOL, 0, 0, -1));
    refused("select's condition is bool", X, new Node.Apply(Op.SELECT, F32, 0, 0, 0));
    refused("select's types", P, X, K, new Node.Apply(Op.SELECT, F32, 0, 1, 2));
    refused("bitcast keeps the size", X, new Node.Apply(Op.BITCAST, F64, 0, -1, -1));
    refused("seed and counter are i64", N, K, new Node.Random(Node.Distribution.BITS, I32, 0, 1));
    refused("UNIFORM of I32", N, new Node.Random(Node.Distribution.UNIFORM, I32, 0, 0));
    refused("BITS of F32", N, new Node.Random(Node.Distribution.BITS, F32, 0, 0));
    Function power = Functions.power("power");
    refused("argument count", X, new Node.Call(power, List.of(0), F32));
    refused("argument type", X, new Node.Call(power, List.of(0, 0), F32));
    refused("result type", X, K, new Node.Call(power, List.of(0, 1), F64));
    assertThatThrownBy(() -> new Tape(List.of(X), List.of(1)))
        .hasMessageContaining("[verify] outputs are rows");
  }

  @Test
  void everyRuleOfFunctionsIsChecked() {
    Tape one = tape(new Node.Const(F32, 0));
    Tape local = tape(X);
    var back = new Function.End.Return(0);
    assertThatThrownBy(() -> new Function("f", List.of(F32), List.of(), F32, List.of()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            """
            [verify] the first locals are the parameters; in function f; this is a bug of Ristretto, please report it
            f[F32] -> F32, locals []
            """);
    refused("there is a first block", List.of(F32));
    refused("block 0: inputs are locals of their type", List.of(F64), block(local, back));
    refused("block 0: inputs are locals of their type", List.of(), block(local, back));
    refused("block 0: every target has an output", List.of(F32), block(one, back, 0, 0));
    refused(
        "block 0: targets are locals of their output's type", List.of(F64), block(one, back, 0));
    refused(
        "block 0: targets are locals of their output's type", List.of(F32), block(one, back, 1));
    refused("block 0: jumps lead to blocks", List.of(), block(one, new Function.End.Jump(1)));
    refused(
        "block 0: branches lead to blocks",
        List.of(),
        block(one, new Function.End.Branch(0, 0, 1)));
    refused(
        "block 0: a condition is a bool output",
        List.of(),
        block(one, new Function.End.Branch(0, 0, 0)));
    refused(
        "block 0: the result has the function's type",
        List.of(),
        block(one, new Function.End.Return(1)));
    refused(
        "block 0: functions draw no random numbers",
        List.of(F32, I32, BOOL, I64),
        block(tape(N, new Node.Random(Node.Distribution.UNIFORM, F32, 0, 0)), back));
  }

  private static Function.Block block(Tape tape, Function.End end, Integer... targets) {
    return new Function.Block(tape, List.of(targets), end);
  }

  private static void refused(String rule, List<ScalarType> locals, Function.Block... blocks) {
    assertThatThrownBy(() -> new Function("f", List.of(), locals, F32, List.of(blocks)))
        .hasMessageStartingWith("[verify] " + rule + "; in function f; ");
  }

  private static void refused(String rule, Node... nodes) {
    assertThatThrownBy(() -> tape(nodes))
        .hasMessageStartingWith("[verify] " + rule + "; at row %" + (nodes.length - 1) + "; ");
  }

  private static Tape tape(Node... nodes) {
    Tape tape = new Tape(List.of(nodes), List.of(nodes.length - 1));
    assertThat(tape.size()).isEqualTo(nodes.length);
    return tape;
  }
}
