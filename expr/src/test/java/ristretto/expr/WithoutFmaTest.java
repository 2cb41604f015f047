package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.type.DType;

/** Functions on processors that have no fused multiply-add. */
class WithoutFmaTest {
  private static final int N = 3001;

  @ParameterizedTest
  @ValueSource(strings = {"-XX:UseAVX=0", "-XX:UseAVX=1 -XX:-UseFMA"})
  @EnabledOnOs(architectures = {"amd64", "x86_64"})
  void functionsHaveTheBitsOfProcessorsWithFma(String options) throws Exception {
    ChildJvm child = ChildJvm.run(Digests.class, Map.of(), options.split(" "));
    assertThat(child.exit()).as(child.err()).isZero();
    assertThat(child.out().lines().toList()).hasSize(18).isEqualTo(Digests.lines());
  }

  /** Prints a hash of the results of each function. */
  static final class Digests {
    private Digests() {}

    public static void main(String[] args) {
      lines().forEach(System.out::println);
    }

    static List<String> lines() {
      var random = new Random(7);
      double[] values = new double[N];
      double[] positive = new double[N];
      Arrays.setAll(values, k -> random.nextGaussian() * Math.scalb(1.0, k % 24 - 14));
      Arrays.setAll(positive, k -> Math.abs(values[k]) + Double.MIN_NORMAL);
      var lines = new ArrayList<String>();
      try (Context context = Context.open("cpu")) {
        lines.addAll(of(context, Ops.F32, values, positive));
        lines.addAll(of(context, Ops.F64, values, positive));
      }
      return lines;
    }

    private static <T> List<String> of(
        Context context, DType<T> dtype, double[] values, double[] positive) {
      Expr<T> x = context.tensor(values).cast(dtype);
      Expr<T> y = context.tensor(positive).cast(dtype);
      return List.of(
          hash(context, "exp", Ops.exp(x)),
          hash(context, "log", Ops.log(y)),
          hash(context, "tanh", Ops.tanh(x)),
          hash(context, "erf", Ops.erf(x)),
          hash(context, "sin", Ops.sin(x)),
          hash(context, "cos", Ops.cos(x)),
          hash(context, "pow", Ops.pow(y, Ops.sin(x))),
          hash(context, "softmax", Ops.softmax(x, 0)),
          hash(context, "sum", Ops.sum(Ops.tanh(x))));
    }

    private static <T> String hash(Context context, String name, Expr<T> a) {
      double[] result = context.eval(a.cast(Ops.F64)).toDoubleArray();
      return name + " " + a.dtype() + " " + Arrays.hashCode(result);
    }
  }
}
