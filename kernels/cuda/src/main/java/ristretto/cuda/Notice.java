package ristretto.cuda;

import ristretto.kernels.debug.Debug;

/** Message about the library of some operations: printed once in a process if it is missing. */
final class Notice {
  private boolean told;

  /** Logs the message at the first call, and prints it if the library was not found. */
  synchronized void tell(boolean found, String words) {
    if (!told) {
      told = true;
      Debug.log(Debug.DEVICES, () -> "[cuda] " + words);
      if (!found) {
        System.err.println("[cuda] " + words);
      }
    }
  }
}
