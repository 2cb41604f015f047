package ristretto.kernels.cpu;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import ristretto.kernels.KernelException;
import ristretto.kernels.debug.Debug;
import ristretto.kernels.scalar.Tape;

/**
 * Compiles strips: expands the tape, plans its segments and defines the generated code as hidden
 * classes.
 */
final class StripCompiler {
  private StripCompiler() {}

  /**
   * @param name label of the kernel for messages, dumps and stack traces; no key
   */
  static Strip compile(StripSpec spec, String name) {
    Tape tape = expand(spec, name);
    Strip scalar = define(spec, tape, name, false);
    if (!VectorHardware.PRESENT) {
      return scalar;
    }
    return define(spec, tape, name, true);
  }

  /** The scalar or the vector kernel alone; both compute the same bits. */
  static Strip compile(StripSpec spec, String name, boolean vector) {
    return define(spec, expand(spec, name), name, vector);
  }

  private static Tape expand(StripSpec spec, String name) {
    Tape tape = ExpandMath.apply(spec.tape());
    if (Debug.on(Debug.SOURCE, name)) {
      Debug.log(Debug.SOURCE, () -> name + ", expanded:\n" + tape);
    }
    Debug.dump(name, "tape", tape.toString().getBytes(StandardCharsets.UTF_8));
    return tape;
  }

  private static Strip define(StripSpec spec, Tape tape, String name, boolean vector) {
    try {
      String label = name + (vector ? "_vector" : "_scalar");
      byte[] bytes = StripClass.write(PlanSegments.apply(spec, tape, vector), label);
      Debug.dump(label, "class", bytes);
      return (Strip)
          MethodHandles.lookup()
              .defineHiddenClass(bytes, true)
              .lookupClass()
              .getDeclaredConstructor()
              .newInstance();
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      throw new KernelException(
          "[kernel] generated code must compile; got "
              + e
              + " for kernel "
              + name
              + ", source saved as "
              + save(name, tape)
              + "; this is a bug of Ristretto, please report it with that file",
          e);
    }
  }

  /** The expanded tape is the source of generated code. */
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
