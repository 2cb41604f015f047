package ristretto.kernels.lift;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import ristretto.kernels.lambda.Lambda;

/**
 * Reader of the primitives captured by the lambdas of one class. Reads the fields of the lambda's
 * class if they have the expected form and are accessible, otherwise the serialized form, which
 * takes microseconds.
 */
final class CapturedValues {
  /** Type letters of the captured values, one each, as in {@link Signature}. */
  private final String letters;

  /** Getters of the fields of primitive types; null if the serialized form must be read. */
  private final List<MethodHandle> getters;

  CapturedValues(Lambda lambda, String letters, SerializedLambda form) {
    this.letters = letters;
    List<MethodHandle> found = getters(lambda.getClass(), letters);
    this.getters = found != null && agree(lambda, found, form) ? found : null;
  }

  private static List<MethodHandle> getters(Class<?> type, String letters) {
    var getters = new ArrayList<MethodHandle>();
    int count = 0;
    try {
      for (Field field : type.getDeclaredFields()) {
        if (Modifier.isStatic(field.getModifiers())) {
          continue;
        }
        if (count == letters.length()
            || field.getType().descriptorString().charAt(0) != letters.charAt(count)
                && field.getType().isPrimitive()
            || !field.getName().equals("arg$" + (count + 1))) {
          return null;
        }
        char letter = letters.charAt(count++);
        if (letter != Signature.OBJECT) {
          field.setAccessible(true);
          MethodHandle getter = MethodHandles.lookup().unreflectGetter(field);
          Class<?> wide =
              letter == 'B' || letter == 'S' || letter == 'C' ? int.class : field.getType();
          getters.add(getter.asType(MethodType.methodType(wide, Object.class)));
        }
      }
    } catch (InaccessibleObjectException | IllegalAccessException e) {
      return null;
    }
    return count == letters.length() ? getters : null;
  }

  private boolean agree(Lambda lambda, List<MethodHandle> getters, SerializedLambda form) {
    long[] fromFields = new long[letters.length()];
    long[] fromForm = new long[letters.length()];
    read(lambda, getters, fromFields, 0);
    read(form, fromForm, 0);
    return java.util.Arrays.equals(fromFields, fromForm);
  }

  /** Writes the bits of the captured values to {@code bits} from {@code at} on. */
  void read(Lambda lambda, long[] bits, int at) {
    if (getters != null) {
      read(lambda, getters, bits, at);
    } else {
      read(SerializedForm.of(lambda), bits, at);
    }
  }

  private void read(Lambda lambda, List<MethodHandle> getters, long[] bits, int at) {
    int getter = 0;
    Object object = lambda;
    try {
      for (int k = 0; k < letters.length(); k++) {
        char letter = letters.charAt(k);
        if (letter != Signature.OBJECT) {
          MethodHandle handle = getters.get(getter++);
          bits[at++] =
              switch (letter) {
                case 'Z' -> (boolean) handle.invokeExact(object) ? 1 : 0;
                case 'J' -> (long) handle.invokeExact(object);
                case 'F' ->
                    Float.floatToRawIntBits((float) handle.invokeExact(object)) & 0xFFFFFFFFL;
                case 'D' -> Double.doubleToRawLongBits((double) handle.invokeExact(object));
                default -> (int) handle.invokeExact(object);
              };
        }
      }
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  private void read(SerializedLambda form, long[] bits, int at) {
    for (int k = 0; k < letters.length(); k++) {
      if (letters.charAt(k) != Signature.OBJECT) {
        Object value = form.getCapturedArg(k);
        bits[at++] =
            switch (letters.charAt(k)) {
              case 'Z' -> (Boolean) value ? 1 : 0;
              case 'C' -> (Character) value;
              case 'F' -> Float.floatToRawIntBits((Float) value) & 0xFFFFFFFFL;
              case 'D' -> Double.doubleToRawLongBits((Double) value);
              default -> ((Number) value).longValue();
            };
      }
    }
  }
}
