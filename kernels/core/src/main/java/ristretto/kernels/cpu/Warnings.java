package ristretto.kernels.cpu;

import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLoggerFactory;

/** What users should know of and may change. */
final class Warnings {
  private Warnings() {}

  /** Goes to standard error where the application has no logging. */
  static void warn(String text) {
    if (LoggerFactory.getILoggerFactory() instanceof NOPLoggerFactory) {
      System.err.println(text);
    } else {
      LoggerFactory.getLogger("ristretto.cpu").warn(text);
    }
  }
}
