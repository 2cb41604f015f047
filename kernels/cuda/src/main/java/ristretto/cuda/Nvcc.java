package ristretto.cuda;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import ristretto.kernels.KernelException;
import ristretto.kernels.debug.Debug;

/** nvcc, the compiler of the CUDA toolkit, for machines without NVRTC. Runs as a process. */
final class Nvcc implements Compiler {
  private static final Pattern RELEASE = Pattern.compile("release ([0-9.]+)");

  private final Path program;
  private final List<String> options;
  private final String version;

  private Nvcc(Path program, String release, int capability) {
    this.program = program;
    options = new ArrayList<>(List.of("--cubin", "-arch=sm_" + capability));
    options.addAll(EXACT);
    version = "nvcc " + release + "\n" + String.join(" ", options);
  }

  /** Returns the compiler; empty if nvcc does not support this GPU or does not run. */
  static Optional<Compiler> of(Path program, int capability) {
    try {
      String known = output(List.of(program.toString(), "--list-gpu-arch"));
      Matcher release = RELEASE.matcher(output(List.of(program.toString(), "--version")));
      if (!known.lines().anyMatch(line -> line.strip().equals("compute_" + capability))
          || !release.find()) {
        return Optional.empty();
      }
      System.err.println(
          "[cuda] NVRTC was not found; kernels are compiled with "
              + program
              + ", which takes a second each; name NVRTC's folder in RISTRETTO_CUDA_LIBRARIES");
      return Optional.of(new Nvcc(program, release.group(1), capability));
    } catch (IOException e) {
      Debug.log(Debug.DEVICES, () -> "[cuda] " + program + " does not work: " + e.getMessage());
      return Optional.empty();
    }
  }

  private static String output(List<String> command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new IOException(text);
      }
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted");
    }
    return text;
  }

  @Override
  public String version() {
    return version;
  }

  @Override
  public byte[] compile(String name, String source) throws Refused {
    try {
      Path folder = Files.createTempDirectory("ristretto-nvcc");
      Path from = folder.resolve(name + ".cu");
      Path to = folder.resolve(name + ".cubin");
      try {
        Files.writeString(from, source);
        var command = new ArrayList<String>(List.of(program.toString()));
        command.addAll(options);
        command.addAll(List.of("-o", to.toString(), from.toString()));
        try {
          output(command);
        } catch (IOException e) {
          throw new Refused(e.getMessage());
        }
        return Files.readAllBytes(to);
      } finally {
        Files.deleteIfExists(from);
        Files.deleteIfExists(to);
        Files.deleteIfExists(folder);
      }
    } catch (IOException e) {
      throw new KernelException(
          "[%s] nvcc needs a folder for its files; got %s; make room in %s"
              .formatted(name, e, System.getProperty("java.io.tmpdir")),
          e);
    }
  }
}
