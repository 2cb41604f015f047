// DEPS info.picocli:picocli:4.7.7
// Writes what follows from the commands of CommandModel.java: help texts, man pages and
// words for completion in launcher/help and launcher/man, and pages in docs/reference. If asked to
// check, compares the files with those in the repository instead, and fails if they differ. All
// flags of the sources must be on the page docs/flags.md.
//
//   ./ristretto run .ci/Commands.java [--check]

import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/// A command of nnet3: its usage, its first sentence, and its options.
record Tool(String name, String usage, String sentence, List<String> options) {}

/// Help texts are 80 columns wide, as picocli makes them.
static String help(CommandLine line) {
  return line.getUsageMessage(Help.Ansi.OFF).stripTrailing() + "\n";
}

/// Help of a command, with the second line of its description.
static String helpOfCommand(CommandLine line) {
  UsageMessageSpec message = line.getCommandSpec().usageMessage();
  String[] description = message.description();
  message.customSynopsis(CommandModel.synopsis(line.getCommandSpec()));
  message.description(description[description.length - 1], "");
  String text = help(line);
  message.description(description);
  return text;
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

/// Commands that parse their options with picocli themselves, and how the launcher starts them.
static final Map<String, String> OWN =
    Map.of(
        "bench", "need_benchmarks; run_benchmarks --help",
        "chat", "need_engine; run_java ristretto.llm.command.Chat --help",
        "serve", "need_engine; run_java ristretto.llm.command.Serve --help");

/// Help of a command that parses its options itself. The launcher shows the file that is written
/// here, so this starts the command without it.
static String own(String start) throws Exception {
  String script =
      """
      home=$PWD
      for file in messages jdk ownership build script tornado; do source launcher/$file.sh; done
      jvm_options=()
      """;
  Process process =
      new ProcessBuilder("bash", "-c", script + start)
          .redirectError(ProcessBuilder.Redirect.INHERIT)
          .start();
  String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  if (process.waitFor() != 0) {
    throw new IllegalStateException("there is no help of: " + start);
  }
  return text;
}

static Map<String, String> files() throws Exception {
  var top = new CommandLine(new CommandModel.Ristretto());
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
  files.put("launcher/man/man1/ristretto.1", ManPage.of(top, Map.of()));
  for (var entry : top.getSubcommands().entrySet()) {
    String name = entry.getKey();
    CommandLine command = entry.getValue();
    String text = helpOfCommand(command);
    var more = new LinkedHashMap<String, String>();
    if (OWN.containsKey(name)) {
      text = own(OWN.get(name));
    } else if (name.equals("nnet3")) {
      text += "\nCommands:\n" + list();
      tools().forEach(tool -> more.put(tool.name(), tool.sentence()));
    }
    files.put("launcher/help/" + name + ".txt", text);
    files.put("launcher/man/man1/ristretto-" + name + ".1", ManPage.of(command, more));
    Stream<String> options =
        OWN.containsKey(name)
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
