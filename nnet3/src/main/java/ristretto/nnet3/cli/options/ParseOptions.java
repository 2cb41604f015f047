package ristretto.nnet3.cli.options;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import ristretto.expr.file.Excerpt;
import ristretto.nnet3.io.PipePermission;
import ristretto.nnet3.text.Nearest;

/**
 * Options of a command in Kaldi's syntax: {@code --name=value}, or {@code --name} for a boolean,
 * before the arguments. Names ignore case, and underscores equal hyphens. {@code --config=FILE}
 * reads options from a file, one per line.
 */
public final class ParseOptions {
  private static final int LONGEST_FILE = 1 << 20;
  private static final String ALLOW_PIPES = "allow-pipes";

  private final String command;
  private final String usage;
  private final Map<String, Option<?>> options = new TreeMap<>();
  private final Map<String, Option<?>> aliases = new TreeMap<>();
  private final Option<Boolean> help;
  private final Option<Boolean> printArguments;
  private final Option<Integer> verbose;
  private final Option<Boolean> allowPipes;
  private List<String> line = List.of();

  /**
   * Adds the standard options; {@code usage} is the text that {@code --help} shows above the
   * options.
   */
  public ParseOptions(String command, String usage) {
    this.command = command;
    this.usage = usage;
    standard("config", Option.Kind.STRING, "", "File with options, one per line");
    help = standard("help", Option.Kind.BOOL, false, "Show this text");
    printArguments =
        standard("print-args", Option.Kind.BOOL, true, "Show the command line (on stderr)");
    verbose = standard("verbose", Option.Kind.INT, 0, "Verbosity level");
    allowPipes =
        standard(
            ALLOW_PIPES,
            Option.Kind.BOOL,
            false,
            "Run commands named in configs and scripts, like RISTRETTO_ALLOW_PIPES=1 (Ristretto's"
                + " own option)");
  }

  private <T> Option<T> standard(String name, Option.Kind<T> kind, T otherwise, String text) {
    return add(new Option<>(name, kind, otherwise, text, true));
  }

  private <T> Option<T> add(Option<T> option) {
    options.put(normal(option.name), option);
    return option;
  }

  public Option<Boolean> bool(String name, boolean otherwise, String text) {
    return add(new Option<>(name, Option.Kind.BOOL, otherwise, text, false));
  }

  public Option<Integer> integer(String name, int otherwise, String text) {
    return add(new Option<>(name, Option.Kind.INT, otherwise, text, false));
  }

  public Option<Float> real(String name, float otherwise, String text) {
    return add(new Option<>(name, Option.Kind.FLOAT, otherwise, text, false));
  }

  public Option<String> string(String name, String otherwise, String text) {
    return add(new Option<>(name, Option.Kind.STRING, otherwise, text, false));
  }

  /** Adds another name for an option, which {@code --help} does not list. */
  public void alias(String name, Option<?> option) {
    aliases.put(normal(name), option);
  }

  /** Adds the option {@code --check-finite}, true to refuse models with infinite or NaN numbers. */
  public Option<Boolean> onlyFinite() {
    return bool(
        "check-finite",
        false,
        "Refuse a model with infinite or NaN numbers (Ristretto's own option)");
  }

  public int verbose() {
    return verbose.get();
  }

  /** Returns true if configs and scripts may name commands to run. */
  public boolean allowsPipes() {
    return allowPipes.get();
  }

  /** Reads options and returns the arguments after them; null if {@code --help} was given. */
  public List<String> read(List<String> words, PrintStream err) {
    line = words;
    int end = 0;
    while (end < words.size() && words.get(end).startsWith("--") && words.get(end).length() > 2) {
      end++;
    }
    words.subList(0, end).forEach(word -> set(word, ""));
    for (String word : words.subList(0, end)) {
      // the command line is read before and after files: it overrides them, whatever the order, and
      // may allow their commands
      if (word.startsWith("--config=")) {
        readFile(word.substring("--config=".length()));
      }
    }
    words.subList(0, end).forEach(word -> set(word, ""));
    var arguments = new ArrayList<>(words.subList(end, words.size()));
    arguments.remove("--");
    if (help.get()) {
      err.print(usage());
      return null;
    }
    if (printArguments.get()) {
      err.println(commandLine());
    }
    return arguments;
  }

  private void set(String word, String where) {
    int equals = word.indexOf('=');
    String name = word.substring(2, equals < 0 ? word.length() : equals);
    Option<?> option = options.getOrDefault(normal(name), aliases.get(normal(name)));
    if (option == null) {
      List<String> known = options.values().stream().map(o -> o.name).toList();
      String hint = Nearest.hint(name, known);
      throw new UsageException(
          "[options] an option must be known to %s; got \"%s\"%s; --help lists them%s"
              .formatted(command, word, where, hint.isEmpty() ? "." : hint));
    }
    option.set(equals < 0 ? null : word.substring(equals + 1), where);
  }

  private void readFile(String file) {
    List<String> lines;
    try (InputStream in = Files.newInputStream(Path.of(file))) {
      byte[] bytes = in.readNBytes(LONGEST_FILE + 1);
      if (bytes.length > LONGEST_FILE) {
        throw new UsageException(
            "[options] a file of options must have at most %s bytes; got more in %s; check the path."
                .formatted(LONGEST_FILE, file));
      }
      lines = new String(bytes, StandardCharsets.UTF_8).lines().toList();
    } catch (IOException | InvalidPathException e) {
      throw new UsageException(
          "[options] --config must name an existing text file; got %s; check the path."
              .formatted(file));
    }
    for (int k = 0; k < lines.size(); k++) {
      String text = lines.get(k).replaceFirst("#.*", "").strip();
      String where = String.format(Locale.ROOT, " in line %d of %s", k + 1, file);
      if (text.startsWith("--") && text.length() > 2) {
        checkTrusted(text, where);
        set(text, where);
      } else if (!text.isEmpty()) {
        throw new UsageException(
            "[options] a line of options must be --name=value; got \"%s\"%s; correct it."
                .formatted(Excerpt.of(text), where));
      }
    }
  }

  /** Refuses a line of a file that would run a command or allow commands. */
  private void checkTrusted(String text, String where) {
    if (normal(text).startsWith("--" + ALLOW_PIPES)) {
      throw new UsageException(
          "[options] --%s must be typed on the command line; got \"%s\"%s; remove the line."
              .formatted(ALLOW_PIPES, text, where));
    }
    if (text.contains("|") && !allowsPipes() && !PipePermission.allowed()) {
      throw new UsageException(
          "[options] a command must be typed on the command line; got \"%s\"%s; read the line, and allow commands in files with --%s or RISTRETTO_ALLOW_PIPES=1."
              .formatted(text, where, ALLOW_PIPES));
    }
  }

  private static String normal(String name) {
    return name.toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Text of {@code --help}: the usage and the options. */
  public String usage() {
    var to = new StringBuilder("\n").append(usage).append('\n');
    String own = list(false);
    if (!own.isEmpty()) {
      to.append("Options:\n").append(own).append('\n');
    }
    return to.append("Standard options:\n").append(list(true)).append('\n').toString();
  }

  private String list(boolean standard) {
    return options.values().stream()
        .filter(option -> option.standard == standard)
        .map(Option::line)
        .collect(Collectors.joining());
  }

  /** Command line, quoted such that a shell would read it back. */
  private String commandLine() {
    var to = new StringBuilder(command).append(' ');
    for (String word : line) {
      boolean plain = word.matches("[\\w\\[\\]~#^+=:.,/-]+");
      String escaped = Excerpt.whole(word);
      if (plain) {
        to.append(word);
      } else if (escaped.equals(word)) {
        to.append("'").append(word.replace("'", "'\\''")).append("'");
      } else {
        String again = Excerpt.whole(word.replace("\\", "\\\\").replace("'", "\\'"));
        to.append("$'").append(again).append("'");
      }
      to.append(' ');
    }
    return to.toString();
  }
}
