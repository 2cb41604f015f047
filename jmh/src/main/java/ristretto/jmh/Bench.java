package ristretto.jmh;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Line;
import ristretto.jmh.line.Lines;
import ristretto.jmh.llm.LanguageBench;
import ristretto.jmh.micro.JmhRun;
import ristretto.jmh.nnet3.ChainBench;
import ristretto.jmh.nnet3.NetworksBench;
import ristretto.jmh.nnet3.PassBench;
import ristretto.jmh.report.Fact;
import ristretto.jmh.report.ResultFiles;
import ristretto.jmh.report.Row;
import ristretto.jmh.report.TextTable;
import ristretto.jmh.scripting.ScriptingBench;
import ristretto.jmh.start.ColdRuns;
import ristretto.jmh.start.Scripts;
import ristretto.jmh.training.TrainingBench;

/** The {@code bench} command. */
@Command(
    name = "./ristretto bench",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures the engine against hand-written loops, the bandwidth of this machine and peer"
          + " libraries, in one run with interleaved rounds, and reports which targets are met.",
      ""
    })
public final class Bench implements Callable<Integer> {
  @Mixin private Selection selection;

  @Option(
      names = "--threads",
      paramLabel = "N",
      split = ",",
      description = "numbers of threads, or all (default: 1,all)")
  private List<String> threads = List.of("1", "all");

  @Option(
      names = "--output",
      paramLabel = "FOLDER",
      description = "also write results.csv, facts.csv, table.md and charts there")
  private Path output;

  @Option(names = "--list", description = "list the benchmarks and exit")
  private boolean list;

  @Option(names = "--jmh", description = "run the JMH benchmarks of these lines instead")
  private boolean jmh;

  @Option(
      names = "--train",
      description = "measure training steps instead, compared with PyTorch; see --train --list")
  private boolean train;

  @Option(
      names = "--scripting",
      description =
          "measure functions of scripts instead, compared with NumPy and SciPy; see --scripting"
              + " --list")
  private boolean scripting;

  @Option(
      names = "--nnet3",
      description = "measure compilation and computation of Kaldi's networks instead")
  private boolean networks;

  @Option(
      names = "--chain",
      description =
          "measure the denominator of Kaldi's chain objective instead, on any --device; with"
              + " --kaldi-program, compared with PROGRAM DEN.fst PDFS SEQUENCES FRAMES ROUNDS,"
              + " which prints the least seconds of a pass")
  private boolean chain;

  @Option(
      names = "--llm",
      description =
          "measure generation with language models instead, on any --device; --model names the"
              + " files")
  private boolean languageModels;

  @Option(names = "--model", paramLabel = "FILE.gguf", description = "a model for --llm")
  private List<Path> models = new ArrayList<>();

  @Option(
      names = "--backward",
      description =
          "with --nnet3: measure forward and backward passes of training minibatches instead")
  private boolean backward;

  @Option(
      names = "--kaldi",
      paramLabel = "FILE",
      description =
          "Kaldi's times, for --nnet3: lines"
              + " recipe,request,threads,compile,forward,both,commands,bytes in milliseconds")
  private Path kaldi;

  @Option(
      names = "--kaldi-program",
      paramLabel = "PROGRAM",
      description =
          "a program linked with Kaldi, for --nnet3: PROGRAM [--test] MODEL REQUEST ROUNDS prints"
              + " {\"compile\":s,\"forward\":s,\"both\":s,\"commands\":n,\"bytes\":n}; it and this"
              + " engine are measured in turns")
  private Path kaldiProgram;

  @Option(
      names = "--processor-time",
      description =
          "with --nnet3 --threads 1: measure processor time instead of elapsed time, for machines"
              + " with other load; sets CPU_TIME for Kaldi's program")
  private boolean processorTime;

  @Spec private CommandSpec spec;

  private final List<Fact> facts = new ArrayList<>();
  private final List<String> remarks = new ArrayList<>();
  private final Map<String, Row> rows = new LinkedHashMap<>();

  public static void main(String[] args) {
    System.exit(new CommandLine(new Bench()).execute(args));
  }

  @Override
  public Integer call() throws IOException {
    List<Integer> counts =
        selection.onProcessor()
            ? threads.stream().map(this::count).distinct().toList()
            : List.of(count("all"));
    if (train) {
      return training(counts);
    }
    if (scripting) {
      return scripting(counts);
    }
    if (networks) {
      return networks(counts);
    }
    if (chain) {
      return chain(counts);
    }
    if (languageModels) {
      var bench = new LanguageBench(models, counts, selection.device, selection.quick);
      if (!bench.complaint().isEmpty()) {
        throw new ParameterException(spec.commandLine(), bench.complaint());
      }
      return bench.run();
    }
    String complaint = selection.complaint();
    if (!complaint.isEmpty()) {
      throw new ParameterException(spec.commandLine(), complaint);
    }
    if (list) {
      list();
      return 0;
    }
    if (jmh) {
      return JmhRun.run(selection.only.pattern(), selection.sizes, selection.quick);
    }
    measure(counts);
    List<Row> all = List.copyOf(rows.values());
    System.out.print(TextTable.of(all));
    System.out.print(TextTable.ofFacts(facts));
    remarks.stream().distinct().forEach(r -> System.out.println("note: " + r));
    if (output != null) {
      ResultFiles.write(output, all, facts);
      System.err.println("written to " + output);
    }
    return 0;
  }

  private int training(List<Integer> counts) throws IOException {
    if (list) {
      TrainingBench.list().forEach(System.out::println);
      return 0;
    }
    var bench = new TrainingBench(selection.only, counts, selection.quick);
    if (!bench.complaint().isEmpty()) {
      throw new ParameterException(spec.commandLine(), bench.complaint());
    }
    return jmh ? JmhRun.training(selection.only, counts, selection.quick) : bench.run(output);
  }

  private int scripting(List<Integer> counts) throws IOException {
    if (list) {
      ScriptingBench.list().forEach(System.out::println);
      return 0;
    }
    var bench = new ScriptingBench(selection.only, selection.quick);
    if (!bench.complaint().isEmpty()) {
      throw new ParameterException(spec.commandLine(), bench.complaint());
    }
    for (int count : counts) {
      bench.run(count);
    }
    return 0;
  }

  private int networks(List<Integer> counts) throws IOException {
    if (list) {
      NetworksBench.list().forEach(System.out::println);
      return 0;
    }
    var bench =
        new NetworksBench(
            selection.only, counts, selection.quick, kaldi, kaldiProgram, processorTime);
    if (!bench.complaint().isEmpty()) {
      throw new ParameterException(spec.commandLine(), bench.complaint());
    }
    if (backward) {
      return new PassBench(selection.only, counts, selection.quick, kaldi).run();
    }
    return bench.run(output);
  }

  private int chain(List<Integer> counts) throws IOException {
    if (list) {
      ChainBench.list().forEach(System.out::println);
      return 0;
    }
    var bench =
        new ChainBench(selection.only, counts, selection.device, selection.quick, kaldiProgram);
    if (!bench.complaint().isEmpty()) {
      throw new ParameterException(spec.commandLine(), bench.complaint());
    }
    return bench.run();
  }

  private int count(String text) {
    int cores = Runtime.getRuntime().availableProcessors();
    if (text.equals("all")) {
      return cores;
    }
    if (!text.matches("[1-9][0-9]{0,3}") || Integer.parseInt(text) > cores) {
      throw new ParameterException(
          spec.commandLine(),
          "--threads takes numbers from 1 to " + cores + " and all; got '" + text + "'");
    }
    return Integer.parseInt(text);
  }

  private void list() {
    for (Line line : Lines.all()) {
      System.out.printf(
          Locale.ROOT,
          "%-14s %-42s %s%n",
          line.name(),
          line.formula(),
          String.join(" ", line.sizes().stream().map(Dims::label).toList()));
    }
    Selection.STARTS.forEach(System.out::println);
  }

  private void measure(List<Integer> counts) throws IOException {
    List<String> starts = selection.starts();
    long cold = starts.stream().filter(s -> s.startsWith("cold")).count();
    long steps =
        (long) counts.size() * selection.items().size()
            + starts.size()
            + cold * ColdRuns.runs(selection.quick);
    try (ProgressBar progress =
        new ProgressBarBuilder()
            .setInitialMax(steps)
            .setTaskName("bench")
            .setStyle(ProgressBarStyle.ASCII)
            .build()) {
      for (int count : counts) {
        if (!selection.items().isEmpty()
            || (count == 1 || !selection.onProcessor()) && !starts.isEmpty()) {
          WorkerProcess.run(selection, count, m -> take(m, count, progress));
        }
      }
      var coldRuns = new ColdRuns(selection.quick, progress::step);
      for (String start : starts) {
        if (start.startsWith("cold-")) {
          progress.setExtraMessage(start);
          facts.addAll(coldRuns.measure(start.substring("cold-".length())));
        } else if (start.equals(Scripts.NAME)) {
          progress.setExtraMessage(start);
          facts.addAll(Scripts.measure());
        }
      }
      progress.stepTo(steps);
    }
  }

  private void take(Message message, int count, ProgressBar progress) {
    switch (message) {
      case Message.Started m -> {
        progress.step();
        progress.setExtraMessage(m.what() + ", T=" + count);
      }
      case Message.Measured m -> {
        Line line = Lines.named(m.line());
        Dims dims = Dims.parse(m.dims());
        rows.computeIfAbsent(
                line.name() + " " + dims + " " + count, _ -> new Row(line, dims, count))
            .add(m.measurement());
      }
      case Message.Found m -> facts.add(m.fact());
      case Message.Remark m -> remarks.add(m.text());
    }
  }
}
