package ristretto.tornado;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import ristretto.kernels.device.TornadoSdk;
import ristretto.kernels.driver.DiskCache;
import ristretto.kernels.driver.DriverPrograms;
import ristretto.kernels.driver.SignalHandlers;
import ristretto.kernels.source.java.JavaDialect;
import ristretto.kernels.source.java.JavaProgram;
import uk.ac.manchester.tornado.api.KernelContext;

/** Compiled programs of one device. */
final class Programs extends DriverPrograms<Programs.Program> {
  private static final Map<Accelerator, Programs> ALL = new ConcurrentHashMap<>();

  /** Class path with TornadoVM's classes for javac. */
  static final String PATH =
      KernelContext.class.getProtectionDomain().getCodeSource().getLocation().getPath();

  private final Accelerator accelerator;

  /** Entry points of a program by name. */
  record Program(Map<String, Accelerator.Code> entries) {}

  private Programs(Accelerator accelerator) {
    super(new DiskCache("tornado", "java", TornadoSdk.VERSION), "Java");
    this.accelerator = accelerator;
  }

  /** Returns the programs of the device, which all its openers share. */
  static Programs of(Accelerator accelerator) {
    return ALL.computeIfAbsent(accelerator, Programs::new);
  }

  private static final class Loader extends ClassLoader {
    private final Class<?> program;

    Loader(byte[] code) {
      super(KernelContext.class.getClassLoader());
      program = defineClass(JavaDialect.CLASS, code, 0, code.length);
    }
  }

  @Override
  protected Program compile(String source, String name) {
    byte[] code = disk.load(source);
    if (code == null) {
      code = JavaProgram.compile(source, PATH);
      disk.store(source, code);
    }
    var entries = new HashMap<String, Accelerator.Code>();
    for (Method method : new Loader(code).program.getDeclaredMethods()) {
      if (java.lang.reflect.Modifier.isPublic(method.getModifiers())) {
        entries.put(method.getName(), compile(method, source, name));
      }
    }
    return new Program(entries);
  }

  /** Compiles an entry point; reports any exception of TornadoVM as a failed compilation. */
  private Accelerator.Code compile(Method method, String source, String name) {
    try {
      return SignalHandlers.keep(() -> accelerator.compile(method));
    } catch (RuntimeException | Error e) {
      String log = method.getName() + ": " + Log.of(e);
      throw rejected(source, name, log, e);
    }
  }
}
