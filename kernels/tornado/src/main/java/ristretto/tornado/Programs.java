package ristretto.tornado;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import ristretto.kernels.KernelException;
import ristretto.kernels.cache.CacheCounters;
import ristretto.kernels.cache.KernelCache;
import ristretto.kernels.device.TornadoSdk;
import ristretto.kernels.driver.BuildMessage;
import ristretto.kernels.driver.DiskCache;
import ristretto.kernels.source.JavaDialect;
import ristretto.kernels.source.JavaProgram;
import uk.ac.manchester.tornado.api.KernelContext;

/**
 * Cache of one device's compiled programs by source text. Programs stay until the process ends, so
 * a device that is opened again starts with warm code.
 */
final class Programs {
  /** Maximum number of cached programs; TornadoVM keeps all code that it compiled. */
  private static final int CAPACITY = 2048;

  private static final Map<Accelerator, Programs> ALL = new ConcurrentHashMap<>();

  /** Class path with TornadoVM's classes for javac. */
  static final String PATH =
      KernelContext.class.getProtectionDomain().getCodeSource().getLocation().getPath();

  private final Accelerator accelerator;
  private final DiskCache disk = new DiskCache("tornado", "java", TornadoSdk.VERSION);
  private final KernelCache<Key, Program> cache = new KernelCache<>(CAPACITY, Key::features);

  /**
   * Cache key of a program.
   *
   * @param source program text
   * @param features properties that explain a cache miss
   */
  record Key(String source, Map<String, String> features) {
    @Override
    public boolean equals(Object o) {
      return o instanceof Key k && source.equals(k.source);
    }

    @Override
    public int hashCode() {
      return source.hashCode();
    }
  }

  /** Entry points of a program by name. */
  record Program(Map<String, Accelerator.Code> entries) {}

  private Programs(Accelerator accelerator) {
    this.accelerator = accelerator;
  }

  /** Returns the programs of the device, which all its openers share. */
  static Programs of(Accelerator accelerator) {
    return ALL.computeIfAbsent(accelerator, Programs::new);
  }

  /**
   * Returns the program of {@code key}; compiles it on a cache miss.
   *
   * @param name label of the kernel
   */
  Program get(Key key, String name, CacheCounters counters) {
    return cache.get(key, name, k -> compile(k.source, name), counters);
  }

  boolean contains(Key key) {
    return cache.contains(key);
  }

  private static final class Loader extends ClassLoader {
    private final Class<?> program;

    Loader(byte[] code) {
      super(KernelContext.class.getClassLoader());
      program = defineClass(JavaDialect.CLASS, code, 0, code.length);
    }
  }

  private Program compile(String source, String name) {
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
      return accelerator.compile(method);
    } catch (RuntimeException | Error e) {
      String log = method.getName() + ": " + Log.of(e);
      throw new KernelException(
          BuildMessage.of(name, "Java", source, log, disk.keepFailed(source)), e);
    }
  }
}
