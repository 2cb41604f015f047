package ristretto.nnet3.tool;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import ristretto.expr.Context;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.compile.Computation;
import ristretto.nnet3.draw.DrawGraph;
import ristretto.nnet3.draw.MemoryChart;
import ristretto.nnet3.draw.NetworkGraph;
import ristretto.nnet3.draw.Page;
import ristretto.nnet3.draw.PlanGraph;
import ristretto.nnet3.io.KaldiOutput;

/** Draws a network and the computation of a request. */
final class NnetGraph implements Tool {
  private static final List<String> VIEWS = List.of("network", "steps", "plan", "memory");

  private final Options options =
      new Options(
          "nnet3-graph",
          """
          Draws a network; with a request, in the format of nnet3-eval, also the steps of its
          computation, the kernels they became, and the memory these use. A name that ends with
          .svg gets one picture, one that ends with .html all of them, on a page that needs no
          other file.

          Usage:  nnet3-graph [options] <nnet> [<request>] <picture>
          e.g.
          nnet3-graph final.raw network.svg
          nnet3-graph final.raw request.txt computation.html
          nnet3-graph --view=plan final.raw request.txt plan.svg
          See also: nnet3-compile, nnet3-info
          """);

  private final Option<String> view =
      options.string("view", "network", "What an SVG shows: network, steps, plan or memory");

  private final CompilerOptions compilation = new CompilerOptions(options);

  @Override
  public Options options() {
    return options;
  }

  @Override
  public Arguments arguments() {
    return new Arguments(2, 3);
  }

  @Override
  public int run(List<String> arguments, Log log) {
    Nnet nnet = Nnet.load(arguments.get(0));
    String to = arguments.get(arguments.size() - 1);
    boolean hasRequest = arguments.size() == 3;
    boolean isPage = to.endsWith(".html");
    if (!isPage && !to.endsWith(".svg")) {
      throw new ComputationException(
          "[nnet3-graph] a picture's name must end with .svg or .html; got %s; give another."
              .formatted(to));
    }
    String shown = view.get();
    if (!VIEWS.contains(shown)) {
      throw new ComputationException(
          "[nnet3-graph] --view must be one of %s; got \"%s\"; give another."
              .formatted(String.join(", ", VIEWS), shown));
    }
    if (!hasRequest && !isPage && !shown.equals("network")) {
      throw new ComputationException(
          "[nnet3-graph] --view=%s needs a request; got none; give one before the picture's name."
              .formatted(shown));
    }
    if (!hasRequest) {
      String network = DrawGraph.svg(NetworkGraph.of(nnet));
      write(to, isPage ? page(arguments.get(0), network).html() : network);
    } else {
      ComputationRequest request = NnetEval.request(arguments.get(1));
      try (Context context = compilation.open()) {
        Computation computation =
            Computation.compile(nnet, request, compilation.resident(context, log));
        write(to, isPage ? all(arguments, nnet, computation) : one(shown, nnet, computation));
      }
    }
    log.info("Wrote %s.", to);
    return 0;
  }

  private static Page page(String title, String network) {
    return new Page(Path.of(title).getFileName().toString()).image("network", network);
  }

  private static String one(String view, Nnet nnet, Computation computation) {
    return switch (view) {
      case "steps" -> DrawGraph.svg(computation.graph());
      case "plan" -> DrawGraph.svg(PlanGraph.of(computation.assignments()));
      case "memory" -> MemoryChart.svg(computation.assignments());
      default -> DrawGraph.svg(NetworkGraph.of(nnet));
    };
  }

  private static String all(List<String> arguments, Nnet nnet, Computation computation) {
    return page(arguments.get(0), one("network", nnet, computation))
        .image("steps", one("steps", nnet, computation))
        .image("plan", one("plan", nnet, computation))
        .image("memory", one("memory", nnet, computation))
        .text("assignments", computation.print())
        .html();
  }

  private static void write(String name, String text) {
    KaldiOutput.write(name, false, out -> out.writeBytes(text.getBytes(StandardCharsets.UTF_8)));
  }
}
