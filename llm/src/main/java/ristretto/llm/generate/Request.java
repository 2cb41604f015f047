package ristretto.llm.generate;

import java.util.List;
import ristretto.kernels.ShapeException;

/**
 * Request for tokens that follow a prompt.
 *
 * @param prompt at least one token
 * @param sampling choice of the tokens
 * @param most most tokens to generate
 * @param stops texts that end the generation; they are not part of its text
 * @param json true if the end of the first JSON object or array ends the generation
 */
public record Request(
    List<Integer> prompt, Sampling sampling, int most, List<String> stops, boolean json) {
  /**
   * Checks the request.
   *
   * @throws ShapeException if the prompt or a stop text is empty, or the number is negative
   */
  public Request {
    prompt = List.copyOf(prompt);
    stops = List.copyOf(stops);
    require(!prompt.isEmpty(), "the prompt must have a token; got none; add the start token.");
    require(most >= 0, "the number of tokens must not be negative; got " + most + ".");
    require(
        stops.stream().noneMatch(String::isEmpty),
        "stop texts must not be empty; got an empty one; remove it.");
  }

  /** Creates a request without stop texts. */
  public Request(List<Integer> prompt, Sampling sampling, int most) {
    this(prompt, sampling, most, List.of(), false);
  }

  private static void require(boolean holds, String text) {
    if (!holds) {
      throw new ShapeException("[generate] " + text);
    }
  }
}
