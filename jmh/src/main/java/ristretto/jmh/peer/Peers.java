package ristretto.jmh.peer;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import ristretto.jmh.run.Competitor;

/** Starts the requested peers that are installed. */
public final class Peers implements AutoCloseable {
  private final List<Competitor> competitors = new ArrayList<>();
  private final List<String> remarks = new ArrayList<>();

  public Peers(List<String> names, int threads) {
    for (String name : names) {
      try {
        switch (name) {
          case "torch", "nd4j" -> start(name, java(name), threads);
          case "numexpr" -> startPython(name, "numexpr_server.py", "" + threads, threads);
          case "eager", "compile", "cupy" -> startPython(name, "cuda_server.py", name, threads);
          case "none" -> {}
          default -> throw new IllegalArgumentException(name);
        }
      } catch (IOException e) {
        remarks.add(name + ": skipped, " + e.getMessage());
      }
    }
  }

  private void start(String name, List<String> command, int threads) throws IOException {
    var builder = new ProcessBuilder(command);
    PeerProcess.limitThreads(builder, threads);
    var peer = new PeerProcess(name, builder);
    competitors.add(peer);
    remarks.add(name + ": " + peer.version());
  }

  /**
   * Command line of a Java peer, with the class path that its module's build created.
   *
   * @throws IOException if the peer is not built
   */
  public static List<String> java(String name) throws IOException {
    Optional<Path> folder = findBuild(name);
    if (folder.isEmpty()) {
      throw new IOException("not built; run mvn -f jmh/peers/pom.xml package");
    }
    String path = folder.get().resolve("classes") + File.pathSeparator + folder.get() + "/lib/*";
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "--enable-native-access=ALL-UNNAMED",
        "-Xmx3g",
        "-Dorg.bytedeco.javacpp.maxBytes=0",
        "-Dorg.bytedeco.javacpp.maxPhysicalBytes=0",
        "-cp",
        path,
        "ristretto.jmh.peer." + name + ".Server",
        "serve");
  }

  /** Searches the parent folders of this class's location, then those of the working directory. */
  private static Optional<Path> findBuild(String name) {
    for (Path start : List.of(ownPlace(), Path.of("").toAbsolutePath())) {
      for (Path root = start; root != null; root = root.getParent()) {
        Path target = root.resolve("jmh/peers").resolve(name).resolve("target");
        if (Files.isDirectory(target.resolve("lib"))) {
          return Optional.of(target);
        }
      }
    }
    return Optional.empty();
  }

  private static Path ownPlace() {
    try {
      return Path.of(Peers.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Starts a peer with the first Python that has its library. */
  private void startPython(String name, String server, String argument, int threads)
      throws IOException {
    Path script = Files.createTempFile("ristretto-" + name, ".py");
    script.toFile().deleteOnExit();
    try (InputStream in = Peers.class.getResourceAsStream(server)) {
      Files.write(script, in.readAllBytes());
    }
    IOException last = null;
    for (String python : List.of("python3", "/usr/bin/python3")) {
      try {
        start(name, List.of(python, script.toString(), argument), threads);
        return;
      } catch (IOException e) {
        last = e;
      }
    }
    throw new IOException("no python3 with it was found (" + last.getMessage() + ")");
  }

  public List<Competitor> competitors() {
    return List.copyOf(competitors);
  }

  /** Versions of the peers, and reasons why others are missing. */
  public List<String> remarks() {
    return List.copyOf(remarks);
  }

  @Override
  public void close() {
    competitors.forEach(Competitor::close);
  }
}
