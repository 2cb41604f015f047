package ristretto.kernels.source;

import java.util.ArrayDeque;
import java.util.List;

/** Builder of indented source text. */
public final class Code {
  private final StringBuilder text = new StringBuilder();
  private int depth;

  /** Number of blocks that each pending {@link #close} ends, innermost first. */
  private final ArrayDeque<Integer> together = new ArrayDeque<>();

  public Code(int depth) {
    this.depth = depth;
  }

  public void line(String line) {
    if (!line.isEmpty()) {
      text.repeat("  ", depth).append(line);
    }
    text.append('\n');
  }

  /** Opens a block with the given header; {@link #close} ends the block. */
  public void open(String head) {
    openAll(List.of(head));
  }

  /** Opens nested blocks with the given headers; one {@link #close} ends all of them. */
  void openAll(List<String> heads) {
    for (String head : heads) {
      line(head.isEmpty() ? "{" : head + " {");
      depth++;
    }
    together.push(heads.size());
  }

  public void close() {
    for (int blocks = together.pop(); blocks > 0; blocks--) {
      depth--;
      line("}");
    }
  }

  /** Ends a block and opens the next one with the given header. */
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
