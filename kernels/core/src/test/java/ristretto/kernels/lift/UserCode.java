package ristretto.kernels.lift;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.tools.ToolProvider;

/** Compiles user code as users do, for tests. */
final class UserCode {
  private UserCode() {}

  /** Compiles files given by name to {@code folder}. */
  static Path compile(Path folder, Map<String, String> files, String... options)
      throws IOException {
    Path sources = Files.createDirectories(folder.resolve("src"));
    Path classes = Files.createDirectories(folder.resolve("classes"));
    var arguments =
        new ArrayList<>(
            List.of("-d", classes.toString(), "-cp", System.getProperty("java.class.path")));
    arguments.addAll(List.of(options));
    for (Map.Entry<String, String> file : files.entrySet()) {
      Path source = sources.resolve(file.getKey());
      Files.createDirectories(source.getParent());
      Files.writeString(source, file.getValue());
      arguments.add(source.toString());
    }
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, arguments.toArray(String[]::new));
    if (status != 0) {
      throw new AssertionError("does not compile: " + files.keySet());
    }
    return classes;
  }

  /** A class loader that defines classes of {@code folder} and answers no request for resources. */
  static final class Secretive extends ClassLoader {
    private final Path folder;

    Secretive(Path folder) {
      super("secretive", Secretive.class.getClassLoader());
      this.folder = folder;
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      try {
        byte[] bytes = Files.readAllBytes(folder.resolve(name.replace('.', '/') + ".class"));
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }
}
