package ristretto.kernels.lift;

import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Loops and live variables of a method. A head is a block where a {@link Region} starts: block 0;
 * for each loop, the block after its leading tests, so that the loop tests once per iteration and
 * never runs its body in vain; and every block to which a loop exits. Every cycle contains a head.
 */
final class ControlFlow {
  private final List<Block> blocks;
  private final BitSet heads = new BitSet();
  private final BitSet[] live;
  private boolean loops;

  ControlFlow(MethodCode code) {
    this.blocks = code.blocks();
    this.live = liveness(code);
    heads.set(0);
    findLoops();
  }

  boolean hasLoops() {
    return loops;
  }

  boolean isHead(int block) {
    return heads.get(block);
  }

  /** Returns the local variables that are live on entry to a block. */
  BitSet live(int block) {
    return live[block];
  }

  private void findLoops() {
    var backEdges = new ArrayList<int[]>();
    depthFirst(backEdges);
    var headers = new BitSet();
    for (int k = 0; k < backEdges.size(); k++) {
      headers.set(backEdges.get(k)[1]);
    }
    loops = !headers.isEmpty();
    for (int k = 0; k < backEdges.size(); k++) {
      int header = backEdges.get(k)[1];
      BitSet body = new BitSet();
      for (int j = 0; j < backEdges.size(); j++) {
        if (backEdges.get(j)[1] == header) {
          addBody(backEdges.get(j)[0], header, body);
        }
      }
      heads.set(afterTests(header, body, headers));
      for (int block = body.nextSetBit(0); block >= 0; block = body.nextSetBit(block + 1)) {
        for (int successor : blocks.get(block).successors()) {
          if (!body.get(successor)) {
            heads.set(successor);
          }
        }
      }
    }
  }

  /** Collects the back edges: edges to a block on the current depth-first path. */
  private void depthFirst(List<int[]> backEdges) {
    int n = blocks.size();
    int[] next = new int[n];
    BitSet seen = new BitSet();
    BitSet onPath = new BitSet();
    int[] path = new int[n];
    int depth = 0;
    path[depth++] = 0;
    seen.set(0);
    onPath.set(0);
    while (depth > 0) {
      int block = path[depth - 1];
      List<Integer> successors = blocks.get(block).successors();
      if (next[block] == successors.size()) {
        onPath.clear(block);
        depth--;
        continue;
      }
      int successor = successors.get(next[block]++);
      if (onPath.get(successor)) {
        backEdges.add(new int[] {block, successor});
      } else if (!seen.get(successor)) {
        seen.set(successor);
        onPath.set(successor);
        path[depth++] = successor;
      }
    }
  }

  /**
   * Adds the natural loop of a back edge: all blocks that reach {@code from} without passing {@code
   * header}.
   */
  private void addBody(int from, int header, BitSet body) {
    body.set(header);
    var pending = new ArrayList<Integer>();
    pending.add(from);
    while (!pending.isEmpty()) {
      int block = pending.removeLast();
      if (body.get(block)) {
        continue;
      }
      body.set(block);
      for (int other = 0; other < blocks.size(); other++) {
        if (blocks.get(other).successors().contains(block)) {
          pending.add(other);
        }
      }
    }
  }

  private int afterTests(int header, BitSet body, BitSet headers) {
    int block = header;
    while (true) {
      int inside = -1;
      boolean leaves = false;
      for (int successor : blocks.get(block).successors()) {
        if (!body.get(successor)) {
          leaves = true;
        } else if (inside >= 0 && inside != successor) {
          return block;
        } else {
          inside = successor;
        }
      }
      if (!leaves || inside < 0 || headers.get(inside)) {
        return block;
      }
      block = inside;
    }
  }

  private static BitSet[] liveness(MethodCode code) {
    List<Block> blocks = code.blocks();
    BitSet[] live = new BitSet[blocks.size()];
    BitSet[] written = new BitSet[blocks.size()];
    for (int k = 0; k < live.length; k++) {
      live[k] = new BitSet();
      written[k] = new BitSet();
      for (int at = blocks.get(k).start(); at < blocks.get(k).end(); at++) {
        note(code.instruction(at), live[k], written[k]);
      }
    }
    boolean changed = true;
    while (changed) {
      changed = false;
      for (int k = live.length - 1; k >= 0; k--) {
        for (int successor : blocks.get(k).successors()) {
          var more = (BitSet) live[successor].clone();
          more.andNot(written[k]);
          more.andNot(live[k]);
          if (!more.isEmpty()) {
            live[k].or(more);
            changed = true;
          }
        }
      }
    }
    return live;
  }

  private static void note(Instruction instruction, BitSet read, BitSet written) {
    Opcode.Kind kind = instruction.opcode().kind();
    if (kind == Opcode.Kind.LOAD) {
      read(((LoadInstruction) instruction).slot(), read, written);
    } else if (kind == Opcode.Kind.INCREMENT) {
      read(((IncrementInstruction) instruction).slot(), read, written);
    } else if (kind == Opcode.Kind.STORE) {
      written.set(((StoreInstruction) instruction).slot());
    }
  }

  private static void read(int slot, BitSet read, BitSet written) {
    if (!written.get(slot)) {
      read.set(slot);
    }
  }
}
