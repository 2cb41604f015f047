package ristretto.expr;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;

/** Detects instance fields of user operators, on which kernels may depend. */
final class OwnFields {
  private static final ClassValue<Boolean> KNOWN =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          for (Class<?> c = type; c != RExpr.class && c != LExpr.class; c = c.getSuperclass()) {
            for (Field f : c.getDeclaredFields()) {
              if (!Modifier.isStatic(f.getModifiers())) {
                return true;
              }
            }
          }
          return false;
        }
      };

  private OwnFields() {}

  static boolean in(Class<?> operator) {
    return KNOWN.get(operator);
  }
}
