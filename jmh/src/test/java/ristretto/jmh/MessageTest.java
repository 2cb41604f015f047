package ristretto.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.jmh.report.Fact;
import ristretto.jmh.run.Measurement;

class MessageTest {
  static Message[] messages() {
    return new Message[] {
      new Message.Started("sigmoid 1e6"),
      new Message.Measured("sum3", "1000", new Measurement("torch", 1.5, 0x1p-40, 1e-9)),
      new Message.Found(new Fact("script", "a run", 0.61, "s", 0.7)),
      new Message.Found(new Fact("kernels", "of copy", 1, "", Optional.empty())),
      new Message.Remark("C: skipped, gcc was not found")
    };
  }

  @ParameterizedTest
  @MethodSource("messages")
  void survivesItsEncoding(Message message) {
    assertThat(Message.decode(message.encode())).contains(message);
  }

  @ParameterizedTest
  @MethodSource("messages")
  void isOneLine(Message message) {
    assertThat(message.encode()).doesNotContain("\n");
  }

  @org.junit.jupiter.api.Test
  void whatLibrariesPrintIsNoMessage() {
    assertThat(Message.decode("1 compiler directives added.")).isEmpty();
  }
}
