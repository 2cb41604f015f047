package ristretto.nnet3.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import ristretto.nnet3.Cindex;
import ristretto.nnet3.Index;

class DescriptorTest {
  private static final List<String> NAMES = Arrays.asList("a", null, "b", "c");

  @Test
  void normalFormIsKaldis() {
    normal("a", "a");
    normal("Append(a)", "a");
    normal("Append(a, Append(b, c), b)", "Append(a, b, c, b)");
    normal("Sum(a)", "a");
    normal("Sum(a, b, c)", "Sum(a, Sum(b, c))");
    normal("Offset(Offset(a, 1, 2), -3)", "Offset(a, -2, 2)");
    normal("Offset(a, 1, 0)", "Offset(a, 1)");
    normal("Offset(Offset(a, 1), -1)", "a");
    normal("Offset(Const(1, 3), 0)", "Const(1, 3)");
    normal("Offset(Append(a, b), 2)", "Append(Offset(a, 2), Offset(b, 2))");
    normal("Offset(Sum(a, IfDefined(b)), 2)", "Sum(Offset(a, 2), IfDefined(Offset(b, 2)))");
    normal("Round(Failover(a, b), 2)", "Failover(Round(a, 2), Round(b, 2))");
    normal("ReplaceIndex(Sum(a, b), x, -1)", "Sum(ReplaceIndex(a, x, -1), ReplaceIndex(b, x, -1))");
    normal("Switch(Sum(a, b))", "Sum(Switch(a), Switch(b))");
    normal("Switch(Append(a,b),Append(b,c))", "Append(Switch(a, b), Switch(b, c))");
    normal("Scale(2, Offset(a, -1))", "Offset(Scale(2, a), -1)");
    normal("Scale(0.5, Round(Scale(-.5, a), 3))", "Round(Scale(-0.25, a), 3)");
    normal("Scale(2, Scale(0.5, a))", "a");
    normal("Scale(2, Sum(a, b))", "Sum(Scale(2, a), Scale(2, b))");
    normal("Scale(1e-5, ReplaceIndex(a, t, 0))", "ReplaceIndex(Scale(1e-05, a), t, 0)");
    normal("Const(1234567, 2)", "Const(1.23457e+06, 2)");
    normal("Sum(a, Scale(2, a))", "Sum(a, Scale(2, a))");
    normal("Failover(a, Const(0, 8))", "Failover(a, Const(0, 8))");
  }

  @Test
  void whatKaldiCannotCompileHasAMeaning() {
    normal("Scale(2, IfDefined(a))", "IfDefined(Scale(2, a))");
    normal("Scale(2, Failover(a, b))", "Failover(Scale(2, a), Scale(2, b))");
    normal("Scale(2, Switch(a, b))", "Switch(Scale(2, a), Scale(2, b))");
    normal("Scale(2, Const(3, 4))", "Const(6, 4)");
    normal("Offset(Const(3, 4), 1)", "Const(3, 4)");
    normal("Switch(a, Sum(b, c))", "Switch(a, Sum(b, c))");
    normal(
        "Offset(Sum(Append(a, b), c), 1)", "Sum(Append(Offset(a, 1), Offset(b, 1)), Offset(c, 1))");
  }

  private static void normal(String text, String expected) {
    Descriptor normal = Descriptor.parse(text, NAMES);
    assertThat(normal).hasToString(expected);
    assertThat(Descriptor.parse(expected, NAMES)).hasToString(expected);
  }

  @Test
  void messagesPointAtTheWord() {
    refused(
        "Apend(a, b)",
        0,
        "a descriptor must be a function or the name of an input, component or dim-range node; got"
            + " 'Apend'; did you mean 'Append'?");
    refused(
        "Append()",
        7,
        "a descriptor must be a function or the name of an input, component or dim-range node; got"
            + " ')'.");
    refused("Append(a, b", 11, "',' must come next in Append; got the end.");
    refused("Sum(a b)", 6, "',' must come next in Sum; got 'b'.");
    refused("IfDefined(a, b)", 11, "')' must come next in IfDefined; got ','.");
    refused("a b", 2, "a descriptor must be one expression; got 'b' after it.");
    refused("Offset(a, 1.5)", 10, "a whole number must be given here in Offset; got '1.5'.");
    refused("Round(a, 0)", 9, "the number in Round must be at least 1; got '0'.");
    refused("ReplaceIndex(a, n, 0)", 16, "ReplaceIndex must replace t or x; got 'n'.");
    refused("Scale(a, 2)", 6, "a finite number must be given here in Scale; got 'a'.");
    refused("Const(1, -1)", 9, "the number in Const must be at least 1; got '-1'.");
    String deep = "IfDefined(".repeat(1001);
    // of a long line, what is around the word
    String line = "input='" + deep + "'";
    int at = line.length() - 11;
    assertThatThrownBy(() -> Descriptor.parse(deep, NAMES))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "[config] descriptors must not be nested deeper than 1000; got more. At descriptor:1\n"
                + "  "
                + line.substring(at - 120)
                + "\n  "
                + " ".repeat(120)
                + "^");
  }

  private static void refused(String text, int at, String rule) {
    assertThatThrownBy(() -> Descriptor.parse(text, NAMES))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "[config] "
                + rule
                + " At descriptor:1\n  input='"
                + text
                + "'\n  "
                + " ".repeat(7 + at)
                + "^");
  }

  @Test
  void dimensionsMustAgree() {
    Descriptor d = Descriptor.parse("Append(Sum(a, b), Const(1, 5))", NAMES);
    assertThat(d.dim(node -> 3)).isEqualTo(8);
    assertThatThrownBy(() -> d.dim(node -> node + 1))
        .isInstanceOf(DimException.class)
        .hasMessage("the operands of Sum must have the same dimension; got a (1), b (3)");
  }

  @Test
  void modulusIsTheLeastThatKeepsTheStructure() {
    assertThat(modulus("Append(Switch(a, b), Round(Switch(a, b, c, a), 3))")).isEqualTo(6);
    assertThat(modulus("ReplaceIndex(Round(a, 3), t, 0)")).isEqualTo(1);
    assertThat(modulus("Offset(Switch(Round(a, 4), b), 1)")).isEqualTo(4);
    assertThat(modulus("Sum(a, IfDefined(Round(b, 5)))")).isEqualTo(5);
  }

  private static int modulus(String text) {
    return Descriptor.parse(text, NAMES).modulus();
  }

  @Test
  void rowsAreReadWhereTheDescriptorSays() {
    assertThat(reads("Offset(a, -2, 1)", new Index(3, 5))).containsExactly(cindex(0, 3, 3, 1));
    assertThat(reads("Round(a, 3)", new Index(0, -1, 4))).containsExactly(cindex(0, 0, -3, 4));
    assertThat(reads("Round(a, 3)", new Index(0, 5))).containsExactly(cindex(0, 0, 3, 0));
    assertThat(reads("ReplaceIndex(b, t, 7)", new Index(1, 5, 2)))
        .containsExactly(cindex(2, 1, 7, 2));
    assertThat(reads("ReplaceIndex(b, x, 7)", new Index(1, 5, 2)))
        .containsExactly(cindex(2, 1, 5, 7));
    assertThat(reads("Switch(a, b, c)", new Index(0, -1))).containsExactly(cindex(3, 0, -1, 0));
    assertThat(reads("Offset(Switch(a, b), 1)", new Index(0, 2)))
        .containsExactly(cindex(2, 0, 3, 0));
    assertThat(reads("Append(a, Sum(b, a), Const(1, 2))", new Index(0, 1)))
        .containsExactly(cindex(0, 0, 1, 0), cindex(2, 0, 1, 0), cindex(0, 0, 1, 0));
  }

  private static Cindex cindex(int node, int n, int t, int x) {
    return new Cindex(node, new Index(n, t, x));
  }

  private static List<Cindex> reads(String text, Index at) {
    var all = new ArrayList<Cindex>();
    Descriptor.parse(text, NAMES).dependencies(at, all::add);
    return all;
  }

  @Test
  void availableRowsDecideWhatIsComputable() {
    Set<Cindex> onlyA = Set.of(cindex(0, 0, 1, 0));
    assertThat(used("Sum(a, b)", onlyA)).isNull();
    assertThat(used("Failover(b, a)", onlyA)).containsExactly(cindex(0, 0, 1, 0));
    assertThat(used("Failover(a, b)", onlyA)).containsExactly(cindex(0, 0, 1, 0));
    assertThat(used("Failover(b, c)", onlyA)).isNull();
    assertThat(used("IfDefined(b)", onlyA)).isEmpty();
    assertThat(used("Sum(a, IfDefined(Sum(a, b)))", onlyA)).containsExactly(cindex(0, 0, 1, 0));
    assertThat(used("IfDefined(Failover(b, a))", onlyA)).containsExactly(cindex(0, 0, 1, 0));
    assertThat(used("Switch(b, a)", onlyA)).containsExactly(cindex(0, 0, 1, 0));
    assertThat(used("Const(1, 1)", Set.of())).isEmpty();
  }

  /** Indexes that the row at t = 1 uses, or null if the row is not computable. */
  private static List<Cindex> used(String text, Set<Cindex> available) {
    Descriptor d = Descriptor.parse(text, NAMES);
    Index at = new Index(0, 1);
    if (!d.isComputable(at, available::contains)) {
      return null;
    }
    var all = new ArrayList<Cindex>();
    d.used(at, available::contains, all::add);
    return all;
  }
}
