package ristretto.kernels.debug;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceFileTest {
  @TempDir Path folder;

  @Test
  void holdsAllEventsAfterEachFlush() throws IOException {
    Path path = folder.resolve("new/folder/trace.json");
    var file = new TraceFile(path);
    assertThat(path).doesNotExist();
    long start = System.nanoTime();
    String name = "a \"name\" \\ with\nall \u00e9 \ud83d\ude00 \u0001";
    file.add(name, "map", start, 1_500, "extents", List.of(2, 3), "bytes", 12L, "GB/s", 0.25);
    file.flush();
    Json.Event event = Json.events(Files.readString(path)).getFirst();
    assertThat(event.name()).isEqualTo(name);
    assertThat(event.category()).isEqualTo("map");
    assertThat(event.start()).isBetween(0.0, 1e9);
    assertThat(event.time()).isEqualTo(1.5);
    assertThat(event.details()).isEqualTo(Map.of("extents", "[2, 3]", "bytes", 12.0, "GB/s", 0.25));

    file.add("second", "row", start, 1, "GB/s", Double.NaN);
    file.flush();
    file.flush();
    assertThat(Json.events(Files.readString(path)))
        .extracting(Json.Event::name)
        .containsExactly(name, "second");
    assertThat(folder.resolve("new/folder")).isDirectoryContaining(f -> f.equals(path));
    try (var files = Files.list(path.getParent())) {
      assertThat(files).containsExactly(path);
    }
  }

  /** Events that were not flushed lie in a file beside the target, which can be read too. */
  @Test
  void longTracesGrowAsideUntilFlushed() throws IOException {
    Path path = folder.resolve("trace.json");
    Files.writeString(path, "an old one");
    var file = new TraceFile(path);
    int count = 30_000;
    for (int k = 0; k < count; k++) {
      file.add("event", "map", k, 1, "number", k);
    }
    assertThat(path).hasContent("an old one");
    try (var files = Files.list(folder)) {
      Path aside = files.filter(f -> !f.equals(path)).findFirst().orElseThrow();
      assertThat(Json.events(Files.readString(aside))).hasSizeBetween(10_000, count);
    }
    file.flush();
    assertThat(Json.events(Files.readString(path))).hasSize(count);
  }

  @Test
  void threadsAreNamed() throws Exception {
    Path path = folder.resolve("trace.json");
    var file = new TraceFile(path);
    var threads = new ArrayList<Thread>();
    for (int k = 0; k < 4; k++) {
      threads.add(
          Thread.ofPlatform()
              .name("worker " + k)
              .start(() -> {
                for (int i = 0; i < 1000; i++) {
                  file.add("event", "chunk", i, 1);
                }
              }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    file.flush();
    String text = Files.readString(path);
    assertThat(Json.events(text)).hasSize(4000);
    for (Thread thread : threads) {
      assertThat(text)
          .contains(
              "\"tid\":" + thread.threadId() + ",\"args\":{\"name\":\"" + thread.getName() + "\"}");
      assertThat(Json.events(text)).filteredOn(e -> e.thread() == thread.threadId()).hasSize(1000);
    }
  }

  @Test
  void refusesWhatCannotBeWritten() throws IOException {
    assertThatThrownBy(() -> new TraceFile(folder))
        .isInstanceOf(FileSystemException.class)
        .hasMessage(folder + ": is a folder");
    Path file = Files.writeString(folder.resolve("file"), "");
    assertThatThrownBy(() -> new TraceFile(file.resolve("trace.json")))
        .isInstanceOf(FileSystemException.class);
    assertThat(Trace.ON).isFalse();
  }
}
