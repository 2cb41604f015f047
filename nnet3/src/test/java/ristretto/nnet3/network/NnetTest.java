package ristretto.nnet3.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import ristretto.nnet3.config.ConfigException;

class NnetTest {
  private static final String SMALL =
      """
      # The node comes before what it reads.
      output-node name=output input=Sum(a, Scale(2, a))
      component-node name=a component=copy input=Append(Offset(input, -1), part)
      dim-range-node name=part input-node=input dim=2 dim-offset=1
      input-node name=input dim=4
      component name=copy type=NoOpComponent dim=6
      """;

  private static Nnet nnet(String text) {
    return Nnet.fromConfig("net.config", text, 0);
  }

  @Test
  void configGivesNodesAndComponents() {
    Nnet nnet = nnet(SMALL);
    assertThat(nnet.configLines(true))
        .containsExactly(
            "output-node name=output input=Sum(a, Scale(2, a)) dim=6 objective=linear",
            "component-node name=a component=copy input=Append(Offset(input, -1), part) input-dim=6"
                + " output-dim=6",
            "dim-range-node name=part input-node=input dim-offset=1 dim=2",
            "input-node name=input dim=4");
    assertThat(nnet.inputDim("input")).isEqualTo(4);
    assertThat(nnet.inputDim("a")).isEqualTo(-1);
    assertThat(nnet.outputDim("output")).isEqualTo(6);
    assertThat(nnet.outputDim("none")).isEqualTo(-1);
    assertThat(nnet.sources(nnet.node(nnet.number("a")))).containsExactly(3, 2);
    assertThat(nnet.modulus()).isEqualTo(1);
    assertThat(nnet.warnings()).isEmpty();
  }

  @Test
  void secondConfigReplacesAndAdds() {
    Nnet nnet =
        nnet(SMALL)
            .withConfig(
                "more.config",
                """
                component name=other type=NoOpComponent dim=6
                component-node name=b component=other input=Round(a, 2)
                output-node name=output input=Append(b, Switch(a, b, a)) objective=quadratic
                """,
                0);
    assertThat(nnet.configLines(false))
        .containsExactly(
            "component-node name=a component=copy input=Append(Offset(input, -1), part)",
            "dim-range-node name=part input-node=input dim-offset=1 dim=2",
            "input-node name=input dim=4",
            "component-node name=b component=other input=Round(a, 2)",
            "output-node name=output input=Append(b, Switch(a, b, a)) objective=quadratic");
    assertThat(nnet.components().keySet()).containsExactly("copy", "other");
    assertThat(nnet.modulus()).isEqualTo(6);
    Nnet less = nnet.withConfig("less.config", "output-node name=output input=part", 0);
    assertThat(less.warnings())
        .containsExactly(
            "Node a is never used to compute any output.",
            "Node b is never used to compute any output.");
    assertThat(less.withConfig("c", "component-node name=a component=other input=a", 0).warnings())
        .contains("Component copy is never used by any node.");
  }

  @Test
  void wrongConfigsAreRefusedWithThePlace() {
    refused(
        "node name=foo",
        "a line must begin with component, component-node, input-node, output-node,"
            + " dim-range-node; got 'node'.",
        0);
    refused(
        "componet name=x",
        "a line must begin with component, component-node, input-node, output-node,"
            + " dim-range-node; got 'componet'; did you mean 'component'?",
        0);
    refused(
        "component name=r type=NopComponent dim=3",
        "a component's type must be known; got 'NopComponent'; did you mean" + " 'NoOpComponent'?",
        22);
    refused(
        "component-node name=r component=cop input=a",
        "a component-node must name a component that is defined; got 'cop'; did you mean 'copy'?",
        32);
    refused(
        "component-node name=r component=copy imput=a",
        "this line needs input=...; got 'imput'.",
        0);
    refused(
        "component-node name=r component=copy foo=1 input=a",
        "every key of this line must be known; got 'foo'.",
        37);
    refused(
        "component-node name=r component=copy input=output",
        "a descriptor must be a function or the name of an input, component or dim-range node;"
            + " got 'output'; did you mean 'input'?",
        43);
    refused(
        "component-node name=r component=copy input=input",
        "the input of a component-node must have the input dimension of its component; got 4, but"
            + " copy has 6.",
        43);
    refused(
        "output-node name=out2 input=Sum(a, input)",
        "the operands of Sum must have the same dimension; got a (6), input (4).",
        28);
    refused(
        "output-node name=out2 input=a objective=cubic",
        "an objective must be linear or quadratic; got 'cubic'.",
        40);
    refused(
        "dim-range-node name=r input-node=part dim=1 dim-offset=0",
        "a dim-range-node must read an input or component node; got 'part'.",
        33);
    refused(
        "dim-range-node name=r input-node=input dim=3 dim-offset=2",
        "the columns of a dim-range-node must exist; got 2 to 4 of input, which has 4.",
        56);
    refused("input-node name=a dim=0", "dim must be at least 1; got '0'.", 22);
    refused(
        "input-node name=a_input dim=1",
        "no node may have the name of component-node a with _input added; got 'a_input'.",
        16);
    assertThatThrownBy(() -> nnet(SMALL + "input-node name=a dim=1"))
        .hasMessage(
            """
            [config] a config must not define a node twice; got 'a'. At net.config:7
              input-node name=a dim=1
                              ^\
            """);
    assertThatThrownBy(() -> nnet("input-node name=a dim=1"))
        .hasMessage(
            "[config] a network must have an input-node and an output-node; got no output-node.");
  }

  private static void refused(String line, String rule, int at) {
    Nnet before = nnet(SMALL);
    assertThatThrownBy(() -> before.withConfig("more.config", line, 0))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "[config] " + rule + " At more.config:1\n  " + line + "\n  " + " ".repeat(at) + "^");
  }
}
