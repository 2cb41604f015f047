package ristretto.kernels.lift;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.SpecialValues;
import ristretto.kernels.scalar.TapeBuilder;
import ristretto.kernels.scalar.TapeInterpreter;

/** Random methods, compiled by javac and lifted, give what they give when called. */
class RandomMethodsTest {
  private static final int METHODS = Integer.getInteger("ristretto.test.random-methods", 100);
  private static final int CALLS = 40;

  @TempDir Path folder;

  @Test
  void liftedMethodsEqualMethods() throws Exception {
    long seed = Long.getLong("ristretto.test.seed", 1);
    var random = new Random(seed);
    var source = new StringBuilder("public class Methods {\n");
    for (int k = 0; k < METHODS; k++) {
      source.append(RandomMethods.method(random, k).replace("static", "public static"));
    }
    Path classes =
        UserCode.compile(
            folder, Map.of("Methods.java", source.append("}\n").toString()), "-nowarn");
    try (var loader = new URLClassLoader(new URL[] {classes.toUri().toURL()}, null)) {
      Class<?> type = loader.loadClass("Methods");
      for (int k = 0; k < METHODS; k++) {
        check(type, k, random, seed);
      }
    }
  }

  private static void check(Class<?> type, int k, Random random, long seed) throws Exception {
    Method method = type.getMethod("m" + k, int.class, int.class, float.class, long.class);
    var logic = new Logic(new TapeBuilder());
    ScalarType[] types = {ScalarType.I32, ScalarType.I32, ScalarType.F32, ScalarType.I64};
    int[] inputs = new int[4];
    for (int slot = 0; slot < 4; slot++) {
      inputs[slot] = logic.tape().input(slot, types[slot]);
    }
    String descriptor = method.getReturnType().descriptorString();
    int row =
        new LiftSession("test")
            .call(logic, type, "Methods", "m" + k, "(IIFJ)" + descriptor, inputs, null, 0);
    var interpreter =
        new TapeInterpreter(logic.tape().build(row), TapeInterpreter.Arithmetic.TYPED);
    for (int call = 0; call < CALLS; call++) {
      Object[] values = {
        value(0, types, random),
        value(1, types, random),
        value(2, types, random),
        value(3, types, random)
      };
      assertThat(interpreter.output(0, slot -> values[slot]))
          .as(
              "m%s%s, seed %s\n%s",
              k, java.util.Arrays.toString(values), seed, logic.tape().build(row))
          .isEqualTo(method.invoke(null, values));
    }
  }

  private static Object value(int slot, ScalarType[] types, Random random) {
    if (random.nextInt(3) == 0) {
      var special = SpecialValues.of(types[slot]);
      return special.get(random.nextInt(special.size()));
    }
    return switch (types[slot]) {
      case I32 -> random.nextInt(-10, 10);
      case I64 -> random.nextLong(-10, 10);
      default -> random.nextInt(-20, 20) / 4f;
    };
  }
}
