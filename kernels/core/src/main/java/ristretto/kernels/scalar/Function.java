package ristretto.kernels.scalar;

import java.util.List;

/**
 * Lifted function with loops: basic blocks over typed local variables. The first locals are the
 * parameters; the others start as zero. The tape of a block reads the values of locals on entry as
 * {@link Node.Input} slots; at the end of the block some of its outputs are assigned to locals
 * simultaneously. Equality is by content and ignores the name.
 */
public final class Function {
  private final String name;
  private final List<ScalarType> parameters;
  private final List<ScalarType> locals;
  private final ScalarType result;
  private final List<Block> blocks;
  private final int hash;

  /**
   * Creates a function and checks every rule of the IR; see {@link VerifyTape}.
   *
   * @param locals types of all locals, the parameters first; execution starts at block 0
   */
  public Function(
      String name,
      List<ScalarType> parameters,
      List<ScalarType> locals,
      ScalarType result,
      List<Block> blocks) {
    this.name = name;
    this.parameters = List.copyOf(parameters);
    this.locals = List.copyOf(locals);
    this.result = result;
    this.blocks = List.copyOf(blocks);
    this.hash = hash(this.locals, this.blocks);
    VerifyTape.check(this);
  }

  /**
   * Basic block: a tape, assignments and a terminator.
   *
   * @param targets {@code targets[k]} is the local assigned from tape output k; further outputs are
   *     the condition or result that {@code end} refers to
   */
  public record Block(Tape tape, List<Integer> targets, End end) {
    public Block {
      targets = List.copyOf(targets);
    }
  }

  /** Terminator of a block. */
  public sealed interface End {
    record Jump(int block) implements End {}

    /**
     * Conditional branch.
     *
     * @param output index of the condition among the tape's outputs, a BOOL
     */
    record Branch(int output, int then, int otherwise) implements End {}

    /**
     * Return from the function.
     *
     * @param output index of the result among the tape's outputs
     */
    record Return(int output) implements End {}
  }

  public String name() {
    return name;
  }

  public List<ScalarType> parameters() {
    return parameters;
  }

  public List<ScalarType> locals() {
    return locals;
  }

  public ScalarType result() {
    return result;
  }

  public List<Block> blocks() {
    return blocks;
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof Function f
        && parameters.equals(f.parameters)
        && locals.equals(f.locals)
        && result == f.result
        && blocks.equals(f.blocks);
  }

  /** Hash of the locals and blocks. Terminators are left out because they seldom differ alone. */
  private static int hash(List<ScalarType> locals, List<Block> blocks) {
    int hash = locals.size();
    for (Block block : blocks) {
      hash = 31 * (31 * hash + block.tape.hashCode()) + block.targets.hashCode();
    }
    return hash;
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    var text = new StringBuilder(name + parameters + " -> " + result + ", locals " + locals + "\n");
    for (int i = 0; i < blocks.size(); i++) {
      Block b = blocks.get(i);
      text.append("block ").append(i).append(":\n").append(b.tape().toString().indent(2));
      text.append("  assign ").append(b.targets()).append(", then ").append(b.end()).append('\n');
    }
    return text.toString();
  }
}
