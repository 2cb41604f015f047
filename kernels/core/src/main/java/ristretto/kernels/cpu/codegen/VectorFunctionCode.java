package ristretto.kernels.cpu.codegen;

import static java.lang.constant.ConstantDescs.CD_long;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.List;
import ristretto.kernels.scalar.Function;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * Bytecode of a lifted function for a vector of elements: {@code static void (long area, long
 * lanes)}, with arguments and result in memory as for {@link LaneCalls}. Each block has a mask of
 * the lanes that are in it; assignments change those lanes only, and the end of a block moves its
 * lanes to the masks of other blocks. Blocks run in order; after the last block that jumps back to
 * a target, the target runs again while its mask has lanes. This computes any control flow; it is
 * fast if the order of blocks keeps loops together, as javac's does.
 */
final class VectorFunctionCode {
  private static final int AREA = 0;
  private static final int LANES = 2;

  private final CodeBuilder code;
  private final Function function;
  private final FunctionTable functions;
  private final VectorInstructions vectors;

  /** Element type of all masks of blocks. */
  private final ScalarType home;

  private final int nested;
  private final int[] locals;
  private final int[] masks;
  private final int active;
  private final int result;
  private final List<Label> labels = new ArrayList<>();

  private VectorFunctionCode(
      CodeBuilder code, Function function, FunctionTable functions, int lanes) {
    this.code = code;
    this.function = function;
    this.functions = functions;
    this.vectors = new VectorInstructions(code, lanes);
    this.home = home(function);
    this.nested = code.allocateLocal(TypeKind.LONG);
    this.active = code.allocateLocal(TypeKind.REFERENCE);
    this.result = code.allocateLocal(TypeKind.REFERENCE);
    this.locals = new int[function.locals().size()];
    this.masks = new int[function.blocks().size()];
  }

  static void write(CodeBuilder code, Function function, FunctionTable functions, int lanes) {
    new VectorFunctionCode(code, function, functions, lanes).write();
  }

  private static ScalarType home(Function function) {
    return function.locals().stream()
        .filter(type -> type != ScalarType.BOOL)
        .findFirst()
        .orElse(ScalarType.F32);
  }

  private VectorTapeCode rows(Tape tape) {
    return new VectorTapeCode(code, tape, functions, vectors, nested, active, home);
  }

  private void write() {
    int arguments = function.parameters().size();
    code.lload(AREA).loadConstant((long) LaneCalls.areaBytes(arguments)).ladd().lstore(nested);
    vectors.species(home);
    code.lload(LANES)
        .invokestatic(
            Descriptors.MASK,
            "fromLong",
            MethodTypeDesc.of(Descriptors.MASK, Descriptors.SPECIES, CD_long));
    code.astore(active);
    for (int k = 0; k < locals.length; k++) {
      local(k);
    }
    zero(function.result());
    code.astore(result);
    for (int b = 0; b < masks.length; b++) {
      labels.add(code.newLabel());
      masks[b] = code.allocateLocal(TypeKind.REFERENCE);
      if (b == 0) {
        code.aload(active);
      } else {
        vectors.maskAll(home, false);
      }
      code.astore(masks[b]);
    }
    for (int b = 0; b < masks.length; b++) {
      block(b);
      for (int target = 0; target <= b; target++) {
        if (lastJumpBack(target) == b) {
          code.aload(masks[target]);
          vectors.anyTrue();
          code.ifne(labels.get(target));
        }
      }
    }
    code.aload(result);
    if (function.result() == ScalarType.BOOL) {
      vectors.fromMask(home, ScalarType.I32);
    }
    vectors.store(Descriptors.memoryType(function.result()), area(arguments));
    code.return_();
  }

  private Runnable area(int k) {
    return () -> code.lload(AREA).loadConstant((long) k * LaneCalls.VECTOR_BYTES).ladd();
  }

  private void local(int k) {
    ScalarType type = function.locals().get(k);
    if (k < function.parameters().size()) {
      vectors.load(Descriptors.memoryType(type), area(k));
      if (type == ScalarType.BOOL) {
        vectors.toMask(ScalarType.I32);
        vectors.castMask(ScalarType.I32, home);
      }
    } else {
      zero(type);
    }
    locals[k] = code.allocateLocal(TypeKind.REFERENCE);
    code.astore(locals[k]);
  }

  private void zero(ScalarType type) {
    if (type == ScalarType.BOOL) {
      vectors.maskAll(home, false);
    } else {
      vectors.constant(type, 0);
    }
  }

  /** Returns the last block, at or after {@code target}, that jumps to {@code target}, or -1. */
  private int lastJumpBack(int target) {
    int last = -1;
    for (int b = target; b < masks.length; b++) {
      boolean jumps =
          switch (function.blocks().get(b).end()) {
            case Function.End.Jump end -> end.block() == target;
            case Function.End.Branch end -> end.then() == target || end.otherwise() == target;
            case Function.End.Return _ -> false;
          };
      last = jumps ? b : last;
    }
    return last;
  }

  private void block(int b) {
    Label skip = code.newLabel();
    code.labelBinding(labels.get(b));
    if (b > 0) {
      code.aload(masks[b]);
      vectors.anyTrue();
      code.ifeq(skip);
    }
    code.aload(masks[b]).astore(active);
    Function.Block block = function.blocks().get(b);
    VectorTapeCode rows = values(block.tape());
    vectors.maskAll(home, false);
    code.astore(masks[b]);
    Runnable condition = condition(rows, block);
    assign(rows, block);
    condition.run();
    code.labelBinding(skip);
  }

  private VectorTapeCode values(Tape tape) {
    VectorTapeCode rows = rows(tape);
    for (int row = 0; row < tape.size(); row++) {
      if (tape.node(row) instanceof Node.Input in) {
        if (in.type() == ScalarType.BOOL) {
          rows.placeMask(row, locals[in.slot()], home);
        } else {
          rows.place(row, locals[in.slot()]);
        }
      } else if (rows.uses.computed(row)) {
        rows.compute(row);
      }
    }
    return rows;
  }

  /**
   * Generates the code that saves the condition of a block's end before locals change; the returned
   * action generates the code that moves the lanes.
   */
  private Runnable condition(VectorTapeCode rows, Function.Block block) {
    return switch (block.end()) {
      case Function.End.Jump end ->
          () -> {
            code.aload(active);
            enter(end.block());
          };
      case Function.End.Branch end -> {
        int yes = code.allocateLocal(TypeKind.REFERENCE);
        rows.pushMask(block.tape().outputs().get(end.output()), home);
        code.astore(yes);
        yield () -> {
          code.aload(active).aload(yes);
          vectors.maskOp("and");
          enter(end.then());
          code.aload(active).aload(yes);
          vectors.maskOp("andNot");
          enter(end.otherwise());
        };
      }
      case Function.End.Return end -> {
        blend(rows, block.tape().outputs().get(end.output()), function.result(), result);
        code.astore(result);
        yield () -> {};
      }
    };
  }

  /** Adds the lanes of the mask on the stack to a block. */
  private void enter(int block) {
    code.aload(masks[block]);
    vectors.maskOp("or");
    code.astore(masks[block]);
  }

  /**
   * Assigns locals. All values are pushed first, because they may read locals before the
   * assignment.
   */
  private void assign(VectorTapeCode rows, Function.Block block) {
    List<Integer> targets = block.targets();
    for (int k = 0; k < targets.size(); k++) {
      int target = targets.get(k);
      blend(rows, block.tape().outputs().get(k), function.locals().get(target), locals[target]);
    }
    for (int k = targets.size() - 1; k >= 0; k--) {
      code.astore(locals[targets.get(k)]);
    }
  }

  /** Pushes {@code row} in the active lanes and the value of {@code local} in the others. */
  private void blend(VectorTapeCode rows, int row, ScalarType type, int local) {
    if (type == ScalarType.BOOL) {
      rows.pushMask(row, home);
      code.aload(active);
      vectors.maskOp("and");
      code.aload(local).aload(active);
      vectors.maskOp("andNot");
      vectors.maskOp("or");
      return;
    }
    code.aload(local);
    rows.push(row);
    code.aload(active);
    vectors.castMask(home, type);
    vectors.blend(type);
  }
}
