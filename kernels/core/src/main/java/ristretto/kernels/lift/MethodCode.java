package ristretto.kernels.lift;

import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LineNumber;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Instructions of a method, their source lines and basic blocks. Block 0 is empty and continues
 * with the first instruction.
 */
final class MethodCode {
  private final Class<?> owner;
  private final MethodPlace place;
  private final Signature signature;
  private final boolean isStatic;
  private final int maxLocals;
  private final List<Instruction> instructions = new ArrayList<>();
  private final List<Integer> lines = new ArrayList<>();
  private final Map<Label, Integer> labels = new HashMap<>();
  private final List<ExceptionCatch> handlers = new ArrayList<>();
  private final List<Block> blocks = new ArrayList<>();
  private int[] blockAt;
  private ControlFlow flow;

  MethodCode(
      Class<?> owner,
      MethodPlace place,
      Signature signature,
      boolean isStatic,
      MethodModel method) {
    this.owner = owner;
    this.place = place;
    this.signature = signature;
    this.isStatic = isStatic;
    CodeModel code = method.code().orElseThrow();
    this.maxLocals = ((CodeAttribute) code).maxLocals();
    int line = 0;
    for (CodeElement element : code) {
      if (element instanceof Instruction instruction) {
        instructions.add(instruction);
        lines.add(line);
      } else if (element instanceof LabelTarget target) {
        labels.put(target.label(), instructions.size());
      } else if (element instanceof LineNumber number) {
        line = number.line();
      } else if (element instanceof ExceptionCatch handler) {
        handlers.add(handler);
      }
    }
    findBlocks();
  }

  Class<?> owner() {
    return owner;
  }

  MethodPlace place() {
    return place;
  }

  Signature signature() {
    return signature;
  }

  boolean isStatic() {
    return isStatic;
  }

  int maxLocals() {
    return maxLocals;
  }

  Instruction instruction(int at) {
    return instructions.get(at);
  }

  /** Source line of an instruction; 0 if the class file has no line number. */
  int line(int at) {
    return at < lines.size() ? lines.get(at) : 0;
  }

  List<Block> blocks() {
    return blocks;
  }

  ControlFlow flow() {
    if (flow == null) {
      flow = new ControlFlow(this);
    }
    return flow;
  }

  /** Returns true if the instruction is inside a try block. */
  boolean inTry(int at) {
    for (int k = 0; k < handlers.size(); k++) {
      ExceptionCatch handler = handlers.get(k);
      if (labels.get(handler.tryStart()) <= at && at < labels.get(handler.tryEnd())) {
        return true;
      }
    }
    return false;
  }

  private void findBlocks() {
    int n = instructions.size();
    boolean[] starts = new boolean[n + 1];
    starts[0] = true;
    for (int at = 0; at < n; at++) {
      List<Label> targets = targets(instructions.get(at));
      for (int k = 0; k < targets.size(); k++) {
        starts[labels.get(targets.get(k))] = true;
      }
      if (!targets.isEmpty() || endsPath(instructions.get(at).opcode())) {
        starts[at + 1] = true;
      }
    }
    blockAt = new int[n + 1];
    Arrays.fill(blockAt, -1);
    int count = 1;
    for (int at = 0; at < n; at++) {
      if (starts[at]) {
        blockAt[at] = count++;
      }
    }
    blocks.add(new Block(0, 0, List.of(1)));
    int start = 0;
    for (int at = 1; at <= n; at++) {
      if (at == n || starts[at]) {
        blocks.add(new Block(start, at, successors(at - 1)));
        start = at;
      }
    }
  }

  private List<Integer> successors(int last) {
    Instruction instruction = instructions.get(last);
    var successors = new ArrayList<Integer>();
    List<Label> targets = targets(instruction);
    for (int k = 0; k < targets.size(); k++) {
      successors.add(blockAt[labels.get(targets.get(k))]);
    }
    Opcode opcode = instruction.opcode();
    boolean leaves =
        endsPath(opcode) || opcode == Opcode.GOTO || opcode == Opcode.GOTO_W || isSwitch(opcode);
    if (!leaves && last + 1 < instructions.size()) {
      successors.add(blockAt[last + 1]);
    }
    return successors;
  }

  private static boolean isSwitch(Opcode opcode) {
    return opcode == Opcode.TABLESWITCH || opcode == Opcode.LOOKUPSWITCH;
  }

  private static boolean endsPath(Opcode opcode) {
    return opcode.kind() == Opcode.Kind.RETURN || opcode == Opcode.ATHROW;
  }

  private static List<Label> targets(Instruction instruction) {
    return switch (instruction.opcode().kind()) {
      case BRANCH -> List.of(((BranchInstruction) instruction).target());
      case TABLE_SWITCH -> {
        var table = (TableSwitchInstruction) instruction;
        yield targets(table.cases(), table.defaultTarget());
      }
      case LOOKUP_SWITCH -> {
        var lookup = (LookupSwitchInstruction) instruction;
        yield targets(lookup.cases(), lookup.defaultTarget());
      }
      default -> List.of();
    };
  }

  private static List<Label> targets(List<SwitchCase> cases, Label defaultTarget) {
    var targets = new ArrayList<Label>(cases.size() + 1);
    for (int k = 0; k < cases.size(); k++) {
      targets.add(cases.get(k).target());
    }
    targets.add(defaultTarget);
    return targets;
  }
}
