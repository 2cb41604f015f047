package ristretto.kernels.lift;

/**
 * Properties of code typed into jshell: its methods may be redefined in place, its variables are
 * static fields that are never final, and its local execution engine inserts calls that let a user
 * stop a loop.
 */
final class JShell {
  private static final String PACKAGE = "REPL.";

  private JShell() {}

  /** Returns true if jshell compiled the class. */
  static boolean made(Class<?> type) {
    return type.getName().startsWith(PACKAGE);
  }

  /** Returns true if the method only checks whether the user wants to stop. */
  static boolean stopCheck(String owner, String name) {
    return owner.equals("REPL/$Cancel$") && name.equals("stopCheck");
  }
}
