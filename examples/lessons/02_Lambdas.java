// Lesson 2: your own Java methods run inside kernels.
//
//   ./ristretto run examples/lessons/02_Lambdas.java

import module ristretto.expr;
import static ristretto.expr.Ops.*;

void main() {
  try (var ctx = Context.open()) {
    Tensor<F32> x = ctx.linspace(F32, -2, 2, 9);
    Tensor<F32> y = ctx.empty(F32, 9);

    // A lambda may use arithmetic, Math, conditions, loops and your own static methods. Its
    // bytecode is translated once.
    ctx.assign(y, map(x, v -> v > 0 ? v : 0.1f * v));
    y.print();
    ctx.assign(y, map(x, Math::abs));
    ctx.assign(y, map(x, y, (u, v) -> power(u, 3) + v));
    y.print();

    // A captured variable is a parameter of the kernel, so a new value compiles nothing.
    long compiled = 0;
    for (int k = 0; k < 5; k++) {
      float slope = 0.1f * k;
      ctx.assign(y, map(x, v -> v > 0 ? v : slope * v));
      if (k == 0) {
        compiled = ctx.stats().cacheMisses();
      }
    }
    long more = ctx.stats().cacheMisses() - compiled;

    // The type of the result is given if it differs from the type of the inputs.
    Tensor<BOOL> inside = ctx.eval(map(BOOL, x, v -> v * v < 1));
    inside.print();
    IO.println("result: kernels_compiled_for_new_values=" + more);
  }
}

/// Method with a loop, which becomes a function of the kernel.
static float power(float base, int exponent) {
  float result = 1;
  for (int k = 0; k < exponent; k++) {
    result *= base;
  }
  return result;
}
