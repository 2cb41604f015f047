package ristretto.kernels.source;

/** Source text that indents itself. */
final class Code {
  private final StringBuilder text = new StringBuilder();
  private int depth;

  Code(int depth) {
    this.depth = depth;
  }

  void line(String line) {
    if (!line.isEmpty()) {
      text.repeat("  ", depth).append(line);
    }
    text.append('\n');
  }

  /** {@code head {}, up to {@link #close}. */
  void open(String head) {
    line(head.isEmpty() ? "{" : head + " {");
    depth++;
  }

  void close() {
    depth--;
    line("}");
  }

  /** Ends a block and begins the next one, {@code head {}. */
  void reopen(String head) {
    depth--;
    line("} " + head + " {");
    depth++;
  }

  void append(Code other) {
    text.append(other.text);
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
