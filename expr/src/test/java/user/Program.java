package user;

import static ristretto.expr.Ops.*;

import java.util.Arrays;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.kernels.KernelException;

/** A program outside our packages; prints what it computed, the same bits wherever it runs. */
public final class Program {
  private Program() {}

  public static void main(String[] args) {
    for (int round = 0; round < 2; round++) {
      try (var ctx = Context.open()) {
        Tensor<F32> x = ctx.eval(normal(F32, 1, 300, 41));
        Tensor<F32> y = ctx.eval(softmax(tanh(x.times(3)), 1));
        print("random", x);
        print("rows", y);
        print("columns", ctx.eval(sum(y, 0)));
        print("lambda", ctx.eval(map(x, v -> v > 0 ? scaled(v) : 1 / (float) Math.cosh(v))));
        try {
          print("product", ctx.eval(dot(x.t(), y)));
        } catch (KernelException e) {
          System.out.println(e.getMessage());
        }
      }
    }
  }

  private static float scaled(float v) {
    float s = 0;
    for (int i = 0; i < 5; i++) {
      s = s * v + i;
    }
    return s;
  }

  private static void print(String name, Tensor<F32> t) {
    System.out.println(name + " " + Arrays.hashCode(t.toFloatArray()));
  }
}
