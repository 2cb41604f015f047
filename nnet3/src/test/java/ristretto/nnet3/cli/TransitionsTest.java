package ristretto.nnet3.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.nnet3.Vectors;

/**
 * Acoustic models that Kaldi made of trees and topologies, with the same classes for staying and
 * leaving, and with others, as in models of chains.
 */
class TransitionsTest extends ToolTest {
  private String copy(String name) {
    Path to = folder().resolve(name.replace('/', '-'));
    try (InputStream in = Vectors.class.getResourceAsStream("transitions/" + name)) {
      Files.write(to, in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return to.toString();
  }

  private static void same(String one, String other) {
    assertThat(Path.of(one)).hasSameBinaryContentAs(Path.of(other));
  }

  @ParameterizedTest
  @ValueSource(strings = {"hmm4", "hmm6", "not4", "not6"})
  void modelsAreThoseOfKaldi(String name) {
    String binary = copy(name + "/model.mdl");
    String text = copy(name + "/model.txt");
    int status =
        run("nnet3-am-init", copy(name + "/tree"), copy(name + "/topo"), copy("0.raw"), at("made"));
    assertThat(status).as(log()).isZero();
    same(at("made"), binary);
    assertThat(run("nnet3-am-copy", binary, at("same"))).isZero();
    same(at("same"), binary);
    assertThat(run("nnet3-am-copy", "--binary=false", binary, at("text"))).as(log()).isZero();
    same(at("text"), text);
    assertThat(run("nnet3-am-copy", "--binary=false", text, at("text2"))).isZero();
    same(at("text2"), text);
    assertThat(run("nnet3-am-copy", text, at("binary"))).as(log()).isZero();
    assertThat(run("nnet3-am-copy", "--binary=false", at("binary"), at("text3"))).isZero();
    same(at("text3"), text);
  }

  private void refused(String file, String content, String message) throws IOException {
    String tree = copy("hmm4/tree");
    String topology = copy("hmm4/topo");
    Files.writeString(file.equals("tree") ? Path.of(tree) : Path.of(topology), content);
    String to = at("made");
    assertThat(run("nnet3-am-init", tree, topology, copy("0.raw"), to)).isEqualTo(255);
    assertThat(last()).startsWith("ERROR (nnet3-am-init) [kaldi] " + message);
    assertThat(Path.of(to)).doesNotExist();
  }

  @Test
  void treesMustMakeSense() throws IOException {
    refused(
        "tree",
        "ContextDependency 2 2 ToPdf CE 0 EndContextDependency ",
        "a window must have 1 to 1000 phones, and its center in it; got 2 phones with the center 2"
            + " at byte 18");
    refused(
        "tree",
        "ContextDependency 1 0 ToPdf XE 0 ",
        "one of NULL, CE, TE, SE must come next; got \"XE\" at byte 28");
    refused(
        "tree",
        "ContextDependency 1 0 ToPdf CE -1 ",
        "distributions must be numbered from 0; got -1 at byte 28");
    refused(
        "tree",
        "ContextDependency 1 0 ToPdf " + "SE 0 [ ]\n{ ".repeat(2000),
        "a tree must have at most 1000 levels; got more at byte ");
  }

  private static String topology(String states) {
    return "<Topology> <TopologyEntry> <ForPhones> 1 </ForPhones> "
        + states
        + " </TopologyEntry> </Topology> ";
  }

  @Test
  void topologiesMustMakeSense() throws IOException {
    String last = "<State> 1 </State>";
    refused(
        "topo",
        "<Topology> </Topology> ",
        "a topology must have entries, each for some phones; got 0 entries for 0 phones at byte ");
    refused(
        "topo",
        "<Topology> <TopologyEntry> <ForPhones> 1 1 ",
        "a phone must be a number above 0, in one topology only; got 1 at byte ");
    refused(
        "topo",
        topology("<State> 1 </State>"),
        "states must be numbered consecutively, 0 here; got 1 at byte ");
    refused(
        "topo",
        topology("<State> 0 </State>"),
        "an entry must have a last state without transitions and class, after others; got 1 states"
            + " at byte ");
    refused(
        "topo",
        topology("<State> 0 <PdfClass> 0 </State> " + last),
        "of state 0, states but the last one must have transitions; got none at byte ");
    refused(
        "topo",
        topology("<State> 0 <PdfClass> -2 <Transition> 1 1 </State> " + last),
        "of state 0, classes must be numbers from 0; got a negative one at byte ");
    refused(
        "topo",
        topology("<State> 0 <PdfClass> 0 <Transition> 2 1 </State> " + last),
        "of state 0, transitions must go to different states; got one to 2 at byte ");
    refused(
        "topo",
        topology("<State> 0 <PdfClass> 0 <Transition> 1 2 </State> " + last),
        "of state 0, probabilities must be above 0 and at most 1; got 2.0 at byte ");
    refused(
        "topo",
        topology("<State> 0 <Transition> 1 1 </State> " + last),
        "of state 0, a state without class must not loop or lead to the last state; got to 1 at"
            + " byte ");
    refused(
        "topo",
        topology("<State> 0 <PdfClass> 1 <Transition> 1 1 </State> " + last),
        "classes must be numbered from 0 without gaps; got [1] at byte ");
    refused(
        "topo",
        topology(
            "<State> 0 <PdfClass> 0 <Transition> 2 1 </State> <State> 1 <PdfClass> 0 <Transition> 2"
                + " 1 </State> <State> 2 </State>"),
        "each state must be reachable; got 2 of 3 at byte ");
  }

  @Test
  void transitionsAreCheckedWhereTheyChangeTheirMode() throws IOException {
    String text = Files.readString(Path.of(copy("hmm4/model.txt")), StandardCharsets.UTF_8);
    changed(
        text.replace("<LogProbs> \n [ 0", "<LogProbs> \n [ "),
        "there must be a log-probability for each of ");
    changed(
        text.replaceFirst("<Triples> (\\d+) \n\\d+ ", "<Triples> $1 \n77 "),
        "a phone and its state must be in the topology; got state 0 of phone 77 at byte ");
    changed(
        text.replace("<Triples>", "<Triple>"),
        "one of <Triples>, <Tuples> must come next; got \"<Triple>\" at byte ");
  }

  private void changed(String text, String message) throws IOException {
    Files.writeString(folder().resolve("changed"), text);
    assertThat(run("nnet3-am-copy", "--binary=false", at("changed"), at("kept"))).isZero();
    same(at("kept"), at("changed"));
    assertThat(run("nnet3-am-copy", at("changed"), at("other"))).isEqualTo(255);
    assertThat(last()).startsWith("ERROR (nnet3-am-copy) [kaldi] " + message);
    assertThat(folder().resolve("other")).doesNotExist();
  }

  @Test
  void treesAndTopologiesMustHavePhonesInCommon() throws IOException {
    String tree = copy("hmm4/tree");
    Files.writeString(
        Path.of(tree), "ContextDependency 1 0 ToPdf TE 0 1 ( CE 0 ) EndContextDependency ");
    assertThat(run("nnet3-am-init", tree, copy("hmm4/topo"), copy("0.raw"), at("made")))
        .isEqualTo(255);
    assertThat(last())
        .matches(
            "ERROR \\(nnet3-am-init\\) \\[am-nnet] a tree and a topology must have phones in"
                + " common; got none of \\d; give a matching pair\\.");
  }
}
