package ristretto.notebook;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Javadoc of public methods and types, read from the sources of Ristretto. */
final class Comments {
  private static final int DEEPEST_SOURCE = 12;

  private final Path home;

  /**
   * Comments of the sources below a folder.
   *
   * @param home folder with the modules; one without sources has no comments
   */
  Comments(Path home) {
    this.home = home;
  }

  /** Text of the comments of all methods of a name, or of the type itself; empty if it has none. */
  String of(String type, String name) {
    try (Stream<Path> files =
        Files.find(home, DEEPEST_SOURCE, (file, _) -> isSource(file, type + ".java"))) {
      Set<String> texts = new LinkedHashSet<>();
      for (Path file : files.sorted().toList()) {
        read(file, name, texts);
      }
      return String.join("\n\n", texts);
    } catch (IOException e) {
      return "";
    }
  }

  private static boolean isSource(Path file, String name) {
    return file.endsWith(name) && file.toString().replace('\\', '/').contains("/src/main/java/");
  }

  private static void read(Path source, String name, Set<String> texts) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      var task =
          (JavacTask)
              compiler.getTask(
                  Writer.nullWriter(),
                  files,
                  _ -> {},
                  List.of("-proc:none"),
                  null,
                  files.getJavaFileObjects(source));
      var docs = DocTrees.instance(task);
      for (CompilationUnitTree unit : task.parse()) {
        new TreePathScanner<Void, Void>() {
          @Override
          public Void visitMethod(MethodTree method, Void none) {
            add(method.getName().contentEquals(name));
            return null;
          }

          @Override
          public Void visitClass(ClassTree type, Void none) {
            add(type.getSimpleName().contentEquals(name));
            return super.visitClass(type, none);
          }

          private void add(boolean isNamed) {
            DocCommentTree comment = isNamed ? docs.getDocCommentTree(getCurrentPath()) : null;
            if (comment != null) {
              texts.add(text(comment));
            }
          }
        }.scan(unit, null);
      }
    }
  }

  private static String text(DocCommentTree comment) {
    var text = new StringBuilder(plain(comment.getFullBody()));
    comment.getBlockTags().forEach(tag -> text.append('\n').append(plain(List.of(tag))));
    return text.toString();
  }

  private static String plain(List<?> parts) {
    return parts.stream()
        .map(Object::toString)
        .reduce("", String::concat)
        .replaceAll("\\s+", " ")
        .replaceAll("\\{@link(?:plain)? (?:[\\w.]*#)?([^ }(]+)(?:\\([^)]*\\))?( [^}]*)?\\}", "$1")
        .replaceAll("\\{@code ([^}]*)\\}", "$1")
        .replaceAll("^@param (<?\\w+>?) ", "$1: ")
        .replaceAll("^@(return|throws) ", "$1: ")
        .replaceAll("</?\\w+>", "")
        .strip();
  }
}
