package ristretto.testkit;

import java.util.ArrayList;
import java.util.List;
import ristretto.expr.Context;
import ristretto.kernels.RistrettoException;
import ristretto.kernels.device.DeviceProvider;
import ristretto.kernels.device.DeviceProviders;

/**
 * The command {@code devices --check}: the short form of the kit on every device found, as a table,
 * and what failed.
 */
public final class CheckDevices {
  private static final int CHECKS_PER_DOT = 10;

  private CheckDevices() {}

  /**
   * Exits with 0 if every device that is there passes every check, else with 1.
   *
   * @param args none
   */
  public static void main(String[] args) {
    System.exit(run(devices()) ? 0 : 1);
  }

  /** Names of all devices, first the processor. */
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

  private static boolean run(List<String> devices) {
    var rows = new ArrayList<List<String>>();
    var failures = new StringBuilder();
    boolean passed = true;
    for (String device : devices) {
      System.err.print(device + " ");
      try (Context ctx = Context.open(device)) {
        List<Check> checks = ShortForm.checks();
        var done = new int[1];
        CheckRun run =
            new CheckRun(
                ctx,
                () -> {
                  if (++done[0] % CHECKS_PER_DOT == 0) {
                    System.err.print('.');
                  }
                });
        run.all(checks);
        System.err.print(" measuring");
        Measures measures = Measures.of(ctx);
        rows.add(CheckTable.row(device, run, measures));
        run.failures().forEach(f -> failures.append("\n").append(device).append(": ").append(f));
        passed &= run.failures().isEmpty();
      } catch (RistrettoException e) {
        rows.add(List.of(device, "none: " + e.getMessage()));
        passed = false;
      }
      System.err.println();
    }
    System.out.print(CheckTable.of(rows));
    System.out.print(failures.isEmpty() ? "" : "\nFailures:" + failures + "\n");
    return passed;
  }
}
