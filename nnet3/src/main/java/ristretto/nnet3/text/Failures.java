package ristretto.nnet3.text;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Locale;

/** Descriptions of file failures for messages. */
public final class Failures {
  private Failures() {}

  /** Returns the reason of a failure in a few words. */
  public static String why(IOException e) {
    return switch (e) {
      case NoSuchFileException _ -> "no such file";
      case NotDirectoryException _ -> "no such folder";
      case AccessDeniedException _ -> "access denied";
      case FileSystemException f when f.getReason() != null ->
          f.getReason().toLowerCase(Locale.ROOT);
      default -> String.valueOf(e.getMessage());
    };
  }
}
