package ristretto.kernels.lift;

/**
 * Source position of a method, for messages.
 *
 * @param owner binary name of its class
 * @param file source file, or an empty string
 */
record MethodPlace(String owner, String method, String file) {
  private static final String LAMBDA = "lambda$";

  boolean isLambda() {
    return method.startsWith(LAMBDA);
  }

  /** Returns a readable name: {@code the lambda in Train.main}, {@code Train.helper}. */
  String name() {
    if (!isLambda()) {
      return owner + "." + method;
    }
    // lambda$main$0, or lambda$main$1f2e3d4c$1 for a serializable one
    int end = method.lastIndexOf('$');
    int hash = method.lastIndexOf('$', end - 1);
    String enclosing =
        method.substring(
            LAMBDA.length(), hash > LAMBDA.length() ? hash : Math.max(end, LAMBDA.length()));
    return "the lambda in "
        + switch (enclosing) {
          case "new" -> "the constructor of " + owner;
          case "static", "" -> "the static initializer of " + owner;
          default -> owner + "." + enclosing;
        };
  }

  /** Returns a readable position: {@code the lambda in Train.main (Train.java:41)}. */
  String at(int line) {
    if (file.isEmpty() && line == 0) {
      return name();
    }
    String source = file.isEmpty() ? "line " + line : line == 0 ? file : file + ":" + line;
    return name() + " (" + source + ")";
  }
}
