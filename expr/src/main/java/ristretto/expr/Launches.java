package ristretto.expr;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.Launch;
import ristretto.kernels.ir.Kernel;

/** Launches of the kernels of a program: those of one form are prepared once, if the device can. */
final class Launches {
  /** From so many kernels on it is worth to look for such. */
  private static final int MANY = 8;

  private final Device device;
  private final Map<KernelForm.Key, Prepared> prepared = new HashMap<>();
  private boolean moves = true;

  private record Prepared(KernelForm form, Launch launch) {}

  private Launches(Device device) {
    this.device = device;
  }

  /** One for each step; null for those of the host. */
  static Launch[] of(Device device, List<Step> steps) {
    var all = new Launches(device);
    all.moves = steps.size() >= MANY;
    var launches = new Launch[steps.size()];
    for (int k = 0; k < launches.length; k++) {
      if (steps.get(k) instanceof Step.KernelStep s) {
        launches[k] = all.prepare(s.kernel());
      }
    }
    return launches;
  }

  private Launch prepare(Kernel kernel) {
    KernelForm form = moves ? KernelForm.of(kernel).orElse(null) : null;
    if (form == null) {
      return device.prepare(kernel);
    }
    Prepared like = prepared.get(form.key());
    if (like == null) {
      like = new Prepared(form, device.prepare(form.inPlace()));
      prepared.put(form.key(), like);
    }
    Launch launch =
        like.launch
            .moved(form.arguments(), form.from(like.form, v -> v), form.scalars())
            .orElse(null);
    moves = launch != null;
    return launch != null ? launch : device.prepare(kernel);
  }
}
