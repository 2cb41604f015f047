package ristretto.jmh.peer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Input;
import ristretto.jmh.line.Line;
import ristretto.jmh.run.Competitor;
import ristretto.jmh.run.Job;

/** Peer in its own process: our side of {@link PeerServer}'s protocol. */
public final class PeerProcess implements Competitor {
  private static final long GOODBYE_SECONDS = 5;

  private final String name;
  private final Process process;
  private final PrintWriter requests;
  private final BufferedReader answers;
  private final String version;

  /**
   * Starts {@code command}.
   *
   * @throws IOException if it does not answer
   */
  public PeerProcess(String name, ProcessBuilder command) throws IOException {
    this.name = name;
    process = command.redirectError(ProcessBuilder.Redirect.DISCARD).start();
    requests = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
    answers = process.inputReader(StandardCharsets.UTF_8);
    String first = answers.readLine();
    if (first == null || !first.startsWith("ok ")) {
      process.destroy();
      throw new IOException(first == null ? "its process ended at once" : first);
    }
    version = first.substring(3);
  }

  @Override
  public String name() {
    return name;
  }

  public String version() {
    return version;
  }

  /**
   * Sends a request; returns the text after "ok", or "no".
   *
   * @throws IllegalStateException for any other answer
   */
  private String ask(String request) {
    requests.println(request);
    try {
      String answer = answers.readLine();
      if (answer == null) {
        throw new IllegalStateException("its process ended");
      }
      if (answer.equals("no")) {
        return answer;
      }
      if (!answer.startsWith("ok")) {
        throw new IllegalStateException(answer);
      }
      return answer.substring(2).trim();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public Offer prepare(Line line, Dims dims) {
    var request = new StringJoiner(" ").add("prepare").add(line.name()).add(dims.toString());
    for (Input input : line.inputs()) {
      request.add(
          String.format(
              Locale.ROOT,
              "%d:%s:%s",
              input.length().applyAsLong(dims),
              input.low(),
              input.high()));
    }
    try {
      return prepare(request.toString()).<Offer>map(Ready::new).orElseGet(NotOffered::new);
    } catch (IllegalStateException e) {
      return new Skipped("failed: " + e.getMessage());
    }
  }

  /**
   * Prepares the work of a request, which is a line of the protocol; empty if the peer does not
   * support the work.
   *
   * @throws IllegalStateException if it fails
   */
  public Optional<Job> prepare(String request) {
    return ask(request).equals("no") ? Optional.empty() : Optional.of(new PeerJob());
  }

  /** Peak bytes of tensors since the work was prepared; 0 if not known. */
  public long peak() {
    return Long.parseLong(ask("peak"));
  }

  private final class PeerJob implements Job {
    @Override
    public long time(long calls) {
      return Long.parseLong(ask("time " + calls));
    }

    @Override
    public double[] probe(long[] indices) {
      var request = new StringJoiner(" ").add("probe");
      Arrays.stream(indices).forEach(i -> request.add(Long.toString(i)));
      return Arrays.stream(ask(request.toString()).split(" "))
          .mapToDouble(Double::parseDouble)
          .toArray();
    }

    @Override
    public void close() {
      ask("release");
    }
  }

  @Override
  public void close() {
    requests.close();
    try {
      if (!process.waitFor(GOODBYE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  /** Limits the threads of every library that a peer may use. */
  public static void limitThreads(ProcessBuilder command, int threads) {
    for (String variable :
        List.of(
            "OMP_NUM_THREADS",
            "OPENBLAS_NUM_THREADS",
            "MKL_NUM_THREADS",
            "NUMEXPR_MAX_THREADS",
            "NUMEXPR_NUM_THREADS")) {
      command.environment().put(variable, Integer.toString(threads));
    }
  }
}
