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
 * Compiled programs of one device, by their source. They live as long as the process: a device that
 * is opened again starts with warm code.
 */
final class Programs {
  /** Programs kept; TornadoVM itself keeps what it compiled. */
  private static final int CAPACITY = 2048;

  private static final Map<Accelerator, Programs> ALL = new ConcurrentHashMap<>();

  /** Where javac finds TornadoVM's classes. */
  static final String PATH =
      KernelContext.class.getProtectionDomain().getCodeSource().getLocation().getPath();

  private final Accelerator accelerator;
  private final DiskCache disk = new DiskCache("tornado", "java", TornadoSdk.VERSION);
  private final KernelCache<Key, Program> cache = new KernelCache<>(CAPACITY, Key::features);

  /**
   * @param features by which a miss is explained
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

  /** A program's entry points. */
  record Program(Map<String, Accelerator.Code> entries) {}

  private Programs(Accelerator accelerator) {
    this.accelerator = accelerator;
  }

  /** Those of the device, whoever opened it first. */
  static Programs of(Accelerator accelerator) {
    return ALL.computeIfAbsent(accelerator, Programs::new);
  }

  /**
   * The program of {@code key}, compiled now if need be.
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

  /** Whatever TornadoVM throws, it says of the code. */
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
