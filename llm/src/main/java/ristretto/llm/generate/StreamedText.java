package ristretto.llm.generate;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Text of generated tokens, given out as soon as it is certain: whole characters only, and nothing
 * that may be the begin of a stop text.
 */
final class StreamedText {
  private final CharsetDecoder decoder =
      StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPLACE)
          .onUnmappableCharacter(CodingErrorAction.REPLACE);

  private final List<String> stops;
  private final JsonEnd json;

  /** Bytes of a character that is not complete. */
  private byte[] partial = {};

  /** Text that may be the begin of a stop text. */
  private String held = "";

  private boolean ended;

  /**
   * Creates an empty text.
   *
   * @param stops texts that end it; not part of it
   * @param json true if the end of a JSON value ends it
   */
  StreamedText(List<String> stops, boolean json) {
    this.stops = stops;
    this.json = json ? new JsonEnd() : null;
  }

  /** Returns true after a stop text or the end of the JSON value. */
  boolean ended() {
    return ended;
  }

  /** Adds the bytes of a token, and returns the text that became certain. */
  String add(byte[] bytes) {
    return ended ? "" : certain(decoded(bytes, false), false);
  }

  /** Returns the rest of the text after its last token. */
  String end() {
    return ended ? "" : certain(decoded(new byte[0], true), true);
  }

  private String decoded(byte[] bytes, boolean last) {
    ByteBuffer in = ByteBuffer.allocate(partial.length + bytes.length).put(partial).put(bytes);
    in.flip();
    CharBuffer out = CharBuffer.allocate(in.remaining() + 1);
    decoder.reset().decode(in, out, last);
    partial = new byte[in.remaining()];
    in.get(partial);
    return out.flip().toString();
  }

  private String certain(String more, boolean last) {
    if (json != null) {
      int end = json.end(more);
      if (end >= 0) {
        ended = true;
        return held + more.substring(0, end);
      }
    }
    String all = held + more;
    int cut = -1;
    for (String stop : stops) {
      int at = all.indexOf(stop);
      if (at >= 0 && (cut < 0 || at < cut)) {
        cut = at;
      }
    }
    if (cut >= 0) {
      ended = true;
      held = "";
      return all.substring(0, cut);
    }
    int keep = last ? 0 : begun(all);
    held = all.substring(all.length() - keep);
    return all.substring(0, all.length() - keep);
  }

  /** Number of characters at the end that a stop text may begin with. */
  private int begun(String text) {
    int longest = 0;
    for (String stop : stops) {
      for (int n = Math.min(stop.length() - 1, text.length()); n > longest; n--) {
        if (stop.startsWith(text.substring(text.length() - n))) {
          longest = n;
        }
      }
    }
    return longest;
  }
}
