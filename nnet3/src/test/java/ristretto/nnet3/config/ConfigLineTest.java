package ristretto.nnet3.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class ConfigLineTest {
  @Test
  void valuesReachToTheBlankBeforeTheNextKey() {
    ConfigLine line =
        line("  component-node\tname=a  input=Append(Offset(b, -1) , b)  x= # no y=1");
    assertThat(line.first()).isEqualTo("component-node");
    assertThat(line.string("name")).isEqualTo("a");
    assertThat(line.string("input")).isEqualTo("Append(Offset(b, -1) , b)");
    assertThat(line.string("x")).isEmpty();
    assertThat(line.has("y")).isFalse();
    line.refuseUnused();
  }

  @Test
  void quotesHoldEqualsSigns() {
    ConfigLine line = line("a1='type=NoOpComponent dim=3' b=\"x y\"c='it''s'");
    assertThat(line.first()).isEmpty();
    assertThat(line.string("b")).isEqualTo("x y");
    ConfigLine nested = line.nested("a1");
    assertThat(nested.string("type")).isEqualTo("NoOpComponent");
    assertThat(nested.integer("dim")).isEqualTo(3);
  }

  private static ConfigLine line(String text) {
    return ConfigLine.of("test", text.replace("'it''s'", "'its'"));
  }

  @Test
  void linesHaveTheirNumbers() {
    List<ConfigLine> lines = ConfigLine.parse("net.config", "\n# x\n a b=1 \r\n\t\nc d=x");
    assertThat(lines).hasSize(2);
    assertThat(lines.get(0).integer("b")).isEqualTo(1);
    assertThatThrownBy(() -> lines.get(1).integer("d"))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            """
            [config] d must be a whole number; got 'x'. At net.config:5
              c d=x
                  ^\
            """);
  }

  @Test
  void quotesAreCutAndEscaped() {
    ConfigLine line = ConfigLine.of("x", "a dim=\u001b[31m" + "y".repeat(100));
    assertThatThrownBy(() -> line.integer("dim"))
        .hasMessage(
            "[config] dim must be a whole number; got '\\u001b[31m%s...'. At x:1\n  a dim=?[31m%s\n  %s^"
                .formatted("y".repeat(67), "y".repeat(100), " ".repeat(6)));
  }

  @Test
  void numbersAreThoseOfCpp() {
    ConfigLine line = line("x a=+3 b=-.5e1 c=inf d=1. e=1:2,,-3 f=Truth g=-NaN h=fals");
    assertThat(line.integer("a")).isEqualTo(3);
    assertThat(line.real("b", 0)).isEqualTo(-5);
    assertThat(line.real("c", 0)).isEqualTo(Float.POSITIVE_INFINITY);
    assertThat(line.real("d", 0)).isEqualTo(1);
    assertThat(line.integers("e")).containsExactly(1, 2, -3);
    assertThat(line.flag("f", false)).isTrue();
    assertThat(line.real("g", 0)).isNaN();
    assertThat(line.flag("h", true)).isFalse();
    assertThat(line.real("i", 7)).isEqualTo(7);
  }

  @Test
  void messagesPointAtThePlace() {
    refused("x a=1 b=2 a=3", "a key must occur once in a line; got 'a' again.", "          ^");
    refused("1x a=1", "the first word of a line must be a name; got '1x'.", "^");
    refused(
        "x a='1' b",
        "after the first word, a line must consist of key=value; got 'b'.",
        "        ^");
    refused("x b", "after the first word, a line must consist of key=value; got 'b'.", "  ^");
    refused("x a$=1", "after the first word, a line must consist of key=value; got 'a$'.", "  ^");
    refused(
        "x a='1 b=2", "a quoted value must end with the quote it begins with; got none.", "    ^");
    refused("x n=1.5", "n must be a whole number; got '1.5'.", "    ^");
    refused("x n=3000000000", "n must be a whole number of 32 bits; got '3000000000'.", "    ^");
    refused("x n=0", "n must be at least 1; got '0'.", "    ^");
    refused("x a=1 m=3", "this line needs n=...; got none.", "^");
    refused("x n=1 r=0x1", "r must be a number; got '0x1'.", "        ^");
    refused("x n=1 s=-1", "s must not be negative; got '-1'.", "        ^");
    refused("x n=1 f=yes", "f must be true or false; got 'yes'.", "        ^");
    refused("x n=1 l=1,b", "l must be comma-separated whole numbers; got '1,b'.", "        ^");
    refused(
        "x n=1 name=1a",
        "a name must begin with a letter or _, followed by letters, digits, _, - or .; got '1a'.",
        "           ^");
    refused(
        "x n=1\tnam=1",
        "every key of this line must be known; got 'nam'; did you mean 'name'?",
        "     \t^");
  }

  private static void refused(String text, String rule, String caret) {
    assertThatThrownBy(
            () -> {
              ConfigLine line = line(text);
              line.positive("n");
              line.real("r", 1);
              line.notNegative("s", 1);
              line.flag("f", true);
              if (line.has("l")) {
                line.integers("l");
              }
              if (line.has("name")) {
                line.name("name");
              }
              line.refuseUnused();
            })
        .isInstanceOf(ConfigException.class)
        .hasMessage("[config] " + rule + " At test:1\n  " + text + "\n  " + caret);
  }
}
