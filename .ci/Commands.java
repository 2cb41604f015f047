// DEPS info.picocli:picocli:4.7.7
// Declares the commands of ./ristretto, and writes what follows from it: help texts, man pages and
// words for completion in launcher/help and launcher/man, and pages in docs/reference. If asked to
// check, compares the files with those in the repository instead, and fails if they differ. All
// flags of the sources must be on the page docs/flags.md.
//
//   ./ristretto run .ci/Commands.java [--check]

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "./ristretto",
    customSynopsis = "./ristretto [--tornado] COMMAND [ARGUMENTS]",
    sortOptions = false,
    description = "Runs scripts, models and benchmarks on a fused-kernel tensor engine.",
    subcommands = {
      Run.class, Explain.class, Shell.class, Notebook.class, Devices.class, Nnet3.class,
      Bench.class, Spark.class, Bundle.class, Docs.class, Completion.class, HelpOf.class
    },
    commandListHeading = "%nCommands:%n",
    optionListHeading = "%nOptions:%n",
    footer = {
      "",
      "`./ristretto COMMAND --help` explains a command.",
      "",
      "Environment:",
      "  RISTRETTO_DEVICE     device that scripts open by default, such as cpu",
      "  RISTRETTO_DEBUG      0 to 6: level of debug output about launches and fusion",
      "  RISTRETTO_TRACE      file for a profile that Perfetto shows",
      "  RISTRETTO_JAVA_HOME  the JDK (25 or newer) to use",
      "  RISTRETTO_JAVA_OPTS  additional options for the JVM, such as -Xmx8g",
      "  TORNADOVM_HOME       SDK of TornadoVM; default: the one that SDKMAN installed",
      "docs/flags.md explains these and others.",
      "",
      "Exit codes: 0 success; 1 failure; 2 wrong usage; others: those of the script."
    })
static class Ristretto {
  @Option(
      names = "--tornado",
      description = "Before a command: run it with TornadoVM, on its first device")
  boolean tornado;

  @Option(
      names = {"-h", "--help"},
      description = "Show this text")
  boolean help;

  @Option(
      names = {"-V", "--version"},
      description = "Show the version and the JDK in use")
  boolean version;
}

static class Script {
  @Parameters(
      index = "0",
      paramLabel = "SCRIPT.java",
      description = "A file with `void main()`, or - for standard input")
  String script;

  @Parameters(index = "1..*", paramLabel = "ARGS", description = "Arguments of the script")
  String[] arguments;
}

@Command(
    name = "run",
    description = {
      "Run a script",
      "Compiles a script, unless it was compiled before, and runs it. Lines `//DEPS"
          + " group:artifact:version` add libraries of Maven, `//SOURCES FILE` other sources."
    })
static class Run extends Script {}

@Command(
    name = "explain",
    description = {
      "Run a script and print its kernels",
      "Runs a script and prints the kernels of each assignment, with the reasons why there are not"
          + " fewer."
    })
static class Explain extends Script {}

@Command(
    name = "shell",
    description = {
      "Start jshell with the engine",
      "Starts jshell with imports done and a context open as `ctx`."
    })
static class Shell {
  @Parameters(paramLabel = "ARGS", description = "Files and options of jshell")
  String[] arguments;
}

@Command(
    name = "notebook",
    description = {
      "Let Jupyter run cells of Java",
      "Writes the kernel's description for Jupyter, which then offers the kernel Ristretto."
    })
static class Notebook {
  @Option(names = "--install", required = true, description = "Write kernel.json")
  boolean install;

  @Parameters(
      arity = "0..1",
      paramLabel = "FOLDER",
      description = "Folder of kernel.json; default: the user's folder of kernels")
  String folder;
}

@Command(
    name = "devices",
    description = {
      "List devices, or test them",
      "Lists the available devices, and the reasons why others are missing."
    })
static class Devices {
  @Option(names = "--check", description = "Test and measure each device (about a minute)")
  boolean check;
}

@Command(
    name = "nnet3",
    customSynopsis = "./ristretto NAME [--OPTION=VALUE]... ARGUMENTS",
    description = {
      "List the commands for Kaldi's files",
      "Commands with the names, options and files of Kaldi's. `./ristretto NAME --help` shows the"
          + " usage and the options of one."
    })
static class Nnet3 {}

@Command(
    name = "bench",
    description = {
      "Run benchmarks",
      "Measures the engine against hand-written loops, the bandwidth of this machine and peer"
          + " libraries."
    })
static class Bench {}

@Command(
    name = "spark-submit",
    separator = " ",
    customSynopsis = "./ristretto spark-submit [OPTIONS] SCRIPT.java [ARGS]...",
    description = {
      "Run a script on Apache Spark",
      "Submits a script to a cluster with Spark's own command, whose options it takes."
    })
static class Spark extends Script {
  @Option(
      names = "--master",
      paramLabel = "ADDRESS",
      description = "Address of the cluster, such as spark://host:7077 or local[2]")
  String master;

  @Option(names = "--conf", paramLabel = "NAME=VALUE", description = "Property of Spark")
  String conf;
}

@Command(
    name = "bundle",
    description = {
      "Write a folder for machines without a JDK",
      "Writes a folder with a Java run time, the engine, examples and documents for this system."
    })
static class Bundle {
  @Option(
      names = "--with-onednn",
      description = "Add oneDNN, for faster convolutions on processors (27 MB more)")
  boolean onednn;

  @Parameters(paramLabel = "FOLDER", description = "A folder that does not exist, or a bundle")
  String folder;
}

@Command(
    name = "docs",
    separator = " ",
    description = {
      "Show the documentation as a site",
      "Builds the documentation site with Node.js and serves it on this machine."
    })
static class Docs {
  @Option(names = "--build", description = "Only build it, in target/site")
  boolean build;

  @Option(names = "--check", description = "Build it and test it in Chromium")
  boolean check;

  @Option(names = "--port", paramLabel = "N", description = "Port of the site; default: 4173")
  int port;
}

@Command(
    name = "completion",
    description = {
      "Complete commands in bash and zsh",
      "Prints code that lets the shell complete commands, options and scripts, for ~/.bashrc or"
          + " ~/.zshrc: `source <(./ristretto completion)`. It also shows `man` where the pages"
          + " are."
    })
static class Completion {}

@Command(
    name = "help",
    description = {"Show the help of a command", "Shows the help of a command."})
static class HelpOf {
  @Parameters(arity = "0..1", paramLabel = "COMMAND", description = "A command's name")
  String command;
}

/// A command of nnet3: its usage, its first sentence, and its options.
record Tool(String name, String usage, String sentence, List<String> options) {}

/// Help texts are 80 columns wide, as picocli makes them.
static String help(CommandLine line) {
  CommandSpec spec = line.getCommandSpec();
  if (spec.parent() == null) {
    return line.getUsageMessage(Help.Ansi.OFF).stripTrailing() + "\n";
  }
  String synopsis = synopsis(spec);
  spec.usageMessage().customSynopsis(synopsis.split("\n"));
  String[] description = spec.usageMessage().description();
  if (description.length > 1) {
    spec.usageMessage().description(description[1], "");
  }
  String text = line.getUsageMessage(Help.Ansi.OFF).stripTrailing() + "\n";
  spec.usageMessage().description(description);
  return text;
}

static String synopsis(CommandSpec spec) {
  if (spec.usageMessage().customSynopsis().length > 0) {
    return String.join("\n", spec.usageMessage().customSynopsis());
  }
  var text = new StringBuilder("./ristretto " + spec.name());
  for (OptionSpec option : spec.options()) {
    String value = option.arity().max() == 0 ? "" : " " + option.paramLabel();
    String word = option.longestName() + value;
    text.append(option.required() ? " " + word : " [" + word + "]");
  }
  for (PositionalParamSpec parameter : spec.positionalParameters()) {
    String label = parameter.paramLabel();
    text.append(parameter.isMultiValue() ? " [" + label + "]..." : optional(parameter, label));
  }
  return text.toString();
}

static String optional(PositionalParamSpec parameter, String label) {
  return parameter.arity().min() == 0 ? " [" + label + "]" : " " + label;
}

/// Page for `man`: sections of a command, or of all commands for the top.
static String manual(CommandLine line) {
  CommandSpec spec = line.getCommandSpec();
  boolean top = spec.parent() == null;
  String name = top ? "ristretto" : "ristretto-" + spec.name();
  String[] description = spec.usageMessage().description();
  var page = new StringBuilder(".TH " + name.toUpperCase(Locale.ROOT) + " 1 \"\" Ristretto\n");
  String first = top ? "fused-kernel tensor engine" : lower(description[0]);
  page.append(".SH NAME\n").append(roff(name + " - " + first)).append(".SH SYNOPSIS\n.nf\n");
  page.append(roff(top ? spec.usageMessage().customSynopsis()[0] : synopsis(spec))).append(".fi\n");
  page.append(".SH DESCRIPTION\n").append(roff(description[top ? 0 : description.length - 1]));
  if (!spec.options().isEmpty() || !spec.positionalParameters().isEmpty()) {
    page.append(".SH OPTIONS\n");
    spec.positionalParameters().forEach(p -> item(page, p.paramLabel(), p.description()[0]));
    for (OptionSpec option : spec.options()) {
      String value = option.arity().max() == 0 ? "" : " " + option.paramLabel();
      item(page, String.join(", ", option.names()) + value, String.join(" ", option.description()));
    }
  }
  if (top) {
    page.append(".SH COMMANDS\n");
    for (var command : line.getSubcommands().entrySet()) {
      String text = command.getValue().getCommandSpec().usageMessage().description()[0];
      item(page, command.getKey(), text + ": ristretto-" + command.getKey() + "(1)");
    }
    page.append(".SH NOTES\n.nf\n");
    page.append(roff(String.join("\n", spec.usageMessage().footer()).strip())).append(".fi\n");
  }
  if (spec.name().equals("nnet3")) {
    page.append(".SH COMMANDS\n");
    tools().forEach(tool -> item(page, tool.name(), tool.sentence()));
  }
  return page.toString();
}

static void item(StringBuilder page, String name, String text) {
  page.append(".TP\n.B ").append(roff(name)).append(roff(text));
}

static String lower(String text) {
  return text.substring(0, 1).toLowerCase(Locale.ROOT) + text.substring(1);
}

/// Text with what `man` would read as requests or hyphens escaped.
static String roff(String text) {
  return text.replace("\\", "\\e").replace("-", "\\-").replaceAll("(?m)^([.'])", "\\\\&$1") + "\n";
}

static List<Tool> tools = new ArrayList<>();

/// Commands of nnet3, from their own help.
static List<Tool> tools() {
  if (tools.isEmpty()) {
    for (String name : words(nnet3("?")).sorted().toList()) {
      String usage = nnet3(name, "--help").strip() + "\n";
      String text = usage.substring(0, usage.indexOf("Usage:")).replaceAll("\\s+", " ").strip();
      String sentence = sentence(text.split("[;:] |\\. |\\.$", 2)[0]);
      List<String> options =
          Pattern.compile("(?m)^  (--[\\w.-]+) +: .*\\((\\w+), default")
              .matcher(usage)
              .results()
              .map(m -> m.group(1) + (m.group(2).equals("bool") ? "" : "="))
              .toList();
      tools.add(new Tool(name, usage, sentence, options));
    }
  }
  return tools;
}

/// The start of a sentence, up to its last comma or parenthesis before column 80.
static String sentence(String text) {
  while (text.length() > 80 && text.matches(".*(, | \\().*")) {
    text = text.substring(0, Math.max(text.lastIndexOf(", "), text.lastIndexOf(" (")));
  }
  return text;
}

/// Names of commands in the message about an unknown one.
static Stream<String> words(String message) {
  String list = message.replaceAll("(?s).*must be one of (.*); got.*", "$1");
  return Stream.of(list.split(", "));
}

static String nnet3(String... words) {
  var bytes = new ByteArrayOutputStream();
  try (var err = new PrintStream(bytes, true, StandardCharsets.UTF_8)) {
    Method run =
        Class.forName("ristretto.nnet3.cli.Main").getMethod("run", List.class, PrintStream.class);
    run.setAccessible(true);
    run.invoke(null, List.of(words), err);
  } catch (ReflectiveOperationException e) {
    throw new IllegalStateException(e);
  }
  return bytes.toString(StandardCharsets.UTF_8);
}

static String list() {
  int width = tools().stream().mapToInt(tool -> tool.name().length()).max().orElse(0);
  return tools().stream()
      .map(tool -> "  %s  %s%n".formatted(pad(tool.name(), width), tool.sentence()))
      .collect(Collectors.joining());
}

static String pad(String text, int width) {
  return text + " ".repeat(width - text.length());
}

/// Help of the benchmarks, which parse their options with picocli themselves.
static String bench() throws Exception {
  Process process =
      new ProcessBuilder("./ristretto", "bench", "--help")
          .redirectError(ProcessBuilder.Redirect.INHERIT)
          .start();
  String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  if (process.waitFor() != 0) {
    throw new IllegalStateException("./ristretto bench --help failed");
  }
  return text;
}

static Map<String, String> files() throws Exception {
  var top = new CommandLine(new Ristretto());
  var files = new TreeMap<String, String>();
  var words = new TreeMap<String, String>();
  var reference =
      new StringBuilder(
          "# Commands\n\n`./ristretto COMMAND --help` shows these texts, and `man` the same pages:"
              + " `man -M launcher/man ristretto`. `source <(./ristretto completion)` lets bash and"
              + " zsh complete commands, options and scripts.\n\n```text\n"
              + help(top)
              + "```\n");
  files.put("launcher/help/ristretto.txt", help(top));
  files.put("launcher/man/man1/ristretto.1", manual(top));
  for (var entry : top.getSubcommands().entrySet()) {
    String name = entry.getKey();
    CommandLine command = entry.getValue();
    String text = help(command);
    if (name.equals("bench")) {
      text = bench();
    } else if (name.equals("nnet3")) {
      text += "\nCommands:\n" + list();
    }
    files.put("launcher/help/" + name + ".txt", text);
    files.put("launcher/man/man1/ristretto-" + name + ".1", manual(command));
    Stream<String> options =
        name.equals("bench")
            ? Pattern.compile("(?m)^ +(?:-\\w, )?(--[\\w-]+)")
                .matcher(text)
                .results()
                .map(m -> m.group(1))
            : command.getCommandSpec().options().stream().map(OptionSpec::longestName);
    words.put(name, options.collect(Collectors.joining(" ")));
    reference.append("\n## " + name + "\n\n```text\n" + text + "```\n");
  }
  var speech =
      new StringBuilder(
          "# Commands for Kaldi's files\n\nCommands with the names, options and files of Kaldi's."
              + " [nnet3](../nnet3.md) describes their use.\n");
  for (Tool tool : tools()) {
    words.put(tool.name(), String.join(" ", tool.options()));
    speech.append("\n## " + tool.name() + "\n\n```text\n" + tool.usage() + "```\n");
  }
  var lines = new StringBuilder();
  words.forEach((name, options) -> lines.append((name + " " + options).strip()).append('\n'));
  files.put("launcher/help/words", lines.toString());
  files.put("docs/reference/commands.md", reference.toString());
  files.put("docs/reference/nnet3-commands.md", speech.toString());
  return files;
}

/// Names in the sources that are no flags: loggers and packages.
static final Set<String> OTHERS = Set.of("ristretto.cpu", "ristretto.symbolic");

/// Properties and variables of the sources that docs/flags.md does not explain.
static List<String> undocumented() throws Exception {
  String page = Files.readString(Path.of("docs/flags.md"));
  Pattern flag = Pattern.compile("\"(ristretto(?:\\.[a-z-]+)+|RISTRETTO_[A-Z_]+)\"");
  var missing = new TreeSet<String>();
  try (var files = Files.walk(Path.of("."))) {
    for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
      if (file.toString().contains("/src/main/") && !file.toString().contains("/target/")) {
        flag.matcher(Files.readString(file))
            .results()
            .map(m -> m.group(1))
            .filter(name -> !OTHERS.contains(name) && !page.contains("`" + name + "`"))
            .forEach(missing::add);
      }
    }
  }
  return List.copyOf(missing);
}

void main(String[] args) throws Exception {
  boolean check = List.of(args).contains("--check");
  Map<String, String> files = files();
  int different = 0;
  for (var file : files.entrySet()) {
    Path path = Path.of(file.getKey());
    if (!check) {
      Files.createDirectories(path.getParent());
      Files.writeString(path, file.getValue());
    } else if (!Files.exists(path) || !Files.readString(path).equals(file.getValue())) {
      IO.println("differs: " + path);
      different++;
    }
  }
  List<String> undocumented = undocumented();
  if (!undocumented.isEmpty()) {
    IO.println("docs/flags.md does not explain " + undocumented);
    different++;
  }
  IO.println("result: files=" + files.size() + " different=" + different);
  if (different > 0) {
    IO.println("run ./ristretto run .ci/Commands.java, and look at the changes");
    System.exit(1);
  }
}
