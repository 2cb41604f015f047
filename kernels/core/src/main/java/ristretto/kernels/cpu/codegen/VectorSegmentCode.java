package ristretto.kernels.cpu.codegen;

import static java.lang.constant.ConstantDescs.CD_int;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import ristretto.kernels.cpu.strip.AccumulatorFolds;
import ristretto.kernels.cpu.strip.LaneFold;
import ristretto.kernels.cpu.strip.StripSpec;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;

/**
 * Bytecode of a segment as a loop of vector code over full vectors; for the last elements of a row,
 * its operands are the areas of {@link TailCopy}. Accumulators are kept in locals over the loop, as
 * many vectors as their logical lanes need.
 */
final class VectorSegmentCode extends SegmentCode {
  private final FunctionTable functions;
  private final VectorInstructions vectors;

  /**
   * Local of the mask of real elements for calls of functions, which must not run on padding lanes;
   * NONE without calls.
   */
  private final int active;

  private final Map<Integer, Integer> uniform = new HashMap<>();
  private final Map<Integer, Integer> starts = new HashMap<>();
  private final Map<Integer, Integer> steps = new HashMap<>();

  /** Locals of the accumulator vectors by input slot; empty if they are updated in memory. */
  private final Map<Integer, int[]> accumulators = new HashMap<>();

  private VectorSegmentCode(
      CodeBuilder code, SegmentPlan plan, Segment segment, FunctionTable functions) {
    super(code, plan, segment, code.allocateLocal(TypeKind.INT));
    this.functions = functions;
    this.vectors = new VectorInstructions(code, segment.lanes());
    boolean calls =
        segment.rows().stream().anyMatch(row -> plan.tape().node(row) instanceof Node.Call);
    this.active = calls ? code.allocateLocal(TypeKind.REFERENCE) : VectorTapeCode.NONE;
  }

  static void write(CodeBuilder code, SegmentPlan plan, Segment segment, FunctionTable functions) {
    new VectorSegmentCode(code, plan, segment, functions).write();
  }

  private void write() {
    bases();
    forEachOutside(this::beforeLoop);
    int unrolled = plan.accumulatorVectors(segment);
    if (unrolled > 0) {
      startAccumulators(unrolled);
    }
    Label top = code.newLabel();
    Label end = code.newLabel();
    code.labelBinding(top).iload(index).iload(count).if_icmpge(end);
    for (int v = 0; v < Math.max(1, unrolled); v++) {
      step(v);
      code.iinc(index, segment.lanes());
    }
    code.goto_(top).labelBinding(end);
    storeAccumulators();
    code.return_();
  }

  private void beforeLoop(int row) {
    if (!(tape.node(row) instanceof Node.Input in)) {
      return;
    }
    ClassDesc vector = Descriptors.vector(in.type());
    switch (plan.access(in)) {
      case SCALAR -> {
        vectors.species(in.type());
        pushScalarInput(in.slot(), in.type());
        vectors.broadcast(in.type());
        uniform.put(row, storeReference());
      }
      case INDEX -> {
        pushIndexStart(in.slot());
        starts.put(row, storeLong());
        pushIndexStep(in.slot());
        steps.put(row, storeLong());
        vectors.constant(in.type(), 0);
        code.iconst_1()
            .invokevirtual(vector, "addIndex", MethodTypeDesc.of(vector, CD_int))
            .lload(steps.get(row));
        narrow(in.type());
        code.invokevirtual(
            vector, "mul", MethodTypeDesc.of(vector, Descriptors.primitive(in.type())));
        uniform.put(row, storeReference());
      }
      case UNIT, GATHERED, ACCUMULATE -> {}
    }
  }

  private void narrow(ScalarType type) {
    if (type == ScalarType.I32) {
      code.l2i();
    }
  }

  private int storeReference() {
    int local = code.allocateLocal(TypeKind.REFERENCE);
    code.astore(local);
    return local;
  }

  private int[] references(int unrolled) {
    int[] locals = new int[unrolled];
    Arrays.setAll(locals, _ -> code.allocateLocal(TypeKind.REFERENCE));
    return locals;
  }

  private int storeLong() {
    int local = code.allocateLocal(TypeKind.LONG);
    code.lstore(local);
    return local;
  }

  /**
   * Initializes accumulators: with constants at the start of a row that the strip folds, else from
   * memory.
   */
  private void startAccumulators(int unrolled) {
    AccumulatorFolds folding = plan.spec().folding();
    if (folding.none()) {
      loadAccumulators(unrolled);
      return;
    }
    Label load = code.newLabel();
    Label end = code.newLabel();
    code.iload(FROM);
    if (folding.perCall()) {
      code.iload(ROW).ior();
    }
    code.ifne(load);
    for (LaneFold fold : folding.folds()) {
      int[] locals = references(unrolled);
      for (int local : locals) {
        vectors.constant(new Node.Const(fold.type(), fold.identity()));
        code.astore(local);
      }
      accumulators.put(plan.spec().stores().get(fold.output()), locals);
    }
    code.goto_(end).labelBinding(load);
    loadAccumulators(unrolled);
    code.labelBinding(end);
  }

  private void loadAccumulators(int unrolled) {
    for (int k : segment.stores()) {
      int slot = plan.spec().stores().get(k);
      if (slot == StripSpec.STORE) {
        continue;
      }
      ScalarType type = tape.outputType(k);
      int[] locals = accumulators.computeIfAbsent(slot, _ -> references(unrolled));
      for (int v = 0; v < unrolled; v++) {
        vectors.load(type, accumulatorAddress(slot, type, v));
        code.astore(locals[v]);
      }
    }
  }

  private Runnable accumulatorAddress(int slot, ScalarType type, int v) {
    return () -> {
      pushPointerBase(slot);
      code.loadConstant((long) v * segment.lanes() * type.bytes()).ladd();
    };
  }

  private void storeAccumulators() {
    accumulators.forEach((slot, locals) -> {
      ScalarType type = plan.spec().inputType(slot);
      for (int v = 0; v < locals.length; v++) {
        code.aload(locals[v]);
        vectors.store(type, accumulatorAddress(slot, type, v));
      }
    });
  }

  /**
   * Generates the code of one vector of elements; {@code v} counts the vectors of an unrolled step.
   */
  private void step(int v) {
    newStep();
    var rows = rows();
    if (active != VectorTapeCode.NONE) {
      vectors.species(ScalarType.F32);
      code.iload(index)
          .iload(count)
          .invokeinterface(
              Descriptors.SPECIES,
              "indexInRange",
              MethodTypeDesc.of(Descriptors.MASK, CD_int, CD_int))
          .astore(active);
    }
    forEachOutside(row -> load(rows, row, v));
    for (int row : segment.rows()) {
      rows.compute(row);
      if (plan.slots().containsKey(row)) {
        pushValue(rows, row);
        vectors.store(Descriptors.memoryType(type(row)), () -> pushSlotAddress(row));
      }
    }
    for (int k : segment.stores()) {
      if (plan.spec().stores().get(k) == StripSpec.STORE) {
        int row = tape.outputs().get(k);
        pushValue(rows, row);
        vectors.store(type(row), () -> pushPointerAddress(plan.outputPointer(k), type(row)));
      }
    }
    updateAccumulators(rows, v);
  }

  private void updateAccumulators(VectorTapeCode rows, int v) {
    // All new values are pushed first, because an accumulator may take over the old value of
    // another one.
    var slots = segment.stores().stream().filter(k -> plan.spec().stores().get(k) >= 0).toList();
    if (!accumulators.isEmpty()) {
      slots.forEach(k -> rows.push(tape.outputs().get(k)));
      slots.reversed().forEach(k -> code.astore(accumulators.get(plan.spec().stores().get(k))[v]));
      return;
    }
    for (int k : slots) {
      ScalarType type = tape.outputType(k);
      int slot = plan.spec().stores().get(k);
      rows.push(tape.outputs().get(k));
      vectors.store(type, () -> pushAccumulatorAddress(slot, type));
    }
  }

  private void pushValue(VectorTapeCode rows, int row) {
    rows.push(row);
    if (type(row) == ScalarType.BOOL) {
      vectors.fromMask(rows.maskType(row), ScalarType.I32);
    }
  }

  private void load(VectorTapeCode rows, int row, int v) {
    if (!(tape.node(row) instanceof Node.Input in)) {
      ScalarType memory = Descriptors.memoryType(type(row));
      vectors.load(memory, () -> pushSlotAddress(row));
      if (type(row) == ScalarType.BOOL) {
        vectors.toMask(memory);
        rows.placeMask(row, storeReference(), memory);
      } else {
        rows.define(row);
      }
      return;
    }
    switch (plan.access(in)) {
      case SCALAR -> rows.place(row, uniform.get(row));
      case INDEX -> {
        vectors.species(in.type());
        code.lload(starts.get(row)).lload(steps.get(row));
        pushElement();
        code.lmul().ladd();
        narrow(in.type());
        vectors.broadcast(in.type());
        code.aload(uniform.get(row));
        ClassDesc vector = Descriptors.vector(in.type());
        code.invokevirtual(vector, "add", MethodTypeDesc.of(vector, Descriptors.VECTOR));
        rows.define(row);
      }
      case UNIT, GATHERED -> {
        vectors.load(in.type(), () -> pushPointerAddress(in.slot(), in.type()));
        rows.define(row);
      }
      case ACCUMULATE -> {
        if (accumulators.containsKey(in.slot())) {
          rows.place(row, accumulators.get(in.slot())[v]);
        } else {
          vectors.load(in.type(), () -> pushAccumulatorAddress(in.slot(), in.type()));
          rows.define(row);
        }
      }
    }
  }

  private VectorTapeCode rows() {
    return new VectorTapeCode(code, tape, functions, vectors, SCRATCH, active, ScalarType.F32);
  }
}
