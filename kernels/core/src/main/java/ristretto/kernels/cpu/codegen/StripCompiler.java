package ristretto.kernels.cpu.codegen;

import java.io.IOException;
import java.lang.constant.ClassDesc;
import java.lang.invoke.MethodHandles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import ristretto.kernels.KernelException;
import ristretto.kernels.cpu.runtime.VectorHardware;
import ristretto.kernels.cpu.strip.Strip;
import ristretto.kernels.cpu.strip.StripSpec;
import ristretto.kernels.cpu.strip.TieredStrip;
import ristretto.kernels.debug.Debug;
import ristretto.kernels.debug.Passes;
import ristretto.kernels.debug.Warnings;
import ristretto.kernels.device.Choice;
import ristretto.kernels.math.ExpandMath;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.Tape;

/**
 * Compiler of strips: expands the tape, plans its segments and defines the generated code as hidden
 * classes.
 *
 * <p>{@code -Dristretto.cpu.code=scalar} or {@code =vector} selects one kind of code from the first
 * call on, for tests and benchmarks; the default is {@link TieredStrip}.
 */
final class StripCompiler {
  private static final String CODE = Choice.of("ristretto.cpu.code", "tiered", "scalar", "vector");
  private static final AtomicBoolean SAID = new AtomicBoolean();

  private StripCompiler() {}

  /**
   * Compiles a strip.
   *
   * @param name label of the kernel for messages, dumps and stack traces; not part of a key
   */
  static Strip compile(StripSpec spec, String name) {
    if (!VectorHardware.PRESENT && !CODE.equals("scalar") && SAID.compareAndSet(false, true)) {
      Warnings.warn(
          "ristretto.cpu",
          "[cpu] vector code needs the module jdk.incubator.vector; got none, so kernels run as"
              + " scalar code, several times slower; start Java with --add-modules"
              + " jdk.incubator.vector");
    }
    if (!VectorHardware.PRESENT || CODE.equals("scalar")) {
      return compile(spec, name, false);
    }
    if (CODE.equals("vector")) {
      return compile(spec, name, true);
    }
    Tape tape = expand(spec, name);
    if (!FusedMultiplyAdd.IN_HARDWARE && tape.nodes().stream().anyMatch(StripCompiler::mayFuse)) {
      // Without the instruction, the Vector API calls Math.fma for each lane.
      return define(plan(spec, tape, name, false), name);
    }
    SegmentPlan scalar = plan(spec, tape, name, false);
    SegmentPlan vector = plan(spec, tape, name, true);
    return new TieredStrip(
        name,
        spec,
        define(scalar, name),
        Math.max(scalar.scratchBytes(), vector.scratchBytes()),
        () -> define(vector, name));
  }

  private static boolean mayFuse(Node node) {
    return node instanceof Node.Call || node instanceof Node.Apply n && n.op() == Op.FMA;
  }

  /** Compiles only the scalar or only the vector code; both compute the same bits. */
  static Strip compile(StripSpec spec, String name, boolean vector) {
    return define(plan(spec, expand(spec, name), name, vector), name);
  }

  private static Tape expand(StripSpec spec, String name) {
    long start = System.nanoTime();
    Tape tape = ExpandMath.apply(spec.tape());
    Passes.done(name, "ExpandMath", start, spec.tape(), tape);
    if (Debug.dumping(name)) {
      Debug.dump(name, name + ".tape", tape.toString().getBytes(StandardCharsets.UTF_8));
    }
    return tape;
  }

  private static SegmentPlan plan(StripSpec spec, Tape tape, String name, boolean vector) {
    long start = System.nanoTime();
    SegmentPlan plan = PlanSegments.apply(spec, tape, vector);
    Passes.done(name, "PlanSegments", start, tape, plan);
    return plan;
  }

  private static Strip define(SegmentPlan plan, String name) {
    try {
      String label = name + (plan.vector() ? "_vector" : "_scalar");
      long start = System.nanoTime();
      ArrayLayout layout = plan.vector() ? null : ArrayLayout.of(plan);
      ClassDesc named =
          ClassDesc.of(
              "ristretto.kernels.cpu.codegen.Generated_" + label.replaceAll("[^A-Za-z0-9_]", "_"));
      byte[] bytes =
          layout == null
              ? StripClass.write(plan, named)
              : ArrayStripClass.write(plan, layout, named);
      Passes.timed(name, "StripClass", start);
      Debug.dump(name, label + ".class", bytes);
      if (Debug.on(Debug.SOURCE, name)) {
        System.err.println("[code] " + label + "\n" + CodeListing.of(bytes).indent(2));
      }
      start = System.nanoTime();
      Object code =
          MethodHandles.lookup()
              .defineHiddenClass(bytes, true)
              .lookupClass()
              .getDeclaredConstructor()
              .newInstance();
      Passes.timed(name, "defineHiddenClass", start);
      return layout == null ? (Strip) code : new ArrayStrip(plan, layout, (ArrayCode) code);
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      throw new KernelException(
          "[kernel] generated code must compile; got "
              + e
              + " for kernel "
              + name
              + ", source saved as "
              + save(name, plan.tape())
              + "; this is a bug of Ristretto, please report it with that file",
          e);
    }
  }

  /** Saves the expanded tape, which is the source of the generated code; returns the path. */
  private static String save(String name, Tape tape) {
    try {
      Path file = Files.createTempFile(name.replaceAll("[^A-Za-z0-9_]", "_") + "_", ".tape");
      Files.writeString(file, tape.toString());
      return file.toString();
    } catch (IOException e) {
      return "nothing (" + e.getMessage() + ")";
    }
  }
}
