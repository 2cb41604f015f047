package ristretto.kernels.debug;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * File of trace events, under a temporary name until the first flush renames the file. Each write
 * ends with the closing brackets, which the next write overwrites, so that the file is valid at any
 * time. Thread-safe.
 */
final class TraceFile {
  private static final int BUFFERED = 1 << 20;
  private static final String END = "\n]}\n";

  private final Path target;
  private final Path aside;
  private final FileChannel channel;
  private final long pid = ProcessHandle.current().pid();
  private final long epoch = System.nanoTime();
  private final StringBuilder text = new StringBuilder("{\"traceEvents\":[\n");
  private final Set<Long> threads = new HashSet<>();

  /** Length of the file in bytes, without {@link #END}. */
  private long written;

  private boolean renamed;
  private boolean failed;

  /** Creates the file and missing folders. */
  TraceFile(Path file) throws IOException {
    target = file.toAbsolutePath();
    if (Files.isDirectory(target)) {
      throw new FileSystemException(target.toString(), null, "is a folder");
    }
    if (Files.exists(target) && !Files.isWritable(target)) {
      throw new FileSystemException(target.toString(), null, "is read-only");
    }
    Files.createDirectories(target.getParent());
    aside = target.resolveSibling("." + target.getFileName() + "." + pid + ".part");
    channel =
        FileChannel.open(
            aside,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE);
    metadata("process_name", 0, "ristretto");
  }

  /** Adds an event; see {@link Trace#event}. */
  synchronized void add(String name, String category, long start, long nanos, Object... details) {
    Thread thread = Thread.currentThread();
    if (threads.add(thread.threadId())) {
      text.append(",\n");
      metadata("thread_name", thread.threadId(), thread.getName());
    }
    text.append(",\n{\"name\":");
    string(name);
    text.append(",\"cat\":");
    string(category);
    text.append(",\"ph\":\"X\",\"ts\":").append((start - epoch) / 1e3);
    text.append(",\"dur\":").append(nanos / 1e3);
    text.append(",\"pid\":").append(pid).append(",\"tid\":").append(thread.threadId());
    text.append(",\"args\":{");
    for (int k = 0; k < details.length; k += 2) {
      text.append(k == 0 ? "" : ",");
      string((String) details[k]);
      text.append(':');
      if (details[k + 1] instanceof Number n && Double.isFinite(n.doubleValue())) {
        text.append(n);
      } else {
        string(String.valueOf(details[k + 1]));
      }
    }
    text.append("}}");
    if (text.length() > BUFFERED) {
      write();
    }
  }

  /** Writes all events so far and gives the file its final name. */
  synchronized void flush() {
    write();
    if (!renamed && !failed) {
      try {
        Files.move(aside, target, StandardCopyOption.REPLACE_EXISTING);
        renamed = true;
      } catch (IOException e) {
        fail(e);
      }
    }
  }

  private void write() {
    if (!failed && !text.isEmpty()) {
      byte[] bytes = text.append(END).toString().getBytes(StandardCharsets.UTF_8);
      ByteBuffer rest = ByteBuffer.wrap(bytes);
      try {
        while (rest.hasRemaining()) {
          channel.write(rest, written + rest.position());
        }
        written += bytes.length - END.length();
      } catch (IOException e) {
        fail(e);
      }
    }
    text.setLength(0);
  }

  /** Reports a failure once and stops tracing; the program continues without its profile. */
  private void fail(IOException e) {
    failed = true;
    System.err.println("[trace] cannot write " + target + ": " + e + "; the trace ends here");
  }

  private void metadata(String what, long thread, String name) {
    text.append("{\"name\":\"").append(what).append("\",\"ph\":\"M\",\"pid\":").append(pid);
    text.append(",\"tid\":").append(thread).append(",\"args\":{\"name\":");
    string(name);
    text.append("}}");
  }

  private void string(String s) {
    text.append('"');
    for (int k = 0; k < s.length(); k++) {
      char c = s.charAt(k);
      if (c == '"' || c == '\\') {
        text.append('\\').append(c);
      } else if (c < ' ' || Character.isSurrogate(c)) {
        text.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        text.append(c);
      }
    }
    text.append('"');
  }
}
