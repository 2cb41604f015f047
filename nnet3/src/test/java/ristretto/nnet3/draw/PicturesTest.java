package ristretto.nnet3.draw;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import ristretto.expr.Context;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.compile.Computation;
import ristretto.nnet3.network.VectorNets;
import ristretto.nnet3.step.DeviceParameters;
import ristretto.report.picture.DrawGraph;

/** Pictures are whole, and say what they must. */
class PicturesTest {
  private static final String NET = "x-fast-lstmp";

  private static Document parse(String svg) throws Exception {
    var factory = DocumentBuilderFactory.newInstance();
    factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
    return factory.newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
  }

  private static List<String> texts(String svg) throws Exception {
    NodeList all = parse(svg).getElementsByTagName("text");
    return IntStream.range(0, all.getLength()).mapToObj(k -> all.item(k).getTextContent()).toList();
  }

  private static Computation computation(Context context) {
    var request = ComputationRequest.parse("request.txt", Vectors.text(NET, "request.txt"));
    return Computation.compile(VectorNets.read(NET), request, new DeviceParameters(context));
  }

  @Test
  void networksShowNodesAndTimes() throws Exception {
    List<String> texts = texts(DrawGraph.svg(NetworkGraph.of(VectorNets.read(NET))));
    assertThat(texts)
        .contains("input", "l1.W_all", "NaturalGradientAffine", "7 \u2192 24", "columns 6..11")
        .contains("output", "if defined t\u22123");
  }

  @Test
  void stepsShowShapesAndTimes() throws Exception {
    try (Context context = Context.open("cpu")) {
      List<String> texts = texts(DrawGraph.svg(computation(context).graph()));
      assertThat(texts).contains("T=3, N=2, D=24", "t=-4..-2", "t=5");
      assertThat(texts.stream().filter("l1.W_all"::equals)).hasSize(4);
    }
  }

  @Test
  void plansShowKernels() throws Exception {
    try (Context context = Context.open("cpu")) {
      Computation computation = computation(context);
      List<String> texts = texts(DrawGraph.svg(KernelGraph.of(computation.assignments())));
      assertThat(texts.stream().filter(t -> t.startsWith("product ")))
          .hasSize(
              (int)
                  computation.assignments().fused().stream()
                      .filter(f -> f.kind().equals("gemm"))
                      .count());
      assertThat(texts).contains("1. l1.W_all t=-4..-2", "product 20 \u00d7 24 \u00d7 4");
    }
  }

  @Test
  void memoryIsShownByPlace() throws Exception {
    try (Context context = Context.open("cpu")) {
      Computation computation = computation(context);
      List<String> texts = texts(MemoryChart.svg(computation.assignments()));
      assertThat(texts.get(0)).startsWith("Temporaries: ").contains(": at most ", " in use; ");
      assertThat(texts.stream().filter(t -> t.startsWith("place ")))
          .hasSize(computation.assignments().slotBytes().size());
    }
  }

  @Test
  void pagesNeedNothingElse() {
    String html = new HtmlPage("a <net>").image("one", "<svg/>").text("two", "x < y & z").html();
    assertThat(html)
        .contains("<title>a &lt;net&gt;</title>", "<svg/>", "<pre>x &lt; y &amp; z</pre>")
        .contains("<input type=\"radio\" name=\"part\" id=\"part0\" checked>")
        .doesNotContain("http", "<script", "<link");
  }
}
