package ristretto.spark;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;

/**
 * Entry point of scripts for Spark's command, which runs static methods only: {@code main} of a
 * script may be an instance method, and without parameters.
 */
public final class SubmittedScript {
  private SubmittedScript() {}

  /**
   * Runs a script.
   *
   * @param args name of the script's class, and the script's arguments
   */
  public static void main(String[] args) throws Throwable {
    Class<?> script = Class.forName(args[0], true, Thread.currentThread().getContextClassLoader());
    String[] rest = Arrays.copyOfRange(args, 1, args.length);
    Method main = method(script);
    Object instance = null;
    if (!Modifier.isStatic(main.getModifiers())) {
      Constructor<?> constructor = script.getDeclaredConstructor();
      constructor.setAccessible(true);
      instance = constructor.newInstance();
    }
    main.setAccessible(true);
    try {
      main.invoke(instance, main.getParameterCount() == 0 ? new Object[0] : new Object[] {rest});
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /** Returns the method that Java's launcher would run. */
  private static Method method(Class<?> script) throws NoSuchMethodException {
    try {
      return script.getDeclaredMethod("main", String[].class);
    } catch (NoSuchMethodException _) {
      return script.getDeclaredMethod("main");
    }
  }
}
