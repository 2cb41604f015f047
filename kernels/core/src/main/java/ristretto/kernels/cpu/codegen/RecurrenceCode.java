package ristretto.kernels.cpu.codegen;

import static java.lang.classfile.ClassFile.ACC_PUBLIC;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.util.LinkedHashMap;
import java.util.Map;
import ristretto.kernels.KernelException;
import ristretto.kernels.cache.CacheCounters;
import ristretto.kernels.cache.KernelCache;
import ristretto.kernels.debug.Debug;
import ristretto.kernels.math.ExpandMath;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * Bytecode of a recurrence in one lane: a loop of scalar code with the states in local variables.
 */
public final class RecurrenceCode {
  private static final ClassDesc LOOP = ClassDesc.of(Loop.class.getName());

  private static final MethodTypeDesc RUN =
      MethodTypeDesc.of(CD_void, CD_long.arrayType(), CD_long.arrayType(), CD_int);

  // Parameters of run
  private static final int POINTERS = 1;
  private static final int STEPS = 2;
  private static final int N = 3;

  private static final KernelCache<Key, Loop> CACHE =
      new KernelCache<>(StripCache.CAPACITY, RecurrenceCode::features);

  private final Tape tape;
  private final int inputs;
  private final int states;
  private final FunctionTable functions;

  private RecurrenceCode(Tape tape, Key key, ClassDesc self) {
    this.tape = tape;
    this.inputs = key.inputs;
    this.states = key.states;
    this.functions = new FunctionTable(self);
  }

  /** Compiled loop over the steps of one lane. */
  public interface Loop {
    /**
     * Runs n steps.
     *
     * @param pointers addresses by input slot, of which the first are the initial states, then of
     *     the new states
     * @param steps bytes added to each pointer per step
     */
    void run(long[] pointers, long[] steps, int n);
  }

  private record Key(Tape tape, int inputs, int states) {}

  private static Map<String, String> features(Key key) {
    var features = new LinkedHashMap<String, String>();
    features.put("operations", key.tape.toString());
    features.put("states", key.states + "");
    return features;
  }

  /**
   * Returns the loop of a tape whose first input slots are the states.
   *
   * @param inputs number of input slots
   */
  public static Loop of(Tape tape, int inputs, int states, String name, CacheCounters counters) {
    return CACHE.get(new Key(tape, inputs, states), name, key -> compile(key, name), counters);
  }

  private static Loop compile(Key key, String name) {
    ClassDesc self =
        ClassDesc.of(
            "ristretto.kernels.cpu.codegen.Generated_" + name.replaceAll("[^A-Za-z0-9_]", "_"));
    var code = new RecurrenceCode(ExpandMath.apply(key.tape), key, self);
    byte[] bytes = GeneratedClass.write(self, LOOP, code::members);
    if (Debug.on(Debug.SOURCE, name)) {
      System.err.println("[code] " + name + "\n" + CodeListing.of(bytes).indent(2));
    }
    try {
      return (Loop)
          MethodHandles.lookup()
              .defineHiddenClass(bytes, true)
              .lookupClass()
              .getDeclaredConstructor()
              .newInstance();
    } catch (ReflectiveOperationException | LinkageError e) {
      throw new KernelException(
          "[kernel] generated code must compile; got "
              + e
              + " for kernel "
              + name
              + "; this is a bug of Ristretto, please report it",
          e);
    }
  }

  private void members(ClassBuilder builder) {
    builder.withMethodBody("run", RUN, ACC_PUBLIC, this::run);
    functions.define(builder);
  }

  private void run(CodeBuilder code) {
    var uses = new UseAnalysis(tape);
    int[] pointers = new int[inputs + states];
    int[] steps = new int[pointers.length];
    for (int k = 0; k < pointers.length; k++) {
      pointers[k] = element(code, POINTERS, k);
      steps[k] = element(code, STEPS, k);
    }
    int[] state = new int[states];
    for (int s = 0; s < states; s++) {
      ScalarType type = tape.outputType(s);
      state[s] = code.allocateLocal(Descriptors.kind(type));
      get(code, type, pointers[s]);
      code.storeLocal(Descriptors.kind(type), state[s]);
    }
    int i = code.allocateLocal(TypeKind.INT);
    Label loop = code.newLabel();
    Label end = code.newLabel();
    code.iconst_0().istore(i).labelBinding(loop).iload(i).iload(N).if_icmpge(end);
    var rows = new ScalarTapeCode(code, tape, functions);
    for (int row = 0; row < tape.size(); row++) {
      if (tape.node(row) instanceof Node.Input in) {
        if (in.slot() < states) {
          rows.place(row, state[in.slot()]);
        } else {
          get(code, in.type(), pointers[in.slot()]);
          rows.define(row);
        }
      } else if (uses.computed(row)) {
        rows.compute(row);
      }
    }
    for (int s = 0; s < states; s++) {
      code.getstatic(Descriptors.RAW, "ALL", Descriptors.SEGMENT);
      ScalarType type = tape.outputType(s);
      code.getstatic(Descriptors.RAW, type.name(), Descriptors.layout(type));
      code.lload(pointers[inputs + s]);
      rows.push(tape.outputs().get(s));
      code.invokeinterface(
          Descriptors.SEGMENT,
          "set",
          MethodTypeDesc.of(
              CD_void, Descriptors.layout(type), CD_long, Descriptors.primitive(type)));
    }
    // A new state may be another old state: all are read before any is written.
    for (int s = 0; s < states; s++) {
      rows.push(tape.outputs().get(s));
    }
    for (int s = states - 1; s >= 0; s--) {
      code.storeLocal(Descriptors.kind(tape.outputType(s)), state[s]);
    }
    for (int k = states; k < pointers.length; k++) {
      code.lload(pointers[k]).lload(steps[k]).ladd().lstore(pointers[k]);
    }
    code.iinc(i, 1).goto_(loop).labelBinding(end).return_();
  }

  private static int element(CodeBuilder code, int array, int k) {
    int local = code.allocateLocal(TypeKind.LONG);
    code.aload(array).loadConstant(k).laload().lstore(local);
    return local;
  }

  private static void get(CodeBuilder code, ScalarType type, int pointer) {
    code.getstatic(Descriptors.RAW, "ALL", Descriptors.SEGMENT);
    code.getstatic(Descriptors.RAW, type.name(), Descriptors.layout(type)).lload(pointer);
    code.invokeinterface(
        Descriptors.SEGMENT,
        "get",
        MethodTypeDesc.of(Descriptors.primitive(type), Descriptors.layout(type), CD_long));
  }
}
