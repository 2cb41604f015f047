package ristretto.kernels.lift;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import ristretto.kernels.lambda.Lambda;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.SpecialValues;

/** Arguments for calls of lambdas in tests. */
final class LambdaCalls {
  private static final int RANDOM_CASES = 200;

  private LambdaCalls() {}

  static Method method(Lambda lambda) {
    for (Class<?> type : lambda.getClass().getInterfaces()) {
      if (Lambda.class.isAssignableFrom(type)) {
        return Stream.of(type.getMethods())
            .filter(m -> m.getName().equals("apply"))
            .findFirst()
            .orElseThrow();
      }
    }
    throw new AssertionError("no lambda: " + lambda.getClass());
  }

  /** All special values of one or two inputs, some of more, and random ones. */
  static List<List<Object>> arguments(List<ScalarType> types) {
    var cases = new ArrayList<List<Object>>();
    var random = new Random(7);
    List<Object> first = SpecialValues.of(types.getFirst());
    if (types.size() == 1) {
      first.forEach(v -> cases.add(List.of(v)));
    } else if (types.size() == 2) {
      first.forEach(u -> SpecialValues.of(types.get(1)).forEach(v -> cases.add(List.of(u, v))));
    }
    for (int k = 0; k < RANDOM_CASES; k++) {
      boolean special = types.size() > 2 && k % 2 == 0;
      cases.add(
          types.stream()
              .map(type -> {
                List<Object> values = SpecialValues.of(type);
                return special ? values.get(random.nextInt(values.size())) : random(type, random);
              })
              .toList());
    }
    return cases;
  }

  private static Object random(ScalarType type, Random random) {
    return switch (type) {
      case BOOL -> random.nextBoolean();
      case I32 -> random.nextBoolean() ? random.nextInt(-40, 40) : random.nextInt();
      case I64 -> random.nextBoolean() ? random.nextLong(-40, 40) : random.nextLong();
      case F32 -> (float) (random.nextGaussian() * 3);
      case F64 -> random.nextGaussian() * 3;
      default -> throw new AssertionError(type);
    };
  }
}
