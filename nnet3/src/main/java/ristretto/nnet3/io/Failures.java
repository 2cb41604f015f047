package ristretto.nnet3.io;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** What failures of files are called in messages. */
final class Failures {
  private Failures() {}

  static String why(IOException e) {
    return switch (e) {
      case NoSuchFileException _ -> "no such file";
      case NotDirectoryException _ -> "no such folder";
      case AccessDeniedException _ -> "access denied";
      default -> String.valueOf(e.getMessage());
    };
  }
}
