package ristretto.kernels.cpu.codegen;

import java.lang.classfile.CodeBuilder;
import java.util.Arrays;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * Bytecode generator for the rows of one tape: each row's value is in a local variable of the
 * method.
 */
abstract class TapeCode {
  final CodeBuilder code;
  final Tape tape;
  final FunctionTable functions;
  final UseAnalysis uses;
  private final int[] locals;

  TapeCode(CodeBuilder code, Tape tape, FunctionTable functions) {
    this.code = code;
    this.tape = tape;
    this.functions = functions;
    this.uses = new UseAnalysis(tape);
    this.locals = new int[tape.size()];
    Arrays.fill(locals, -1);
  }

  final ScalarType type(int row) {
    return tape.node(row).type();
  }

  final int local(int row) {
    if (locals[row] < 0) {
      throw new IllegalStateException("row %" + row + " is used before it is computed");
    }
    return locals[row];
  }

  /** Declares {@code local} to hold the value of {@code row}. */
  final void place(int row, int local) {
    locals[row] = local;
  }

  final boolean constant(int row) {
    return tape.node(row) instanceof Node.Const;
  }

  /** Pushes the value of a row: a constant, or its local. */
  abstract void push(int row);

  /** Pops the value of {@code row} into a new local. */
  abstract void define(int row);

  /** Computes a row from its operands and defines it. */
  abstract void compute(int row);
}
