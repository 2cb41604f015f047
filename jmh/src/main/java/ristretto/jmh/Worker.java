package ristretto.jmh;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import ristretto.jmh.cuda.BareCublas;
import ristretto.jmh.cuda.CudaLaunches;
import ristretto.jmh.cuda.DeviceCopy;
import ristretto.jmh.cuda.Gpu;
import ristretto.jmh.engine.Engine;
import ristretto.jmh.line.Line;
import ristretto.jmh.line.Lines;
import ristretto.jmh.opencl.OpenClLaunches;
import ristretto.jmh.opencl.OpenClTwins;
import ristretto.jmh.peer.Peers;
import ristretto.jmh.report.Fact;
import ristretto.jmh.run.Competitor;
import ristretto.jmh.run.Effort;
import ristretto.jmh.run.RoundRobin;
import ristretto.jmh.start.FirstKernels;
import ristretto.jmh.start.Launches;
import ristretto.jmh.twin.Twins;

/**
 * Process that measures with one number of threads. It reports to the command that started it by
 * {@link Message}s on standard output.
 */
@Command(name = "worker", hidden = true)
final class Worker implements Callable<Integer> {
  /**
   * Warm-up time per line; the engine's vector code takes over after some hundred thousand
   * elements.
   */
  private static final long WARM_NANOS = 800_000_000L;

  @Mixin private Selection selection;

  @Option(names = "--threads", required = true)
  private int threads;

  private final PrintStream out;

  private Worker(PrintStream out) {
    this.out = out;
  }

  /** Redirects System.out to standard error, since standard output is reserved for messages. */
  public static void main(String[] args) {
    PrintStream messages = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    System.exit(new CommandLine(new Worker(messages)).execute(args));
  }

  private void send(Message message) {
    out.println(message.encode());
  }

  @Override
  public Integer call() throws IOException {
    if (!selection.onProcessor()) {
      deviceFacts();
    } else if (threads == 1) {
      facts();
    }
    if (!selection.items().isEmpty()) {
      lines();
    }
    return 0;
  }

  /**
   * Measures facts that need a warm process without other competitors; all of them use one thread.
   */
  private void facts() {
    for (String name : selection.starts()) {
      List<Fact> facts =
          switch (name) {
            case "kernels" -> kernels();
            case Launches.NAME -> Launches.measure();
            case FirstKernels.NAME -> FirstKernels.measure();
            default -> List.of();
          };
      if (!facts.isEmpty()) {
        send(new Message.Started(name));
        facts.forEach(f -> send(new Message.Found(f)));
      }
    }
  }

  /** Measures facts about a device behind a driver. */
  private void deviceFacts() {
    if (selection.starts().contains(Launches.NAME) && selection.onGpu()) {
      send(new Message.Started(Launches.NAME));
      CudaLaunches.measure(selection.device).forEach(f -> send(new Message.Found(f)));
    }
    if (selection.starts().contains(Launches.NAME) && selection.deviceKind().equals("opencl")) {
      send(new Message.Started(Launches.NAME));
      OpenClLaunches.measure(selection.device).forEach(f -> send(new Message.Found(f)));
    }
  }

  private static List<Fact> kernels() {
    return Lines.all().stream()
        .filter(l -> l.family() != Line.Family.GEMM)
        .map(l ->
            new Fact(
                "kernels-" + l.name(),
                "kernels of " + l.formula(),
                Engine.kernels("cpu", l, l.sizes().getFirst()),
                "",
                1))
        .toList();
  }

  private void lines() throws IOException {
    var robin = new RoundRobin(selection.quick ? Effort.QUICK : Effort.FULL);
    if (!selection.onProcessor()) {
      linesOnDevice(robin);
      return;
    }
    try (var engine = new Engine("cpu");
        var twins = new Twins(threads);
        var peers = new Peers(selection.peers(), threads)) {
      var competitors = new ArrayList<>(engine.competitors());
      competitors.addAll(twins.competitors());
      competitors.addAll(peers.competitors());
      twins.remarks().forEach(r -> send(new Message.Remark(r)));
      peers.remarks().forEach(r -> send(new Message.Remark(r)));
      engine.warm(
          selection.items().stream().map(Selection.Item::line).distinct().toList(), WARM_NANOS);
      for (Selection.Item item : selection.items()) {
        send(new Message.Started(item.line().name() + " " + item.dims().label()));
        measure(robin, item, competitors);
      }
    }
  }

  private void linesOnDevice(RoundRobin robin) {
    try (var engine = new Engine(selection.device)) {
      send(new Message.Remark("device: " + engine.device()));
      var competitors = new ArrayList<>(engine.competitors());
      Optional<OpenClTwins> twins =
          selection.deviceKind().equals("opencl")
              ? Optional.of(new OpenClTwins(engine.index()))
              : Optional.empty();
      twins.ifPresent(competitors::add);
      var closing = new ArrayList<AutoCloseable>();
      if (selection.onGpu()) {
        addGpuCompetitors(engine.index(), competitors, closing);
      }
      for (Selection.Item item : selection.items()) {
        send(new Message.Started(item.line().name() + " " + item.dims().label()));
        measure(robin, item, competitors);
      }
      twins.ifPresent(OpenClTwins::close);
      for (AutoCloseable each : closing) {
        each.close();
      }
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private void addGpuCompetitors(
      int index, List<Competitor> competitors, List<AutoCloseable> closing) {
    var gpu = new Gpu(index);
    closing.add(gpu);
    competitors.add(new DeviceCopy(gpu));
    BareCublas.find()
        .ifPresentOrElse(
            competitors::add,
            () -> send(new Message.Remark("blas: skipped, no libcublas was found")));
    var peers = new Peers(selection.peers(), threads);
    closing.add(peers);
    competitors.addAll(peers.competitors());
    peers.remarks().forEach(r -> send(new Message.Remark(r)));
  }

  private void measure(RoundRobin robin, Selection.Item item, List<Competitor> competitors) {
    var entries = new ArrayList<RoundRobin.Entry>();
    String name = item.line().name();
    String dims = item.dims().toString();
    try {
      for (Competitor competitor : competitors) {
        switch (competitor.prepare(item.line(), item.dims())) {
          case Competitor.Ready(var job) ->
              entries.add(new RoundRobin.Entry(competitor.name(), job));
          case Competitor.NotOffered() -> {}
          case Competitor.Skipped(var reason) -> remark(item, competitor.name(), reason);
        }
      }
      RoundRobin.Result result = robin.run(item.line(), item.dims(), entries);
      result.measurements().forEach(m -> send(new Message.Measured(name, dims, m)));
      result.wrong().forEach((who, why) -> remark(item, who, why));
    } finally {
      entries.forEach(e -> e.job().close());
    }
  }

  private void remark(Selection.Item item, String who, String what) {
    send(
        new Message.Remark(
            item.line().name() + " " + item.dims().label() + ": " + who + " " + what));
  }
}
