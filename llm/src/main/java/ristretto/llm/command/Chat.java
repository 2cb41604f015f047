package ristretto.llm.command;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import ristretto.expr.Context;
import ristretto.llm.LanguageModel;
import ristretto.llm.chat.ChatFormat;
import ristretto.llm.chat.Message;
import ristretto.llm.chat.Message.Role;
import ristretto.llm.generate.Ending;
import ristretto.llm.generate.Generation;
import ristretto.llm.generate.Generator;
import ristretto.llm.generate.Request;
import ristretto.llm.generate.Sampling;
import ristretto.llm.token.Tokenizer;

/** The command {@code chat}: a conversation with a model. */
@Command(
    name = "./ristretto chat",
    sortOptions = false,
    separator = " ",
    description = "Answers the lines of standard input, or one prompt.")
public final class Chat implements Callable<Integer> {
  @Mixin private ModelOptions model = new ModelOptions();

  @Option(
      names = "--prompt",
      paramLabel = "TEXT",
      description = "answer this text alone; the answer is the only output")
  private String prompt;

  @Option(
      names = "--system",
      paramLabel = "TEXT",
      description = "description of the task, before the conversation")
  private String system;

  @Option(
      names = "--raw",
      description = "continue the text as it is, without the marks of a conversation")
  private boolean raw;

  @Option(
      names = "--tokens",
      paramLabel = "N",
      description = "most tokens of an answer; default: as many as there is room for")
  private int most = Integer.MAX_VALUE;

  @Option(names = "--json", description = "end the answer after its first JSON object or array")
  private boolean json;

  @Mixin private SamplingOptions sampling = new SamplingOptions();

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "show this text")
  boolean help;

  private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
  private final List<Message> messages = new ArrayList<>();
  private ChatFormat format;
  private Generator generator;
  private Sampling settings;

  /** Times of the last question and of the first piece of its answer, in nanoseconds. */
  private long started;

  private long first;

  /** Runs the command. */
  public static void main(String[] args) {
    Commands.run(new Chat(), args);
  }

  @Override
  public Integer call() throws IOException {
    settings = sampling.sampling();
    try (Context ctx = model.open()) {
      LanguageModel opened = LanguageModel.open(ctx, model.file);
      generator = new Generator(opened, model.sizes(opened).sequences(1));
      format = raw ? ChatFormat.PLAIN : opened.chatFormat();
      clear();
      if (prompt != null) {
        answer(prompt);
        return 0;
      }
      converse();
      return 0;
    }
  }

  private void clear() {
    messages.clear();
    if (system != null) {
      messages.add(new Message(Role.SYSTEM, system));
    }
  }

  private void converse() throws IOException {
    boolean typed = System.console() != null && System.console().isTerminal();
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    if (typed) {
      System.err.println(
          "ristretto: /clear forgets the conversation, /exit or Ctrl-D ends it (form: %s)"
              .formatted(format.name().toLowerCase(Locale.ROOT)));
    }
    while (true) {
      if (typed) {
        out.print("> ");
        out.flush();
      }
      String line = in.readLine();
      if (line == null || line.strip().equals("/exit")) {
        return;
      }
      if (line.strip().equals("/clear")) {
        clear();
      } else if (!line.isBlank()) {
        Generation g = answer(line);
        if (typed) {
          System.err.println("ristretto: " + speed(g));
        }
      }
    }
  }

  private Generation answer(String text) {
    messages.add(new Message(Role.USER, text));
    Tokenizer tokenizer = generator.requireTokenizer();
    List<Integer> tokens = format.tokens(tokenizer, messages);
    started = System.nanoTime();
    first = 0;
    var request = new Request(tokens, settings, most, List.of(), json);
    Generation g = generator.submit(request, this::piece);
    String answer = g.await();
    out.println();
    messages.add(new Message(Role.ASSISTANT, answer));
    if (g.ending().orElseThrow() == Ending.LENGTH && most == Integer.MAX_VALUE) {
      System.err.println(
          "ristretto: the conversation fills the %s tokens of --context; /clear forgets it"
              .formatted(generator.options().longest()));
    }
    return g;
  }

  private void piece(String text) {
    first = first == 0 ? System.nanoTime() : first;
    out.print(text);
    out.flush();
  }

  /** Rates of an answer. */
  private String speed(Generation g) {
    long now = System.nanoTime();
    int read = g.request().prompt().size() - g.reused();
    int written = g.tokens().size();
    return String.format(
        Locale.ROOT,
        "%s tokens read in %.2f s, %s written, %.1f a second",
        read,
        (first - started) / 1e9,
        written,
        Math.max(0, written - 1) / ((now - first) / 1e9));
  }
}
