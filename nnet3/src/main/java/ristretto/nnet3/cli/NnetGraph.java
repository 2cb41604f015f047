package ristretto.nnet3.cli;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import ristretto.expr.Context;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.CompilerOptions;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.compile.Computation;
import ristretto.nnet3.draw.HtmlPage;
import ristretto.nnet3.draw.KernelGraph;
import ristretto.nnet3.draw.MemoryChart;
import ristretto.nnet3.draw.NetworkGraph;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.network.Nnet;
import ristretto.report.picture.DrawGraph;

/** Draws a network and the computation of a request. */
final class NnetGraph extends Tool {
  private static final List<String> VIEWS = List.of("network", "steps", "plan", "memory");

  NnetGraph() {
    super(
        "nnet3-graph",
        """
        Draws a network. With a request, in the format of nnet3-eval, also draws the steps of its
        computation, the kernels, and their memory. A file name that ends with .svg gets one
        picture; one that ends with .html gets all pictures, on a page without further files.

        Usage:  nnet3-graph [options] <nnet> [<request>] <picture>
        e.g.
        nnet3-graph final.raw network.svg
        nnet3-graph final.raw request.txt computation.html
        nnet3-graph --view=plan final.raw request.txt plan.svg
        See also: nnet3-compile, nnet3-info
        """,
        2,
        3);
  }

  private final Option<String> view =
      options.string("view", "network", "Content of an SVG: network, steps, plan or memory");

  private final CompilerOptions compilation = new CompilerOptions(options);

  @Override
  public int run(List<String> arguments, CommandLog log) {
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
            Computation.compile(nnet, request, compilation.deviceParameters(context, log));
        write(to, isPage ? all(arguments, nnet, computation) : one(shown, nnet, computation));
      }
    }
    log.info("Wrote %s.", to);
    return 0;
  }

  private static HtmlPage page(String title, String network) {
    return new HtmlPage(Path.of(title).getFileName().toString()).image("network", network);
  }

  private static String one(String view, Nnet nnet, Computation computation) {
    return switch (view) {
      case "steps" -> DrawGraph.svg(computation.graph());
      case "plan" -> DrawGraph.svg(KernelGraph.of(computation.assignments()));
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
