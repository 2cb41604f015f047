package ristretto.llm.generate;

/** Finds the end of the first JSON object or array of a text that comes in parts. */
final class JsonEnd {
  private int depth;
  private boolean inString;
  private boolean escaped;

  /**
   * Reads the next part of the text.
   *
   * @return index after the bracket that closes the value; -1 if it is not in this part
   */
  int end(String part) {
    for (int k = 0; k < part.length(); k++) {
      char c = part.charAt(k);
      if (escaped) {
        escaped = false;
      } else if (inString) {
        escaped = c == '\\';
        inString = c != '"';
      } else if (c == '"') {
        inString = depth > 0;
      } else if (c == '{' || c == '[') {
        depth++;
      } else if (depth > 0 && (c == '}' || c == ']') && --depth == 0) {
        return k + 1;
      }
    }
    return -1;
  }
}
