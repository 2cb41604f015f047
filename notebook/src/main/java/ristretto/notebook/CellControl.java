package ristretto.notebook;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Map;
import jdk.jshell.execution.DirectExecutionControl;
import jdk.jshell.spi.ExecutionControl;
import jdk.jshell.spi.ExecutionControlProvider;
import jdk.jshell.spi.ExecutionEnv;

/**
 * Runs snippets in this process, on the thread that evaluates cells, so that all cells of a
 * notebook run on one thread; keeps the value of the last snippet.
 */
final class CellControl extends DirectExecutionControl implements ExecutionControlProvider {
  private Object value;

  /** Value of the last snippet; null if it has none. */
  Object value() {
    return value;
  }

  @Override
  protected String invoke(Method snippet) throws Exception {
    value = null;
    value = snippet.invoke(null);
    return "";
  }

  /** A cell that names a variable reads it by this method. */
  @Override
  public String varValue(String className, String varName)
      throws RunException, EngineTerminationException, InternalException {
    try {
      Field field = findClass(className).getDeclaredField(varName);
      field.setAccessible(true);
      value = field.get(null);
    } catch (ReflectiveOperationException e) {
      throw new InternalException(e.toString());
    }
    return "";
  }

  @Override
  public String name() {
    return "notebook";
  }

  @Override
  public ExecutionControl generate(ExecutionEnv env, Map<String, String> parameters) {
    return this;
  }
}
