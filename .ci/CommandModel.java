import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Commands of ./ristretto. The first line of a description stands in the list of commands, the
 * second in the command's own help.
 */
final class CommandModel {
  private CommandModel() {}

  @Command(
      name = "./ristretto",
      customSynopsis = "./ristretto [--tornado] COMMAND [ARGUMENTS]",
      sortOptions = false,
      description = "Runs scripts, models and benchmarks on a fused-kernel tensor engine.",
      subcommands = {
        Run.class,
        Explain.class,
        Shell.class,
        Notebook.class,
        Devices.class,
        Nnet3.class,
        Chat.class,
        Serve.class,
        Bench.class,
        Spark.class,
        Bundle.class,
        Docs.class,
        Completion.class,
        HelpOf.class
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
        "Runs a script and prints the kernels of each assignment, with the reasons why there are"
            + " not fewer."
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
      name = "chat",
      customSynopsis = "./ristretto chat [OPTIONS] MODEL",
      description = {
        "Talk with a language model",
        "Answers the lines of standard input, or one prompt, with a model in a GGUF file or a"
            + " folder of Hugging Face."
      })
  static class Chat {}

  @Command(
      name = "serve",
      customSynopsis = "./ristretto serve [OPTIONS] MODEL",
      description = {
        "Serve a language model",
        "Serves a model in a GGUF file or a folder of Hugging Face with the interface of OpenAI."
      })
  static class Serve {}

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

  /** Usage of a command, from its options and parameters unless it is declared. */
  static String synopsis(CommandSpec spec) {
    if (spec.usageMessage().customSynopsis().length > 0) {
      return spec.usageMessage().customSynopsis()[0];
    }
    var text = new StringBuilder("./ristretto " + spec.name());
    for (OptionSpec option : spec.options()) {
      String word = option.longestName() + value(option);
      text.append(option.required() ? " " + word : " [" + word + "]");
    }
    for (PositionalParamSpec parameter : spec.positionalParameters()) {
      boolean optional = parameter.arity().min() == 0;
      text.append(optional ? " [" + parameter.paramLabel() + "]" : " " + parameter.paramLabel());
      text.append(parameter.isMultiValue() ? "..." : "");
    }
    return text.toString();
  }

  /** Label of an option's value, after a space; empty for a flag. */
  static String value(OptionSpec option) {
    return option.arity().max() == 0 ? "" : " " + option.paramLabel();
  }
}
