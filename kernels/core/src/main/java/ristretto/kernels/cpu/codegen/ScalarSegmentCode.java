package ristretto.kernels.cpu.codegen;

import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.MethodTypeDesc;
import java.util.HashMap;
import java.util.Map;
import ristretto.kernels.cpu.strip.StripSpec;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;

/**
 * Bytecode of a segment as a loop of scalar code. Accumulators stay in memory; consecutive elements
 * use different lanes.
 */
final class ScalarSegmentCode extends SegmentCode {
  private final FunctionTable functions;
  private final Map<Integer, Integer> steps = new HashMap<>();
  private final Map<Integer, Integer> uniform = new HashMap<>();

  private ScalarSegmentCode(
      CodeBuilder code, SegmentPlan plan, Segment segment, FunctionTable functions) {
    super(code, plan, segment, code.allocateLocal(TypeKind.INT));
    this.functions = functions;
  }

  static void write(CodeBuilder code, SegmentPlan plan, Segment segment, FunctionTable functions) {
    new ScalarSegmentCode(code, plan, segment, functions).write();
  }

  private void write() {
    bases();
    forEachOutside(this::beforeLoop);
    loop(1, this::step);
    code.return_();
  }

  private void beforeLoop(int row) {
    if (!(tape.node(row) instanceof Node.Input in)) {
      return;
    }
    switch (plan.access(in)) {
      case SCALAR -> {
        pushScalarInput(in.slot(), in.type());
        uniform.put(row, store(in.type()));
      }
      case INDEX -> {
        pushIndexStart(in.slot());
        uniform.put(row, store(ScalarType.I64));
        pushIndexStep(in.slot());
        steps.put(row, store(ScalarType.I64));
      }
      case UNIT, GATHERED, ACCUMULATE -> {}
    }
  }

  private int store(ScalarType type) {
    int local = code.allocateLocal(Descriptors.kind(type));
    code.storeLocal(Descriptors.kind(type), local);
    return local;
  }

  private void step() {
    newStep();
    var rows = new ScalarTapeCode(code, tape, functions);
    forEachOutside(row -> load(rows, row));
    for (int row : segment.rows()) {
      rows.compute(row);
      if (plan.slots().containsKey(row)) {
        pushLayout(type(row));
        pushSlotAddress(row);
        rows.push(row);
        set(type(row));
      }
    }
    for (int k : segment.stores()) {
      int row = tape.outputs().get(k);
      int slot = plan.spec().stores().get(k);
      pushLayout(type(row));
      if (slot == StripSpec.STORE) {
        pushPointerAddress(plan.outputPointer(k), type(row));
      } else {
        pushAccumulatorAddress(slot, type(row));
      }
      rows.push(row);
      set(type(row));
    }
  }

  private void load(ScalarTapeCode rows, int row) {
    if (!(tape.node(row) instanceof Node.Input in)) {
      pushLayout(type(row));
      pushSlotAddress(row);
      scalarGet(Descriptors.memoryType(type(row)));
      rows.define(row);
      return;
    }
    switch (plan.access(in)) {
      case SCALAR -> rows.place(row, uniform.get(row));
      case INDEX -> {
        code.lload(uniform.get(row)).lload(steps.get(row));
        pushElement();
        code.lmul().ladd();
        if (in.type() == ScalarType.I32) {
          code.l2i();
        }
        rows.define(row);
      }
      case UNIT, GATHERED -> {
        pushLayout(in.type());
        pushPointerAddress(in.slot(), in.type());
        scalarGet(in.type());
        rows.define(row);
      }
      case ACCUMULATE -> {
        pushLayout(in.type());
        pushAccumulatorAddress(in.slot(), in.type());
        scalarGet(in.type());
        rows.define(row);
      }
    }
  }

  private void pushLayout(ScalarType type) {
    ScalarType memory = Descriptors.memoryType(type);
    pushAll();
    code.getstatic(Descriptors.RAW, memory.name(), Descriptors.layout(memory));
  }

  /** Stores the value on the stack; below it are the segment, a layout and an address. */
  private void set(ScalarType type) {
    ScalarType memory = Descriptors.memoryType(type);
    code.invokeinterface(
        Descriptors.SEGMENT,
        "set",
        MethodTypeDesc.of(
            CD_void, Descriptors.layout(memory), CD_long, Descriptors.primitive(memory)));
  }
}
