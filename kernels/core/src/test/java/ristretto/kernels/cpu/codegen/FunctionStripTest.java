package ristretto.kernels.cpu.codegen;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.kernels.cpu.strip.StripSpec.Access.INDEX;
import static ristretto.kernels.cpu.strip.StripSpec.Access.SCALAR;
import static ristretto.kernels.cpu.strip.StripSpec.Access.UNIT;
import static ristretto.kernels.scalar.ScalarType.BOOL;
import static ristretto.kernels.scalar.ScalarType.F32;
import static ristretto.kernels.scalar.ScalarType.F64;
import static ristretto.kernels.scalar.ScalarType.I32;
import static ristretto.kernels.scalar.ScalarType.I64;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import ristretto.kernels.scalar.Function;
import ristretto.kernels.scalar.Function.Block;
import ristretto.kernels.scalar.Function.End;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Lifted functions with loops: scalar methods, and vector code where lanes leave a loop at
 * different times.
 */
class FunctionStripTest {
  /** Steps until |z| exceeds 2: locals are x, y, re, im, steps. */
  private static Function mandelbrot(ScalarType type, int most) {
    var locals = List.of(type, type, type, type, I32);
    var blocks = new ArrayList<Block>();
    var t = new TapeBuilder();
    int re = t.input(2, type);
    int im = t.input(3, type);
    int size = t.apply(Op.ADD, t.apply(Op.MUL, re, re), t.apply(Op.MUL, im, im));
    int more = t.apply(Op.LT, t.input(4, I32), t.constant(I32, most));
    int inside = t.apply(Op.AND, t.apply(Op.LT, size, t.constant(type, 4)), more);
    blocks.add(new Block(t.build(inside), List.of(), new End.Branch(0, 1, 2)));
    t = new TapeBuilder();
    re = t.input(2, type);
    im = t.input(3, type);
    int difference = t.apply(Op.SUB, t.apply(Op.MUL, re, re), t.apply(Op.MUL, im, im));
    int product = t.apply(Op.MUL, t.apply(Op.MUL, re, im), t.constant(type, 2));
    int newRe = t.apply(Op.ADD, difference, t.input(0, type));
    int newIm = t.apply(Op.ADD, product, t.input(1, type));
    int steps = t.apply(Op.ADD, t.input(4, I32), t.constant(I32, 1));
    blocks.add(new Block(t.build(newRe, newIm, steps), List.of(2, 3, 4), new End.Jump(0)));
    t = new TapeBuilder();
    blocks.add(new Block(t.build(t.input(4, I32)), List.of(), new End.Return(0)));
    return new Function("mandelbrot", List.of(type, type), locals, I32, blocks);
  }

  @Test
  void lanesLeaveALoopOneByOne() {
    for (ScalarType type : List.of(F32, F64)) {
      var t = new TapeBuilder();
      int steps = t.call(mandelbrot(type, 50), List.of(t.input(0, type), t.input(1, type)));
      StripRun.check(StripRun.map(t.build(steps, t.convert(steps, F32)), UNIT, UNIT), 2, 1037, 1);
    }
  }

  /**
   * Sum over i below n of the sum over j below i of j % 3, by two nested loops with an early exit.
   */
  private static Function nestedLoops() {
    // locals: n, i, j, sum, done
    var locals = List.of(I32, I32, I32, I32, BOOL);
    var blocks = new ArrayList<Block>();
    var t = new TapeBuilder();
    blocks.add(
        new Block(
            t.build(t.apply(Op.LT, t.input(1, I32), t.input(0, I32))),
            List.of(),
            new End.Branch(0, 1, 5)));
    t = new TapeBuilder();
    blocks.add(new Block(t.build(t.constant(I32, 0)), List.of(2), new End.Jump(2)));
    t = new TapeBuilder();
    int more = t.apply(Op.LT, t.input(2, I32), t.input(1, I32));
    int early = t.apply(Op.GT, t.input(3, I32), t.constant(I32, 40));
    int go = t.apply(Op.AND, more, t.apply(Op.NOT, early));
    blocks.add(new Block(t.build(early, go), List.of(4), new End.Branch(1, 3, 4)));
    t = new TapeBuilder();
    int sum =
        t.apply(Op.ADD, t.input(3, I32), t.apply(Op.AND, t.input(2, I32), t.constant(I32, 3)));
    blocks.add(
        new Block(
            t.build(sum, t.apply(Op.ADD, t.input(2, I32), t.constant(I32, 1))),
            List.of(3, 2),
            new End.Jump(2)));
    t = new TapeBuilder();
    blocks.add(
        new Block(
            t.build(t.apply(Op.ADD, t.input(1, I32), t.constant(I32, 1)), t.input(4, BOOL)),
            List.of(1),
            new End.Branch(1, 5, 0)));
    t = new TapeBuilder();
    int marked =
        t.apply(Op.SELECT, t.input(4, BOOL), t.apply(Op.NEG, t.input(3, I32)), t.input(3, I32));
    blocks.add(new Block(t.build(marked), List.of(), new End.Return(0)));
    return new Function("nested", List.of(I32), locals, I32, blocks);
  }

  @Test
  void nestedLoopsWithAnEarlyExit() {
    var t = new TapeBuilder();
    int n = t.apply(Op.AND, t.input(0, I32), t.constant(I32, 31));
    int result = t.call(nestedLoops(), List.of(n));
    StripRun.check(StripRun.map(t.build(result), UNIT), 1, 501, 2);
    t = new TapeBuilder();
    int index = t.apply(Op.AND, t.convert(t.input(0, I64), I32), t.constant(I32, 15));
    StripRun.check(StripRun.map(t.build(t.call(nestedLoops(), List.of(index))), INDEX), 3, 45, 3);
  }

  /** Only as many steps as real elements need: padding lanes must not go on for ever. */
  @Test
  void functionsCallFunctionsAndOperationsWithoutVectors() {
    var locals = List.of(I32, BOOL, I32);
    var t = new TapeBuilder();
    int inner =
        t.call(nestedLoops(), List.of(t.apply(Op.AND, t.input(0, I32), t.constant(I32, 7))));
    int remainder = t.apply(Op.REM, inner, t.constant(I32, 3));
    var first = new Block(t.build(inner, remainder), List.of(2, 0), new End.Jump(1));
    t = new TapeBuilder();
    int chosen = t.apply(Op.SELECT, t.input(1, BOOL), t.input(0, I32), t.input(2, I32));
    var last = new Block(t.build(chosen), List.of(), new End.Return(0));
    var outer = new Function("outer", List.of(I32, BOOL), locals, I32, List.of(first, last));
    t = new TapeBuilder();
    int x = t.input(0, I32);
    int positive = t.apply(Op.GT, x, t.input(1, I32));
    int value = t.call(outer, List.of(x, positive));
    StripRun.check(StripRun.map(t.build(value), UNIT, SCALAR), 2, 100, 4);
  }

  /** A call that one value of a select needs is made for the lanes that choose it only. */
  @Test
  void lazyCalls() {
    var loop =
        new Function(
            "halve", List.of(I32), List.of(I32), I32, List.of(endless(), halving(), result()));
    var t = new TapeBuilder();
    int x = t.input(0, I32);
    int safe = t.apply(Op.NE, x, t.constant(I32, 0));
    int value = t.apply(Op.SELECT, safe, t.call(loop, List.of(x)), t.constant(I32, -7));
    var spec = StripRun.map(t.build(value), UNIT);
    // The interpreter evaluates both values, and would not end.
    try (var run = new StripRun(spec, 2, 100, 5)) {
      var scalar = run.run(StripCompiler.compile(spec, "lazy", false));
      assertThat(scalar.getFirst()).contains(-7, 1);
      StripRun.assertSame("lazy", run.run(StripCompiler.compile(spec, "lazy", true)), scalar);
    }
  }

  /** Goes on until the number is odd, which 0 never is. */
  private static Block endless() {
    var t = new TapeBuilder();
    int odd =
        t.apply(Op.EQ, t.apply(Op.AND, t.input(0, I32), t.constant(I32, 1)), t.constant(I32, 1));
    return new Block(t.build(odd), List.of(), new End.Branch(0, 2, 1));
  }

  private static Block halving() {
    var t = new TapeBuilder();
    int half = t.apply(Op.SHR, t.input(0, I32), t.constant(I32, 1));
    return new Block(t.build(half), List.of(0), new End.Jump(0));
  }

  private static Block result() {
    var t = new TapeBuilder();
    return new Block(t.build(t.input(0, I32)), List.of(), new End.Return(0));
  }
}
