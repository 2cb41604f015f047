package ristretto.notebook;

import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.dflib.jjava.jupyter.channels.JupyterConnection;
import org.dflib.jjava.jupyter.kernel.KernelConnectionProperties;

/** Command {@code notebook}: writes the kernel's description for Jupyter, or runs the kernel. */
public final class Notebook {
  private Notebook() {}

  /**
   * Runs the command.
   *
   * @param args the launcher; then {@code --install} and perhaps a folder, or the file with the
   *     ports of a notebook server
   */
  public static void main(String[] args) throws Exception {
    Path launcher = Path.of(args[0]);
    if (args[1].equals("--install")) {
      Path folder = args.length > 2 ? Path.of(args[2]) : kernels().resolve("ristretto");
      try {
        install(launcher, folder);
      } catch (IOException e) {
        System.err.printf(
            "ristretto: the kernel's description must be written to %s, which fails: %s%n",
            folder, e);
        System.exit(1);
      }
      System.err.printf(
          "ristretto: wrote %s; start a notebook with: jupyter notebook, kernel Ristretto%n",
          folder.resolve("kernel.json"));
      return;
    }
    String ports = Files.readString(Path.of(args[1]));
    var connection = new JupyterConnection(KernelConnectionProperties.parse(ports));
    RistrettoKernel kernel = RistrettoKernel.create(launcher.toAbsolutePath());
    kernel.becomeHandlerForConnection(connection);
    connection.connect();
    connection.waitUntilClose();
    // The device's threads need not end by themselves.
    System.exit(0);
  }

  /** Folder of the user's kernels, by Jupyter's rules. */
  private static Path kernels() {
    String data = System.getenv("JUPYTER_DATA_DIR");
    if (data != null) {
      return Path.of(data, "kernels");
    }
    Path home = Path.of(System.getProperty("user.home"));
    if (System.getProperty("os.name").startsWith("Mac")) {
      return home.resolve("Library/Jupyter/kernels");
    }
    return Optional.ofNullable(System.getenv("XDG_DATA_HOME"))
        .map(Path::of)
        .orElse(home.resolve(".local/share"))
        .resolve("jupyter/kernels");
  }

  /** Writes {@code kernel.json} to a folder, which is made if it does not exist. */
  static void install(Path launcher, Path folder) throws IOException {
    Map<String, Object> description = new LinkedHashMap<>();
    description.put(
        "argv", List.of(launcher.toAbsolutePath().toString(), "notebook", "{connection_file}"));
    description.put("display_name", "Ristretto");
    description.put("language", "java");
    // The default is a signal, which would end the process.
    description.put("interrupt_mode", "message");
    var json = new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();
    Files.createDirectories(folder);
    Path aside = Files.createTempFile(folder, ".kernel", ".json");
    try {
      Files.writeString(aside, json.toJson(description) + "\n");
      Files.move(
          aside,
          folder.resolve("kernel.json"),
          StandardCopyOption.REPLACE_EXISTING,
          StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(aside);
    }
  }
}
