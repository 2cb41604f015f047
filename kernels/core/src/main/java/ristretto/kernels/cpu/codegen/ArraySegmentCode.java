package ristretto.kernels.cpu.codegen;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.MethodTypeDesc;
import java.util.HashMap;
import java.util.Map;
import ristretto.kernels.cpu.strip.StripSpec;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * Bytecode of a segment as a loop of scalar code over Java arrays: {@code static void (Object[]
 * arrays, int n)}. Accumulators stay in their array; consecutive elements use different lanes.
 */
final class ArraySegmentCode {
  static final MethodTypeDesc DESCRIPTOR =
      MethodTypeDesc.of(CD_void, CD_Object.arrayType(), CD_int);

  private static final int ARRAYS = 0;
  private static final int COUNT = 1;

  private final CodeBuilder code;
  private final SegmentPlan plan;
  private final ArrayLayout layout;
  private final Segment segment;
  private final FunctionTable functions;
  private final Tape tape;
  private final int index;

  /**
   * Locals of arrays by number. Below: locals of SCALAR values and INDEX starts, and of INDEX
   * steps, by row.
   */
  private final Map<Integer, Integer> arrays = new HashMap<>();

  private final Map<Integer, Integer> uniform = new HashMap<>();
  private final Map<Integer, Integer> steps = new HashMap<>();

  private ArraySegmentCode(
      CodeBuilder code,
      SegmentPlan plan,
      ArrayLayout layout,
      Segment segment,
      FunctionTable functions) {
    this.code = code;
    this.plan = plan;
    this.layout = layout;
    this.segment = segment;
    this.functions = functions;
    this.tape = plan.tape();
    this.index = code.allocateLocal(TypeKind.INT);
  }

  static void write(
      CodeBuilder code,
      SegmentPlan plan,
      ArrayLayout layout,
      Segment segment,
      FunctionTable functions) {
    new ArraySegmentCode(code, plan, layout, segment, functions).write();
  }

  private void write() {
    plan.forEachOutside(segment, this::beforeLoop);
    segment.rows().stream()
        .filter(layout.crossing()::containsKey)
        .forEach(row -> fetch(layout.crossing().get(row)));
    segment.stores().forEach(k -> fetch(target(k)));
    Label top = code.newLabel();
    Label end = code.newLabel();
    code.iconst_0().istore(index).labelBinding(top).iload(index).iload(COUNT).if_icmpge(end);
    step();
    code.iinc(index, 1).goto_(top).labelBinding(end).return_();
  }

  /** Returns the array of tape output {@code k}. */
  private int target(int k) {
    int slot = plan.spec().stores().get(k);
    return slot == StripSpec.STORE ? plan.outputPointer(k) : slot;
  }

  private void beforeLoop(int row) {
    int array = array(row);
    fetch(array);
    if (!(tape.node(row) instanceof Node.Input in)) {
      return;
    }
    switch (plan.access(in)) {
      case SCALAR -> uniform.put(row, element(array, 0));
      case INDEX -> {
        uniform.put(row, element(array, 0));
        steps.put(row, element(array, 1));
      }
      case UNIT, GATHERED, ACCUMULATE -> {}
    }
  }

  private int array(int row) {
    return tape.node(row) instanceof Node.Input in ? in.slot() : layout.crossing().get(row);
  }

  private void fetch(int array) {
    if (!arrays.containsKey(array)) {
      int local = code.allocateLocal(TypeKind.REFERENCE);
      code.aload(ARRAYS)
          .loadConstant(array)
          .aaload()
          .checkcast(Descriptors.primitive(layout.types().get(array)).arrayType())
          .astore(local);
      arrays.put(array, local);
    }
  }

  /** Loads element {@code j} of an array into a new local. */
  private int element(int array, int j) {
    TypeKind kind = Descriptors.kind(layout.types().get(array));
    int local = code.allocateLocal(kind);
    code.aload(arrays.get(array)).loadConstant(j).arrayLoad(kind).storeLocal(kind, local);
    return local;
  }

  private void step() {
    var rows = new ScalarTapeCode(code, tape, functions);
    plan.forEachOutside(segment, row -> load(rows, row));
    for (int row : segment.rows()) {
      rows.compute(row);
      Integer array = layout.crossing().get(row);
      if (array != null) {
        store(rows, row, array, false);
      }
    }
    for (int k : segment.stores()) {
      boolean lane = plan.spec().stores().get(k) != StripSpec.STORE;
      store(rows, tape.outputs().get(k), target(k), lane);
    }
  }

  private void store(ScalarTapeCode rows, int row, int array, boolean lane) {
    code.aload(arrays.get(array));
    pushIndex(lane);
    rows.push(row);
    code.arrayStore(Descriptors.kind(layout.types().get(array)));
  }

  private void load(ScalarTapeCode rows, int row) {
    int array = array(row);
    StripSpec.Access access =
        tape.node(row) instanceof Node.Input in ? plan.access(in) : StripSpec.Access.UNIT;
    switch (access) {
      case SCALAR -> rows.place(row, uniform.get(row));
      case INDEX -> {
        code.lload(uniform.get(row)).lload(steps.get(row)).iload(index).i2l().lmul().ladd();
        if (tape.node(row).type() == ScalarType.I32) {
          code.l2i();
        }
        rows.define(row);
      }
      case UNIT, GATHERED, ACCUMULATE -> {
        code.aload(arrays.get(array));
        pushIndex(access == StripSpec.Access.ACCUMULATE);
        code.arrayLoad(Descriptors.kind(layout.types().get(array)));
        rows.define(row);
      }
    }
  }

  private void pushIndex(boolean lane) {
    code.iload(index);
    if (lane) {
      code.loadConstant(plan.spec().lanes() - 1).iand();
    }
  }
}
