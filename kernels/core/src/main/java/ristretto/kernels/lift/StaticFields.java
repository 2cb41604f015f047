package ristretto.kernels.lift;

import static ristretto.kernels.scalar.ScalarType.F32;
import static ristretto.kernels.scalar.ScalarType.F64;
import static ristretto.kernels.scalar.ScalarType.I32;
import static ristretto.kernels.scalar.ScalarType.I64;

import java.lang.classfile.instruction.FieldInstruction;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;

/**
 * Static final fields of primitive types, which become constants of the kernel. Variables of jshell
 * count as final with their current value, because a lambda typed there is lifted again at each
 * use.
 */
final class StaticFields {
  private StaticFields() {}

  /**
   * Returns a constant row with the value of a field.
   *
   * @param from the class whose code reads the field
   */
  static int read(LiftSession session, Class<?> from, Logic logic, FieldInstruction instruction) {
    String name = instruction.name().stringValue();
    if (name.equals("$assertionsDisabled")) {
      return logic.tape().constant(I32, 1);
    }
    String owner = instruction.owner().asInternalName();
    String descriptor = instruction.type().stringValue();
    if (descriptor.length() != 1) {
      throw Refusals.objectField(session, owner, name);
    }
    Field field = null;
    try {
      field = find(Class.forName(owner.replace('/', '.'), false, from.getClassLoader()), name);
    } catch (ClassNotFoundException | LinkageError e) {
      throw Refusals.noClass(session, owner);
    }
    boolean constant =
        field != null
            && (Modifier.isFinal(field.getModifiers()) || JShell.made(field.getDeclaringClass()));
    if (!constant) {
      throw Refusals.mutableField(session, owner, name);
    }
    try {
      field.setAccessible(true);
    } catch (InaccessibleObjectException e) {
      // Not fatal: a public field of an exported package is readable without this.
    }
    try {
      return switch (descriptor.charAt(0)) {
        case 'Z' -> logic.tape().constant(I32, field.getBoolean(null) ? 1 : 0);
        case 'C' -> logic.tape().constantBits(I32, field.getChar(null));
        case 'B', 'S', 'I' -> logic.tape().constantBits(I32, field.getInt(null));
        case 'J' -> logic.tape().constantBits(I64, field.getLong(null));
        case 'F' ->
            logic
                .tape()
                .constantBits(F32, Float.floatToRawIntBits(field.getFloat(null)) & 0xFFFFFFFFL);
        default ->
            logic.tape().constantBits(F64, Double.doubleToRawLongBits(field.getDouble(null)));
      };
    } catch (IllegalAccessException e) {
      throw Refusals.closedField(session, field);
    }
  }

  private static Field find(Class<?> type, String name) {
    for (Class<?> owner = type; owner != null; owner = owner.getSuperclass()) {
      try {
        return owner.getDeclaredField(name);
      } catch (NoSuchFieldException e) {
        for (Class<?> parent : owner.getInterfaces()) {
          Field field = find(parent, name);
          if (field != null) {
            return field;
          }
        }
      }
    }
    return null;
  }
}
