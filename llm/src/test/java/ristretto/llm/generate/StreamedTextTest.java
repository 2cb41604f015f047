package ristretto.llm.generate;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StreamedTextTest {
  private static final byte[] GRIN = "😀".getBytes(StandardCharsets.UTF_8);

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Pieces for one byte after the other, and the rest. */
  private static List<String> pieces(StreamedText text, byte[] all) {
    var pieces = new ArrayList<String>();
    for (byte b : all) {
      pieces.add(text.add(new byte[] {b}));
    }
    pieces.add(text.end());
    return pieces;
  }

  @Test
  void charactersComeWhole() {
    assertThat(pieces(new StreamedText(List.of(), false), bytes("aü")))
        .containsExactly("a", "", "ü", "");
    assertThat(pieces(new StreamedText(List.of(), false), GRIN))
        .containsExactly("", "", "", "😀", "");
  }

  @Test
  void otherBytesAreReplaced() {
    var text = new StreamedText(List.of(), false);
    assertThat(text.add(new byte[] {'a', (byte) 0xff, 'b'})).isEqualTo("a\ufffdb");
    assertThat(text.add(new byte[] {GRIN[0], GRIN[1]})).isEmpty();
    assertThat(text.end()).isEqualTo("\ufffd");
    assertThat(text.ended()).isFalse();
  }

  @Test
  void stopTextsEndIt() {
    var text = new StreamedText(List.of("END", "\n\n"), false);
    assertThat(text.add(bytes("an E"))).isEqualTo("an ");
    assertThat(text.add(bytes("N"))).isEmpty();
    assertThat(text.add(bytes("T E"))).isEqualTo("ENT ");
    assertThat(text.ended()).isFalse();
    assertThat(text.add(bytes("ND more\n\n"))).isEmpty();
    assertThat(text.ended()).isTrue();
    assertThat(text.add(bytes("x"))).isEmpty();
    assertThat(text.end()).isEmpty();
  }

  @Test
  void theFirstStopTextCounts() {
    var text = new StreamedText(List.of("later", "b"), false);
    assertThat(text.add(bytes("a b later"))).isEqualTo("a ");
  }

  @Test
  void heldTextIsGivenAtTheEnd() {
    assertThat(pieces(new StreamedText(List.of("ab"), false), bytes("aa")))
        .containsExactly("", "a", "a");
  }

  @Test
  void aWholeJsonValueEndsIt() {
    var text = new StreamedText(List.of(), true);
    String value = "{\"a}\": [1, {\"b\\\"}\": \"]\"}]}";
    assertThat(text.add(bytes("Here it is: " + value.substring(0, 9))))
        .isEqualTo("Here it is: " + value.substring(0, 9));
    assertThat(text.ended()).isFalse();
    assertThat(text.add(bytes(value.substring(9) + " and more"))).isEqualTo(value.substring(9));
    assertThat(text.ended()).isTrue();
  }
}
