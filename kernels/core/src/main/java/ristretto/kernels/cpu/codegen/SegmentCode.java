package ristretto.kernels.cpu.codegen;

import static java.lang.constant.ConstantDescs.CD_double;
import static java.lang.constant.ConstantDescs.CD_float;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.HashMap;
import java.util.Map;
import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.strip.StripSpec;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * Bytecode of one segment: {@code static void (long[] pointers, long[] strides, int row, int from,
 * int to, long scratch, long tail)} computes elements {@code from} to {@code to - 1} of a row.
 * Addresses are raw: element j after {@code from} is at base + j * size, where the base is computed
 * once. Masks on base and j show C2 that all accesses are within the address space; without them
 * the first step of a loop takes some 25 instructions per access to check that.
 */
abstract class SegmentCode {
  static final MethodTypeDesc DESCRIPTOR =
      MethodTypeDesc.of(
          CD_void,
          CD_long.arrayType(),
          CD_long.arrayType(),
          CD_int,
          CD_int,
          CD_int,
          CD_long,
          CD_long);

  private static final MethodTypeDesc SCALAR_BITS =
      MethodTypeDesc.of(CD_long, CD_long.arrayType(), CD_long.arrayType(), CD_int, CD_int, CD_int);

  static final int POINTERS = 0;
  static final int STRIDES = 1;
  static final int ROW = 2;
  static final int FROM = 3;
  static final int TO = 4;
  static final int SCRATCH = 5;
  static final int TAIL = 7;

  final CodeBuilder code;
  final SegmentPlan plan;
  final Segment segment;
  final Tape tape;

  /** Local of the number of elements after the first. */
  final int index;

  /** Local of the number of elements. */
  final int count;

  private final Map<Integer, Integer> pointerBases = new HashMap<>();
  private final Map<Integer, Integer> slotBases = new HashMap<>();

  /** Locals of the byte offset of the current element, by size of its type; set in every step. */
  private final Map<Integer, Integer> offsets = new HashMap<>();

  SegmentCode(CodeBuilder code, SegmentPlan plan, Segment segment, int index) {
    this.code = code;
    this.plan = plan;
    this.segment = segment;
    this.tape = plan.tape();
    this.index = index;
    count = code.allocateLocal(TypeKind.INT);
    code.iload(TO).iload(FROM).isub().istore(count).iconst_0().istore(index);
  }

  final void forEachOutside(java.util.function.IntConsumer visitor) {
    plan.forEachOutside(segment, visitor);
  }

  /** Computes the base addresses of the segment's operands, before its loop. */
  final void bases() {
    forEachOutside(row -> {
      if (plan.slots().containsKey(row)) {
        slotBase(row);
      } else if (tape.node(row) instanceof Node.Input in
          && plan.access(in) != StripSpec.Access.SCALAR) {
        pointerBase(in.slot());
      }
    });
    for (int row : segment.rows()) {
      if (plan.slots().containsKey(row)) {
        slotBase(row);
      }
    }
    for (int k : segment.stores()) {
      int slot = plan.spec().stores().get(k);
      pointerBase(slot == StripSpec.STORE ? plan.outputPointer(k) : slot);
    }
  }

  private void pointerBase(int pointer) {
    if (pointerBases.containsKey(pointer)) {
      return;
    }
    int local = code.allocateLocal(TypeKind.LONG);
    Label end = code.newLabel();
    if (hasTailCopy(pointer)) {
      Label whole = code.newLabel();
      code.lload(TAIL).lconst_0().lcmp().ifeq(whole);
      code.lload(TAIL).loadConstant((long) pointer * TailCopy.AREA_BYTES).ladd();
      code.goto_(end).labelBinding(whole);
    }
    if (plan.gathers()) {
      pushTabled(pointer);
    } else {
      code.aload(POINTERS).loadConstant(pointer).laload();
      if (!index(pointer)) {
        code.aload(STRIDES).loadConstant(pointer).laload().iload(ROW).i2l().lmul().ladd();
      }
    }
    int bytes = plan.elementBytes(pointer);
    if (bytes > 0) {
      code.iload(FROM).i2l().loadConstant((long) bytes).lmul().ladd();
    }
    code.labelBinding(end).loadConstant(RawMemory.ADDRESS).land().lstore(local);
    pointerBases.put(pointer, local);
  }

  /** Pushes an operand's entry of {@link RowTable}, which POINTERS is in strips that gather. */
  private void pushTabled(int pointer) {
    code.aload(POINTERS).loadConstant(pointer * RowTable.ROWS);
    code.iload(ROW).loadConstant(RowTable.ROWS - 1).iand().iadd().laload();
  }

  /** Returns true if vector code reads the last elements of an operand's row from a copy. */
  private boolean hasTailCopy(int pointer) {
    return plan.vector() && plan.tailLayout().charAt(pointer) != TailCopy.NONE;
  }

  private boolean index(int pointer) {
    return pointer < plan.spec().inputs().size()
        && plan.spec().inputs().get(pointer) == StripSpec.Access.INDEX;
  }

  private void slotBase(int row) {
    code.lload(SCRATCH).loadConstant((long) plan.slots().get(row)).ladd();
    code.loadConstant(RawMemory.ADDRESS).land();
    int local = code.allocateLocal(TypeKind.LONG);
    code.lstore(local);
    slotBases.put(row, local);
  }

  /** Pushes the value of an index operand at element 0 of the row: base + row * rowStep. */
  final void pushIndexStart(int slot) {
    pushField(slot, 0);
    pushField(slot, 2);
    code.iload(ROW).i2l().lmul().ladd();
  }

  /** Pushes the number of the current element in its row. */
  final void pushElement() {
    code.iload(index).iload(FROM).iadd().i2l();
  }

  final void pushIndexStep(int slot) {
    pushField(slot, 1);
  }

  private void pushField(int slot, int field) {
    pushAll();
    code.getstatic(Descriptors.RAW, "I64", Descriptors.layout(ScalarType.I64))
        .lload(pointerBases.get(slot))
        .loadConstant(8L * field)
        .ladd();
    scalarGet(ScalarType.I64);
  }

  final void pushAll() {
    code.getstatic(Descriptors.RAW, "ALL", Descriptors.SEGMENT);
  }

  /** Loads a scalar from the segment, layout and address on the stack. */
  final void scalarGet(ScalarType type) {
    code.invokeinterface(
        Descriptors.SEGMENT,
        "get",
        MethodTypeDesc.of(Descriptors.primitive(type), Descriptors.layout(type), CD_long));
  }

  /** Pushes the scalar that input {@code slot} points to. */
  final void pushScalarInput(int slot, ScalarType type) {
    if (plan.gathers()) {
      pushTabled(slot);
    } else {
      code.aload(POINTERS).aload(STRIDES).loadConstant(slot).iload(ROW);
      code.loadConstant(type.bytes());
      code.invokestatic(Descriptors.SCALAR_INPUT, "bits", SCALAR_BITS);
    }
    switch (type) {
      case I64 -> {}
      case F64 ->
          code.invokestatic(
              ConstantDescs.CD_Double, "longBitsToDouble", MethodTypeDesc.of(CD_double, CD_long));
      case F32 ->
          code.l2i()
              .invokestatic(
                  ConstantDescs.CD_Float, "intBitsToFloat", MethodTypeDesc.of(CD_float, CD_int));
      default -> code.l2i();
    }
  }

  /**
   * Starts a step at the current index; byte offsets are computed on demand and kept for the step.
   */
  final void newStep() {
    offsets.clear();
  }

  private void pushOffset(int bytes) {
    Integer local = offsets.get(bytes);
    if (local == null) {
      local = code.allocateLocal(TypeKind.LONG);
      code.iload(index).loadConstant(Integer.MAX_VALUE).iand().i2l();
      code.loadConstant(bytes == 8 ? 3 : 2).lshl().lstore(local);
      offsets.put(bytes, local);
    }
    code.lload(local);
  }

  final void pushPointerAddress(int pointer, ScalarType type) {
    code.lload(pointerBases.get(pointer));
    pushOffset(type.bytes());
    code.ladd();
  }

  final void pushSlotAddress(int row) {
    code.lload(slotBases.get(row));
    pushOffset(Descriptors.memoryType(tape.node(row).type()).bytes());
    code.ladd();
  }

  /** Pushes the address of the accumulator lanes of the current index; strips start at lane 0. */
  final void pushAccumulatorAddress(int slot, ScalarType type) {
    code.lload(pointerBases.get(slot))
        .iload(index)
        .loadConstant(plan.spec().lanes() - 1)
        .iand()
        .i2l()
        .loadConstant(type.bytes() == 8 ? 3 : 2)
        .lshl()
        .ladd();
  }

  final void pushPointerBase(int pointer) {
    code.lload(pointerBases.get(pointer));
  }

  /** Generates a loop {@code while (index < count) body, index += step}. */
  final void loop(int step, Runnable body) {
    Label top = code.newLabel();
    Label end = code.newLabel();
    code.labelBinding(top).iload(index).iload(count).if_icmpge(end);
    body.run();
    code.iinc(index, step).goto_(top).labelBinding(end);
  }

  final ScalarType type(int row) {
    return tape.node(row).type();
  }
}
