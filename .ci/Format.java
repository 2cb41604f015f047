import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// Checks that every Java source is formatted with google-java-format, or formats them.
///
/// The build starts this under the selected JDK, because Maven's own JVM may be too old to parse
/// the sources. Usage: `java -cp 'FORMATTER_JARS/*' Format.java check|fix|report ROOT`
public final class Format {
  private static final Set<String> SKIPPED_FOLDERS = Set.of("target", ".git", ".cache", ".idea");

  private Format() {}

  /// Exits with 1 when a file is not formatted (`check`) or cannot be parsed.
  ///
  /// @param args `check`, `fix` or `report` (like `check`, exit code 0), and the folder to search
  /// @throws IOException when the folder cannot be read
  public static void main(String[] args) throws IOException {
    boolean fix = args[0].equals("fix");
    Path root = Path.of(args[1]).toRealPath();
    List<String> complaints =
        sources(root).parallelStream().flatMap(file -> format(root, file, fix)).sorted().toList();
    if (complaints.isEmpty()) {
      return;
    }
    complaints.forEach(System.err::println);
    if (!fix) {
      System.err.println("To format the sources: mvn -q -N -Pformat validate");
    }
    if (!args[0].equals("report")) {
      System.exit(1);
    }
  }

  private static List<Path> sources(Path root) throws IOException {
    try (Stream<Path> files =
        Files.find(root, 32, (file, attributes) -> attributes.isRegularFile())) {
      return files.filter(file -> isSource(root.relativize(file))).toList();
    }
  }

  private static boolean isSource(Path file) {
    if (!file.toString().endsWith(".java")) {
      return false;
    }
    for (Path part : file) {
      if (SKIPPED_FOLDERS.contains(part.toString())) {
        return false;
      }
    }
    return true;
  }

  private static Stream<String> format(Path root, Path file, boolean fix) {
    Path shown = root.relativize(file);
    try {
      String before = Files.readString(file);
      // Scripts keep their imports as written: a script starts with its modules.
      String after =
          before.contains("import module ")
              ? new Formatter().formatSource(before)
              : new Formatter().formatSourceAndFixImports(before);
      if (before.equals(after)) {
        return Stream.empty();
      }
      if (fix) {
        Files.writeString(file, after);
        return Stream.empty();
      }
      return Stream.of("[format] not formatted: " + shown + ":" + firstDifference(before, after));
    } catch (FormatterException e) {
      return e.diagnostics().stream()
          .map(d -> "[format] cannot parse: " + shown + ":" + d.line() + ": " + d.message());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int firstDifference(String before, String after) {
    List<String> left = before.lines().toList();
    List<String> right = after.lines().toList();
    int line = 0;
    while (line < left.size() && line < right.size() && left.get(line).equals(right.get(line))) {
      line++;
    }
    return line + 1;
  }
}
