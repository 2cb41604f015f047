package ristretto.kernels.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import ristretto.kernels.FileFormatException;

class EscapeTest {
  @Test
  void charactersThatATerminalObeysAreEscaped() {
    assertThat(Escape.of('a')).isEqualTo("a");
    assertThat(Escape.of('ä')).isEqualTo("ä");
    assertThat(Escape.of('\n')).isEqualTo("\\n");
    assertThat(Escape.of('\r')).isEqualTo("\\r");
    assertThat(Escape.of('\t')).isEqualTo("\\t");
    assertThat(Escape.of(0x1b)).isEqualTo("\\u001b");
    assertThat(Escape.of(0x202e)).isEqualTo("\\u202e");
    assertThat(Escape.of(0xe0001)).isEqualTo("\\u{e0001}");
  }

  @Test
  void messagesKeepTheirLines() {
    assertThat(Escape.lines(null)).isNull();
    assertThat(Escape.lines("a\n\tb ä \ud83d\ude00")).isEqualTo("a\n\tb ä \ud83d\ude00");
    assertThat(Escape.lines("\u001b[31m\rä\u0085\ud800"))
        .isEqualTo("\\u001b[31m\\rä\\u0085\\ud800");
  }

  @Test
  void messagesOfExceptionsAreEscaped() {
    assertThat(new FileFormatException("[load] got \u001b[2J\u0007;\n\tnext"))
        .hasMessage("[load] got \\u001b[2J\\u0007;\n\tnext");
  }
}
