package ristretto.kernels.cpu.codegen;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.util.ArrayList;
import java.util.List;
import ristretto.kernels.scalar.Function;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * Bytecode of a lifted function as a scalar method: blocks in order, locals as locals, jumps as
 * jumps.
 */
final class FunctionCode {
  private final CodeBuilder code;
  private final Function function;
  private final FunctionTable functions;
  private final List<Label> labels = new ArrayList<>();
  private final int[] locals;

  private FunctionCode(CodeBuilder code, Function function, FunctionTable functions) {
    this.code = code;
    this.function = function;
    this.functions = functions;
    this.locals = new int[function.locals().size()];
  }

  static void write(CodeBuilder code, Function function, FunctionTable functions) {
    new FunctionCode(code, function, functions).write();
  }

  private void write() {
    function.blocks().forEach(_ -> labels.add(code.newLabel()));
    for (int k = 0; k < locals.length; k++) {
      ScalarType type = function.locals().get(k);
      if (k < function.parameters().size()) {
        locals[k] = code.parameterSlot(k);
      } else {
        locals[k] = code.allocateLocal(Descriptors.kind(type));
        ScalarTapeCode.pushConstant(code, new Node.Const(type, 0));
        code.storeLocal(Descriptors.kind(type), locals[k]);
      }
    }
    for (int b = 0; b < labels.size(); b++) {
      code.labelBinding(labels.get(b));
      Function.Block block = function.blocks().get(b);
      block(block);
    }
  }

  private void block(Function.Block block) {
    Tape tape = block.tape();
    var rows = new ScalarTapeCode(code, tape, functions);
    for (int row = 0; row < tape.size(); row++) {
      switch (tape.node(row)) {
        case Node.Const _ -> {}
        case Node.Input in -> rows.place(row, locals[in.slot()]);
        case Node.Apply _, Node.Call _, Node.Random _ -> {
          if (rows.uses.computed(row)) {
            rows.compute(row);
          }
        }
      }
    }
    // The condition or result is pushed first, because it may read a local that is assigned below.
    switch (block.end()) {
      case Function.End.Branch end -> rows.push(tape.outputs().get(end.output()));
      case Function.End.Return end -> rows.push(tape.outputs().get(end.output()));
      case Function.End.Jump _ -> {}
    }
    for (int k = 0; k < block.targets().size(); k++) {
      rows.push(tape.outputs().get(k));
    }
    for (int k = block.targets().size() - 1; k >= 0; k--) {
      int target = block.targets().get(k);
      code.storeLocal(Descriptors.kind(function.locals().get(target)), locals[target]);
    }
    switch (block.end()) {
      case Function.End.Jump end -> code.goto_(labels.get(end.block()));
      case Function.End.Branch end ->
          code.ifne(labels.get(end.then())).goto_(labels.get(end.otherwise()));
      case Function.End.Return _ -> code.return_(Descriptors.kind(function.result()));
    }
  }
}
