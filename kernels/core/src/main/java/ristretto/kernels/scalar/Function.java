package ristretto.kernels.scalar;

import java.util.List;

/**
 * A lifted function with loops: basic blocks over typed local variables. The first locals are the
 * parameters; the others start as zero. Each block's tape reads locals as {@link Node.Input} slots
 * (the values on entry) and, at its end, assigns some of its outputs to locals, all at once.
 * Equality is by content; the name does not count.
 */
public final class Function {
  private final String name;
  private final List<ScalarType> parameters;
  private final List<ScalarType> locals;
  private final ScalarType result;
  private final List<Block> blocks;
  private final int hash;

  /**
   * Checks every rule of the IR; see {@link VerifyTape}.
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
   * @param targets local assigned from tape output k, for k below its size; further outputs are the
   *     condition or result that {@code end} names
   */
  public record Block(Tape tape, List<Integer> targets, End end) {
    public Block {
      targets = List.copyOf(targets);
    }
  }

  /** How a block ends. */
  public sealed interface End {
    record Jump(int block) implements End {}

    /**
     * @param output index into the tape's outputs, a BOOL
     */
    record Branch(int output, int then, int otherwise) implements End {}

    /**
     * @param output index into the tape's outputs
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

  /** Of all but the blocks' ends, which seldom make the difference. */
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
