package ristretto.notebook;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jshell.SourceCodeAnalysis;
import jdk.jshell.SourceCodeAnalysis.Documentation;
import jdk.jshell.SourceCodeAnalysis.Suggestion;
import org.dflib.jjava.jupyter.kernel.ReplacementOptions;

/** Completion of names, and help: signatures, javadoc, and the entry of the reference. */
final class Help {
  private static final int MOST_SIGNATURES = 12;

  /** Type and name of a member in a signature. */
  private static final Pattern MEMBER = Pattern.compile("(\\w+)\\.(?:<[^(]*>)?\\w+\\(");

  private final Cells cells;
  private final Path reference;
  private final Comments comments;

  /**
   * Creates help for cells.
   *
   * @param reference folder of the pages of the reference, {@code docs/reference} of a folder with
   *     the sources
   */
  Help(Cells cells, Path reference) {
    this.cells = cells;
    this.reference = reference;
    this.comments = new Comments(reference.toAbsolutePath().resolve("../..").normalize());
  }

  ReplacementOptions complete(String cell, int at) {
    SourceCodeAnalysis analysis = cells.analysis();
    int begin = cells.snippetStart(cell, at);
    int[] anchor = {0};
    List<Suggestion> all =
        analysis.completionSuggestions(cell.substring(begin, at), at - begin, anchor);
    Set<String> names =
        all.stream()
            .sorted((a, b) -> Boolean.compare(b.matchesType(), a.matchesType()))
            .map(Suggestion::continuation)
            .collect(Collectors.toCollection(LinkedHashSet::new));
    return new ReplacementOptions(List.copyOf(names), begin + anchor[0], at);
  }

  /** Text about the call or the name at a position; empty if there is none. */
  String about(String cell, int at) {
    int end = at;
    while (end < cell.length() && Character.isJavaIdentifierPart(cell.charAt(end))) {
      end++;
    }
    int begin = cells.snippetStart(cell, end);
    String code = cell.substring(begin, end);
    String name = name(code);
    // Signatures are known within the brackets of a call.
    String call = code.endsWith(name) && !name.isEmpty() ? code + "(" : code;
    String function = name.isEmpty() ? called(code) : name;
    // Names of parameters are known for some of the same signatures.
    Map<String, String> all = new LinkedHashMap<>();
    Set<String> types = new LinkedHashSet<>();
    for (String text : List.of(call, "Ops." + function + "(", "Layers." + function + "(")) {
      for (Documentation found : cells.analysis().documentation(text, text.length(), false)) {
        Matcher member = MEMBER.matcher(found.signature());
        if (member.find()) {
          types.add(member.group(1));
        }
        String signature = found.signature().replaceFirst("\\w+\\.(<[^(]*>)?(?=\\w+\\()", "");
        all.putIfAbsent(signature.replaceAll("(?<=[\\w>\\].]) \\w+(?=[,)])", ""), signature);
      }
    }
    String signatures =
        all.values().stream().limit(MOST_SIGNATURES).collect(Collectors.joining("\n"));
    // A name that is no call may be that of a type.
    types.add(function);
    String javadoc =
        types.stream()
            .filter(type -> !function.isEmpty())
            .map(type -> comments.of(type, function))
            .filter(text -> !text.isEmpty())
            .distinct()
            .collect(Collectors.joining("\n\n"));
    return Stream.of(signatures, javadoc, entry(function).strip())
        .filter(text -> !text.isEmpty())
        .collect(Collectors.joining("\n\n"));
  }

  /** The name at the end of code. */
  private static String name(String code) {
    int from = code.length();
    while (from > 0 && Character.isJavaIdentifierPart(code.charAt(from - 1))) {
      from--;
    }
    return code.substring(from);
  }

  /** The name before the last bracket that is open. */
  private static String called(String code) {
    int open = 0;
    for (int k = code.length() - 1; k >= 0; k--) {
      char c = code.charAt(k);
      open += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (open == 1) {
        return name(code.substring(0, k));
      }
    }
    return "";
  }

  /** Entry of a function in the pages of the reference; empty if there is none. */
  private String entry(String name) {
    if (name.isEmpty() || !Files.isDirectory(reference)) {
      return "";
    }
    try (DirectoryStream<Path> pages = Files.newDirectoryStream(reference, "*.md")) {
      for (Path page : pages) {
        String text = Files.readString(page);
        int at = text.indexOf("\n## " + name + "\n");
        if (at >= 0) {
          int from = at + name.length() + 5;
          int to = text.indexOf("\n## ", from);
          return text.substring(from, to < 0 ? text.length() : to).strip() + "\n";
        }
      }
      return "";
    } catch (IOException e) {
      return "";
    }
  }
}
