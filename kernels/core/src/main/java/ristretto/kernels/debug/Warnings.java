package ristretto.kernels.debug;

import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLoggerFactory;

/** Warnings that users may act on. */
public final class Warnings {
  private Warnings() {}

  /**
   * Logs a warning, or prints it to standard error if the application has no logging.
   *
   * @param logger name of the logger
   */
  public static void warn(String logger, String text) {
    if (LoggerFactory.getILoggerFactory() instanceof NOPLoggerFactory) {
      System.err.println(text);
    } else {
      LoggerFactory.getLogger(logger).warn(text);
    }
  }
}
