package ristretto.jmh.peer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.StringJoiner;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Input;

/**
 * Peer's side of the protocol; it uses only the JDK, since it runs on the peer's class path.
 * Requests are lines: {@code prepare LINE DIMS LENGTH:LOW:HIGH...}, {@code time CALLS}, {@code
 * probe INDEX...}, {@code peak}, {@code release}. Answers are {@code ok ...}, {@code no} for a line
 * that the library does not support, or {@code error ...}.
 */
public final class PeerServer {
  private final Library library;
  private PeerWork work;

  /** Library that implements lines. */
  public interface Library {
    /** Name and version for the report. */
    String version();

    /** Prepares a line; empty if the library does not support it. */
    Optional<PeerWork> prepare(String line, Dims dims, Data[] inputs);
  }

  /** Description of an input, from which its values are computed. */
  public record Data(int number, long length, double low, double high) {
    /** Values as an array, for libraries that take arrays. */
    public float[] floats() {
      float[] values = new float[Math.toIntExact(length)];
      for (int i = 0; i < values.length; i++) {
        values[i] = Input.value(number, i, low, high);
      }
      return values;
    }
  }

  private PeerServer(Library library) {
    this.library = library;
  }

  /** Serves until standard input ends. */
  public static void serve(Library library, PrintStream out) throws IOException {
    var server = new PeerServer(library);
    out.println("ok " + library.version());
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String answer;
      try {
        answer = server.answer(line.trim().split(" "));
      } catch (RuntimeException | OutOfMemoryError e) {
        answer = "error " + String.valueOf(e).replaceAll("\\s+", " ");
      }
      out.println(answer);
    }
    server.release();
  }

  private String answer(String[] words) {
    return switch (words[0]) {
      case "prepare" -> prepare(words);
      case "time" -> "ok " + time(Long.parseLong(words[1]));
      case "probe" -> probe(words);
      case "peak" -> "ok " + work.peak();
      case "release" -> {
        release();
        yield "ok";
      }
      default -> "error unknown request " + words[0];
    };
  }

  private String prepare(String[] words) {
    Data[] inputs = new Data[words.length - 3];
    for (int k = 0; k < inputs.length; k++) {
      String[] parts = words[k + 3].split(":");
      inputs[k] =
          new Data(
              k,
              Long.parseLong(parts[0]),
              Double.parseDouble(parts[1]),
              Double.parseDouble(parts[2]));
    }
    work = library.prepare(words[1], Dims.parse(words[2]), inputs).orElse(null);
    return work == null ? "no" : "ok";
  }

  private long time(long calls) {
    long start = System.nanoTime();
    for (long k = 0; k < calls; k++) {
      work.run();
    }
    return System.nanoTime() - start;
  }

  private String probe(String[] words) {
    var values = new StringJoiner(" ");
    Arrays.stream(words)
        .skip(1)
        .mapToLong(Long::parseLong)
        .forEach(i -> values.add(Double.toString(work.at(i))));
    return "ok " + values;
  }

  private void release() {
    if (work != null) {
      work.close();
      work = null;
    }
    System.gc();
  }
}
