import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Pages for {@code man}. */
final class ManPage {
  private ManPage() {}

  /** Page of a command, or of all commands for the top; {@code more} are listed as commands too. */
  static String of(CommandLine line, Map<String, String> more) {
    CommandSpec spec = line.getCommandSpec();
    boolean top = spec.parent() == null;
    String name = top ? "ristretto" : "ristretto-" + spec.name();
    String[] description = spec.usageMessage().description();
    var page = new StringBuilder(".TH " + name.toUpperCase(Locale.ROOT) + " 1 \"\" Ristretto\n");
    String first = top ? "fused-kernel tensor engine" : lower(description[0]);
    page.append(".SH NAME\n").append(roff(name + " - " + first)).append(".SH SYNOPSIS\n.nf\n");
    page.append(roff(CommandModel.synopsis(spec))).append(".fi\n");
    page.append(".SH DESCRIPTION\n").append(roff(description[top ? 0 : description.length - 1]));
    if (!spec.options().isEmpty() || !spec.positionalParameters().isEmpty()) {
      page.append(".SH OPTIONS\n");
      spec.positionalParameters().forEach(p -> item(page, p.paramLabel(), p.description()[0]));
      for (OptionSpec option : spec.options()) {
        String names = String.join(", ", option.names()) + CommandModel.value(option);
        item(page, names, String.join(" ", option.description()));
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
    if (!more.isEmpty()) {
      page.append(".SH COMMANDS\n");
      more.forEach((command, sentence) -> item(page, command, sentence));
    }
    return page.toString();
  }

  private static void item(StringBuilder page, String name, String text) {
    page.append(".TP\n.B ").append(roff(name)).append(roff(text));
  }

  private static String lower(String text) {
    return text.substring(0, 1).toLowerCase(Locale.ROOT) + text.substring(1);
  }

  /** Text with what {@code man} would read as requests or hyphens escaped. */
  private static String roff(String text) {
    return text.replace("\\", "\\e").replace("-", "\\-").replaceAll("(?m)^([.'])", "\\\\&$1")
        + "\n";
  }
}
