package ristretto.testkit;

import java.util.ArrayList;
import java.util.List;
import ristretto.expr.Context;
import ristretto.kernels.RistrettoException;
import ristretto.kernels.device.DeviceProvider;
import ristretto.kernels.device.DeviceProviders;

/**
 * Command {@code devices --check}: runs the short form of the kit on every device and prints a
 * table and the failures.
 */
public final class CheckDevices {
  private static final int CHECKS_PER_DOT = 25;
  private static final int MOST_THREADS = 8;

  private CheckDevices() {}

  /**
   * Exits with 0 if every available device passes every check, else with 1.
   *
   * @param args none
   */
  public static void main(String[] args) {
    // Does not store programs: these hundreds of kernels are not needed again.
    System.setProperty("ristretto.cache.programs", "off");
    var report = new CheckReport();
    for (String device : devices()) {
      check(device, report);
    }
    System.out.print(report);
    System.exit(report.passed() ? 0 : 1);
  }

  /** Names of all devices, cpu devices first. */
  private static List<String> devices() {
    var names = new ArrayList<String>();
    for (DeviceProvider p : DeviceProviders.all()) {
      for (int k = 0; k < p.devices().size(); k++) {
        names.add(p.kind().equals("cpu") ? k : names.size(), p.kind() + ":" + k);
      }
      if (p.devices().isEmpty()) {
        System.err.println(p.kind() + ": not available: " + p.remedy());
      }
    }
    return names;
  }

  private static void check(String device, CheckReport report) {
    System.err.print(device + " ");
    long start = System.nanoTime();
    try {
      CheckRun run =
          CheckRun.of(() -> Context.open(device), ShortForm.checks(), threads(), new Dots());
      System.err.print(" measuring");
      try (Context ctx = Context.open(device)) {
        report.add(device, run, Measures.of(ctx));
      }
    } catch (RistrettoException e) {
      report.add(device, e);
    }
    System.err.println(" " + (System.nanoTime() - start) / 1_000_000_000 + " s");
  }

  private static int threads() {
    return Math.min(MOST_THREADS, Runtime.getRuntime().availableProcessors());
  }

  /** Progress indicator: prints one dot per {@link #CHECKS_PER_DOT} checks. */
  private static final class Dots implements Runnable {
    private int done;

    @Override
    public synchronized void run() {
      if (++done % CHECKS_PER_DOT == 0) {
        System.err.print('.');
      }
    }
  }
}
