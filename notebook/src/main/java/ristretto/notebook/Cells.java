package ristretto.notebook;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import jdk.jshell.DeclarationSnippet;
import jdk.jshell.Diag;
import jdk.jshell.EvalException;
import jdk.jshell.JShell;
import jdk.jshell.JShellException;
import jdk.jshell.Snippet;
import jdk.jshell.SnippetEvent;
import jdk.jshell.SourceCodeAnalysis;
import jdk.jshell.SourceCodeAnalysis.Completeness;
import jdk.jshell.UnresolvedReferenceException;

/** Evaluates cells of Java, with the imports of scripts and an open context {@code ctx}. */
final class Cells implements AutoCloseable {
  private static final List<String> START =
      List.of(
          "import module java.base;",
          "import module ristretto.expr;",
          "import module ristretto.plot;",
          "import module ristretto.symbolic;",
          "import ristretto.symbolic.Executor;",
          "import static ristretto.expr.Ops.*;",
          "import static ristretto.symbolic.Layers.*;",
          "var ctx = Context.open();");

  private final CellControl control = new CellControl();
  private final JShell shell;
  private boolean started;

  /** Line of the cell in which each snippet of the current cell begins, by its number. */
  private final Map<String, Integer> lines = new HashMap<>();

  /** A value to show. */
  record Value(Object value) {}

  Cells() {
    String path = System.getProperty("java.class.path");
    shell =
        JShell.builder()
            .executionEngine(control, Map.of())
            .compilerOptions(
                "--module-path", path, "--add-modules", "ALL-MODULE-PATH", "-Xlint:-incubating")
            .build();
    shell.addToClasspath(path);
  }

  private void start() {
    if (!started) {
      for (String line : START) {
        for (SnippetEvent event : shell.eval(line)) {
          check(event, line, 0, line);
        }
      }
      started = true;
    }
  }

  /**
   * Evaluates a cell.
   *
   * @return the value of the last expression, unless a semicolon follows it; null without one
   * @throws CellException if the cell cannot be compiled or throws
   */
  Value eval(String cell) {
    start();
    lines.clear();
    Libraries.of(cell).forEach(shell::addToClasspath);
    SourceCodeAnalysis analysis = shell.sourceCodeAnalysis();
    Value last = null;
    String rest = cell;
    while (!rest.isBlank()) {
      SourceCodeAnalysis.CompletionInfo info = analysis.analyzeCompletion(rest);
      Completeness completeness = info.completeness();
      if (completeness == Completeness.EMPTY) {
        break;
      }
      int begin = cell.length() - rest.length();
      if (completeness == Completeness.DEFINITELY_INCOMPLETE) {
        throw new CellException(
            List.of(
                "the cell ends within a statement that begins "
                    + place(cell, begin + rest.length() - rest.stripLeading().length())
                    + "."));
      }
      String source = info.source() == null ? rest : info.source();
      boolean shown = false;
      for (SnippetEvent event : shell.eval(source)) {
        check(event, cell, begin, source);
        shown |= isExpression(event.snippet());
      }
      shown &= !rest.substring(0, rest.length() - info.remaining().length()).strip().endsWith(";");
      last = shown && control.value() != null ? new Value(control.value()) : null;
      rest = info.remaining();
    }
    return last;
  }

  private static boolean isExpression(Snippet snippet) {
    return switch (snippet.subKind()) {
      case TEMP_VAR_EXPRESSION_SUBKIND,
          VAR_VALUE_SUBKIND,
          ASSIGNMENT_SUBKIND,
          OTHER_EXPRESSION_SUBKIND ->
          true;
      default -> false;
    };
  }

  private void check(SnippetEvent event, String cell, int begin, String source) {
    int skipped = source.length() - source.stripLeading().length();
    lines.put(event.snippet().id(), line(cell, begin + skipped));
    if (event.status() == Snippet.Status.REJECTED) {
      var all = new ArrayList<String>();
      shell
          .diagnostics(event.snippet())
          .filter(Diag::isError)
          .forEach(error -> {
            int at = begin + (int) Math.max(0, error.getPosition());
            all.add(place(cell, at) + ": " + error.getMessage(Locale.ROOT));
            all.add("    " + text(cell, at));
            all.add("    " + " ".repeat(Math.max(0, column(cell, at))) + "^");
          });
      throw new CellException(all.isEmpty() ? List.of("the cell is not valid Java.") : all);
    }
    if (event.exception() != null) {
      throw failure(event.exception());
    }
    if (event.status() == Snippet.Status.RECOVERABLE_NOT_DEFINED) {
      throw new CellException(
          List.of(
              place(cell, begin + skipped)
                  + ": "
                  + shell.unresolvedDependencies(missing(event)).collect(Collectors.joining(", "))
                  + " must be declared before."));
    }
  }

  private static DeclarationSnippet missing(SnippetEvent event) {
    return (DeclarationSnippet) event.snippet();
  }

  /** The exception's own message, and the lines of cells in its stack, without other frames. */
  private CellException failure(JShellException e) {
    var all = new ArrayList<String>();
    if (e instanceof UnresolvedReferenceException u) {
      String missing =
          shell.unresolvedDependencies(u.getSnippet()).collect(Collectors.joining(", "));
      all.add("the cell uses " + missing + ", which must be declared before.");
    } else {
      String name =
          e instanceof EvalException x ? x.getExceptionClassName() : e.getClass().getName();
      String simple = name.substring(name.lastIndexOf('.') + 1);
      all.add(simple + (e.getMessage() == null ? "" : ": " + e.getMessage()));
    }
    for (Throwable t = e.getCause(); t != null; t = t.getCause()) {
      String name =
          t instanceof EvalException x ? x.getExceptionClassName() : t.getClass().getName();
      all.add("because of " + name.substring(name.lastIndexOf('.') + 1) + ": " + t.getMessage());
    }
    for (StackTraceElement frame : e.getStackTrace()) {
      String file = frame.getFileName();
      if (file != null && file.startsWith("#")) {
        Integer first = lines.get(file.substring(1));
        String method = frame.getMethodName().isEmpty() ? "" : " in " + frame.getMethodName();
        all.add(
            "    at "
                + (first == null
                    ? "line " + frame.getLineNumber() + " of an earlier declaration"
                    : "line " + (first + frame.getLineNumber() - 1))
                + method);
      }
    }
    return new CellException(all);
  }

  private static int line(String cell, int at) {
    return 1
        + (int)
            cell.substring(0, Math.min(at, cell.length())).chars().filter(c -> c == '\n').count();
  }

  private static int column(String cell, int at) {
    int end = Math.min(at, cell.length());
    return end - 1 - cell.lastIndexOf('\n', Math.max(0, end - 1));
  }

  private static String text(String cell, int at) {
    int end = Math.min(at, cell.length());
    int from = cell.lastIndexOf('\n', Math.max(0, end - 1)) + 1;
    int to = cell.indexOf('\n', end);
    return cell.substring(Math.min(from, end), to < 0 ? cell.length() : to);
  }

  private static String place(String cell, int at) {
    return "line " + line(cell, at);
  }

  /** Says whether a cell is complete Java. */
  Completeness completeness(String cell) {
    SourceCodeAnalysis analysis = shell.sourceCodeAnalysis();
    String rest = cell;
    while (!rest.isBlank()) {
      SourceCodeAnalysis.CompletionInfo info = analysis.analyzeCompletion(rest);
      if (!info.completeness().isComplete()) {
        return info.completeness();
      }
      rest = info.remaining();
    }
    return Completeness.COMPLETE;
  }

  /** Analysis of code for completion and help. */
  SourceCodeAnalysis analysis() {
    start();
    return shell.sourceCodeAnalysis();
  }

  /** Start of the snippet at a position of a cell. */
  int snippetStart(String cell, int at) {
    int begin = 0;
    while (begin < at) {
      SourceCodeAnalysis.CompletionInfo info =
          shell.sourceCodeAnalysis().analyzeCompletion(cell.substring(begin));
      if (info.source() == null || info.remaining().isEmpty()) {
        break;
      }
      int next = cell.length() - info.remaining().length();
      if (next > at || next <= begin) {
        break;
      }
      begin = next;
    }
    return begin;
  }

  @Override
  public void close() {
    shell.close();
  }
}
