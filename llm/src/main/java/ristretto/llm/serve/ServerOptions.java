package ristretto.llm.serve;

import java.time.Duration;
import ristretto.kernels.ShapeException;

/**
 * Limits of a {@link ChatServer}.
 *
 * @param host address that the server listens on
 * @param port 0 for any free one
 * @param requests most requests that are answered or wait at a time; more are refused
 * @param bodyBytes most bytes of a request
 * @param answerTokens most tokens of an answer
 * @param time most time of a request, from its arrival to the end of its answer
 */
public record ServerOptions(
    String host, int port, int requests, int bodyBytes, int answerTokens, Duration time) {
  /** Port 8080 of this machine alone, 128 requests, 1 MiB, 4096 tokens, 10 minutes. */
  public static final ServerOptions DEFAULT =
      new ServerOptions("127.0.0.1", 8080, 128, 1 << 20, 4096, Duration.ofMinutes(10));

  /** Returns these limits with another port. */
  public ServerOptions port(int other) {
    return new ServerOptions(host, other, requests, bodyBytes, answerTokens, time);
  }

  /**
   * Checks the limits.
   *
   * @throws ShapeException if one is out of range
   */
  public ServerOptions {
    require(port >= 0 && port < 1 << 16, "port", "from 0 to 65535", port);
    require(requests >= 1, "number of requests", "at least 1", requests);
    require(bodyBytes >= 1 && bodyBytes <= 1 << 30, "bytes of a request", "1 to 2^30", bodyBytes);
    require(answerTokens >= 1, "tokens of an answer", "at least 1", answerTokens);
    require(!time.isNegative(), "time of a request", "not negative", time.toSeconds() + " s");
  }

  private static void require(boolean holds, String what, String range, Object got) {
    if (!holds) {
      throw new ShapeException("[serve] the %s must be %s; got %s.".formatted(what, range, got));
    }
  }
}
