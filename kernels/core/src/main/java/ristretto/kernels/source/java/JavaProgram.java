package ristretto.kernels.source.java;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.util.List;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import ristretto.kernels.DeviceException;
import ristretto.kernels.KernelException;

/** In-memory compiler for programs of the {@link JavaDialect}. */
public final class JavaProgram {
  private JavaProgram() {}

  /**
   * Compiles a program to a class file with the names of local variables.
   *
   * @param path class path of the classes that the program uses, as for {@code -classpath}
   */
  public static byte[] compile(String source, String path) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    if (compiler == null) {
      throw new DeviceException(
          "[compile] kernels in Java need the Java compiler; got a runtime without one; run with a"
              + " JDK");
    }
    var bytes = new ByteArrayOutputStream();
    var log = new StringWriter();
    try (var files = compiler.getStandardFileManager(null, null, null);
        var memory = new Files(files, bytes)) {
      boolean done =
          compiler
              .getTask(
                  log,
                  memory,
                  null,
                  List.of("-g", "-proc:none", "-nowarn", "-Xlint:none", "-classpath", path),
                  null,
                  List.of(new Source(source)))
              .call();
      if (!done) {
        throw new KernelException(
            "[compile] rendered code must compile; javac reports\n"
                + log
                + "this is a bug of Ristretto, please report it\n"
                + source);
      }
      return bytes.toByteArray();
    } catch (java.io.IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String text) {
      super(URI.create("memory:///" + JavaDialect.CLASS + ".java"), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  private static final class Files extends ForwardingJavaFileManager<StandardJavaFileManager> {
    private final ByteArrayOutputStream bytes;

    Files(StandardJavaFileManager files, ByteArrayOutputStream bytes) {
      super(files);
      this.bytes = bytes;
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
        Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
      return new SimpleJavaFileObject(URI.create("memory:///" + name + ".class"), kind) {
        @Override
        public OutputStream openOutputStream() {
          return bytes;
        }
      };
    }
  }
}
