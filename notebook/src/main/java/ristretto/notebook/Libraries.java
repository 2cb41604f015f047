package ristretto.notebook;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Libraries that cells name as scripts do: {@code //DEPS group:artifact:version}. */
final class Libraries {
  private static final Pattern LINE = Pattern.compile("(?m)^//DEPS[ \\t]+(.*)$");
  private static final Pattern NAME = Pattern.compile("([^:<>&\\s]+):([^:<>&\\s]+):([^:<>&\\s]+)");
  private static final String PLUGIN =
      "org.apache.maven.plugins:maven-dependency-plugin:3.10.0:build-classpath";

  private Libraries() {}

  /**
   * Fetches the libraries that a cell names, with those that they need.
   *
   * @return their jars
   * @throws CellException if Maven cannot fetch them
   */
  static List<String> of(String cell) {
    var names = new ArrayList<String>();
    Matcher line = LINE.matcher(cell);
    while (line.find()) {
      names.addAll(List.of(line.group(1).strip().split("[ ,]+")));
    }
    if (names.isEmpty()) {
      return List.of();
    }
    var pom =
        new StringBuilder(
            "<project><modelVersion>4.0.0</modelVersion><groupId>cell</groupId>"
                + "<artifactId>cell</artifactId><version>0</version><dependencies>");
    for (String name : names) {
      Matcher parts = NAME.matcher(name);
      if (!parts.matches()) {
        throw failure("group:artifact:version after //DEPS must name a library", name);
      }
      pom.append("<dependency><groupId>").append(parts.group(1));
      pom.append("</groupId><artifactId>").append(parts.group(2));
      pom.append("</artifactId><version>").append(parts.group(3));
      pom.append("</version></dependency>");
    }
    return fetch(pom.append("</dependencies></project>").toString(), names);
  }

  private static List<String> fetch(String pom, List<String> names) {
    try {
      Path folder = Files.createTempDirectory("ristretto-cell");
      Path file = Files.writeString(folder.resolve("pom.xml"), pom);
      Path list = folder.resolve("libraries");
      Process maven =
          new ProcessBuilder(
                  "mvn",
                  "-q",
                  "-B",
                  "-ntp",
                  "-f",
                  file.toString(),
                  PLUGIN,
                  "-Dmdep.includeScope=runtime",
                  "-Dmdep.outputFile=" + list)
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("messages").toFile())
              .start();
      int status = maven.waitFor();
      List<String> jars =
          status == 0 ? List.of(Files.readString(list).strip().split(File.pathSeparator)) : null;
      for (String name : List.of("pom.xml", "libraries", "messages", "")) {
        Files.deleteIfExists(folder.resolve(name));
      }
      if (jars == null) {
        throw failure("Maven must be able to fetch the libraries of //DEPS", names.toString());
      }
      return jars;
    } catch (IOException e) {
      throw failure("Maven must be installed for the libraries of //DEPS", e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failure("the libraries of //DEPS must be fetched before the cell runs", "an interrupt");
    }
  }

  private static CellException failure(String rule, String got) {
    return new CellException(
        List.of(
            "[notebook] %s; got %s; check group, artifact and version, and the connection."
                .formatted(rule, got)));
  }
}
