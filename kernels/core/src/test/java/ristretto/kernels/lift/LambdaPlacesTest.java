package ristretto.kernels.lift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import jdk.jshell.JShell;
import jdk.jshell.Snippet;
import jdk.jshell.SnippetEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.kernels.LambdaException;
import ristretto.kernels.lambda.FloatLambda;
import ristretto.kernels.lambda.Lambda;
import ristretto.kernels.scalar.TapeInterpreter;

/** Lambdas can be lifted wherever they are written. */
class LambdaPlacesTest {
  private static final String USER =
      """
      package user;

      import ristretto.kernels.lambda.FloatLambda;

      public class User {
        private static final float CLOSED = Float.parseFloat("3");
        public static final float OPEN = Float.parseFloat("3");

        private static float thrice(float v) {
          return 3 * v;
        }

        public static FloatLambda.ToFloat1 lambda(float k, int j) {
          return v -> thrice(v) * k + Helper.more(v) + j;
        }

        public static FloatLambda.ToFloat1 closed() {
          return v -> v * CLOSED;
        }

        public static FloatLambda.ToFloat1 text() {
          return v -> ("v" + v).length();
        }

        public static FloatLambda.ToFloat1 open() {
          return v -> v * OPEN;
        }

        private static class Helper {
          static float more(float v) {
            return v + 1;
          }
        }
      }
      """;

  @TempDir Path folder;

  private static Lambda lambda(ClassLoader loader, String method, Object... arguments)
      throws Exception {
    for (var candidate : loader.loadClass("user.User").getMethods()) {
      if (candidate.getName().equals(method)) {
        return (Lambda) candidate.invoke(null, arguments);
      }
    }
    throw new AssertionError(method);
  }

  /** {@code User.lambda}, made with two pairs of captured values. */
  private static void checkLambda(ClassLoader loader) throws Exception {
    for (int k = 1; k < 3; k++) {
      Lambda lambda = lambda(loader, "lambda", k + 0.5f, -k);
      LiftedLambda lifted = Lifter.lift(lambda);
      long[] bits = lifted.capturedBits(lambda);
      assertThat(bits).containsExactly(Float.floatToRawIntBits(k + 0.5f), -k);
      assertThat(lifted.description()).isEqualTo("the lambda in user.User.lambda (User.java:14)");
      Object[] inputs = {2f, k + 0.5f, -k};
      var interpreter = new TapeInterpreter(lifted.tape(), TapeInterpreter.Arithmetic.TYPED);
      assertThat(interpreter.output(0, slot -> inputs[slot]))
          .isEqualTo(((FloatLambda.ToFloat1) lambda).apply(2f));
    }
  }

  @Test
  void inAJar() throws Exception {
    Path classes = UserCode.compile(folder, Map.of("user/User.java", USER));
    Path jar = folder.resolve("user.jar");
    try (var out = new JarOutputStream(Files.newOutputStream(jar));
        var files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        out.putNextEntry(new ZipEntry(classes.relativize(file).toString().replace('\\', '/')));
        Files.copy(file, out);
      }
    }
    try (var loader =
        new URLClassLoader(new URL[] {jar.toUri().toURL()}, getClass().getClassLoader())) {
      checkLambda(loader);
    }
  }

  private ClassLoader closedModule() throws IOException {
    Path classes =
        UserCode.compile(
            folder,
            Map.of("user/User.java", USER, "module-info.java", "module user { exports user; }"),
            "--add-reads",
            "user=ALL-UNNAMED");
    ModuleLayer boot = ModuleLayer.boot();
    Configuration configuration =
        boot.configuration().resolve(ModuleFinder.of(classes), ModuleFinder.of(), Set.of("user"));
    ModuleLayer.Controller controller =
        ModuleLayer.defineModulesWithOneLoader(
            configuration, List.of(boot), getClass().getClassLoader());
    Module module = controller.layer().findModule("user").orElseThrow();
    controller.addReads(module, getClass().getClassLoader().getUnnamedModule());
    return module.getClassLoader();
  }

  @Test
  void inAModuleThatDoesNotOpenItsPackage() throws Exception {
    ClassLoader loader = closedModule();
    checkLambda(loader);
    assertThat(Lifter.lift(lambda(loader, "open")).tape().toString()).contains("const 3.0");
  }

  @Test
  void closedConstant() throws Exception {
    Lambda lambda = lambda(closedModule(), "closed");
    assertThatThrownBy(() -> Lifter.lift(lambda))
        .isInstanceOf(LambdaException.class)
        .hasMessage(
            "[lambda] a static final field must be accessible to ristretto.kernels; got a read of"
                + " user.User.CLOSED, whose package the module user does not open, in the lambda in"
                + " user.User.closed (User.java:18); open the package to ristretto.kernels, or copy"
                + " the field to a local variable before the lambda");
  }

  @Test
  void loaderWithoutResources() throws Exception {
    Path classes = UserCode.compile(folder, Map.of("user/User.java", USER));
    Lambda lambda = lambda(new UserCode.Secretive(classes), "open");
    assertThatThrownBy(() -> Lifter.lift(lambda))
        .isInstanceOf(LambdaException.class)
        .hasMessage(
            "[lambda] the class files of a lambda and of the methods it calls must be readable; got"
                + " no resource user/User.class from the loader of the class user.User in"
                + " user.User; load the class with a class loader that supports"
                + " getResourceAsStream");
  }

  /** Compiled here, because javac has more than one way to write it. */
  @Test
  void stringConcatenation() throws Exception {
    Path classes = UserCode.compile(folder, Map.of("user/User.java", USER));
    try (var loader =
        new URLClassLoader(new URL[] {classes.toUri().toURL()}, getClass().getClassLoader())) {
      Lambda lambda = lambda(loader, "text");
      assertThatThrownBy(() -> Lifter.lift(lambda))
          .isInstanceOf(LambdaException.class)
          .hasMessage(
              "[lambda] a lambda may not use objects; got a string concatenation in the lambda in"
                  + " user.User.text (User.java:22); compute with primitives");
    }
  }

  @Test
  void missingClass() throws Exception {
    Path classes = UserCode.compile(folder, Map.of("user/User.java", USER));
    Files.delete(classes.resolve("user/User$Helper.class"));
    try (var loader =
        new URLClassLoader(new URL[] {classes.toUri().toURL()}, getClass().getClassLoader())) {
      Lambda lambda = lambda(loader, "lambda", 1f, 2);
      assertThatThrownBy(() -> Lifter.lift(lambda))
          .isInstanceOf(LambdaException.class)
          .hasMessage(
              "[lambda] a class that a lambda uses must be present; got no class user.User$Helper"
                  + " in the lambda in user.User.lambda (User.java:14); add it to the class path");
    }
  }

  @Test
  void inAScript() throws Exception {
    Path script = folder.resolve("Script.java");
    Files.writeString(
        script,
        """
        import ristretto.kernels.lambda.*;
        import ristretto.kernels.lift.Lifter;

        static final float SCALE = Float.parseFloat("3");

        static float scaled(float v) {
          return v * SCALE;
        }

        void main() {
          float k = 2;
          FloatLambda.ToFloat1 lambda = v -> scaled(v) + k;
          var lifted = Lifter.lift(lambda);
          IO.println(lifted.description());
          IO.print(lifted.tape());
          IO.println(lifted.capturedBits(lambda)[0]);
        }
        """);
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    Process process =
        new ProcessBuilder(
                java.toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                script.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes());
    assertThat(output)
        .isEqualToNormalizingNewlines(
            """
            the lambda in Script.main (Script.java:12)
            %0 f32 = input 1
            %1 f32 = input 0
            %2 f32 = const 3.0
            %3 f32 = mul %1 %2
            %4 f32 = add %0 %3
            outputs %4
            1073741824
            """);
  }

  @Test
  void inJShell() {
    try (JShell shell = JShell.builder().executionEngine("local").build()) {
      shell.addToClasspath(System.getProperty("java.class.path"));
      evaluate(shell, "import ristretto.kernels.lambda.*;");
      evaluate(shell, "import ristretto.kernels.lift.Lifter;");
      evaluate(shell, "float scaled(float v) { return v * 3; }");
      evaluate(shell, "float rate = 2;");
      evaluate(
          shell,
          "String lift(float k) { return Lifter.lift((FloatLambda.ToFloat1) v -> scaled(v) * rate -"
              + " k).tape().toString(); }");
      assertThat(evaluate(shell, "lift(1)"))
          .contains("const 3.0")
          .contains("const 2.0")
          .contains("input 1");
      // Redefined methods and variables count at the next use.
      evaluate(shell, "float scaled(float v) { return v * 5; }");
      evaluate(shell, "rate = 7");
      assertThat(evaluate(shell, "lift(1)"))
          .contains("const 5.0")
          .contains("const 7.0")
          .doesNotContain("3.0");
    }
  }

  private static String evaluate(JShell shell, String code) {
    var value = new ArrayList<String>();
    for (SnippetEvent event : shell.eval(code)) {
      assertThat(event.exception()).as(code).isNull();
      assertThat(event.status()).as(code).isNotEqualTo(Snippet.Status.REJECTED);
      value.add(event.value());
    }
    return value.toString();
  }
}
