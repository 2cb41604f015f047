package ristretto.expr.program;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.plan.KernelForm;
import ristretto.expr.plan.Step;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.Launch;

/**
 * Prepares the launches of a program. Kernels of equal form are prepared once, if the device
 * supports moved launches.
 */
public final class Launches {
  /** Least number of kernels for which the search for equal forms pays off. */
  private static final int MANY = 8;

  private final Device device;
  private final Map<KernelForm.Key, Prepared> prepared = new HashMap<>();
  private final Map<Step.Lowered, Prepared> steps = new IdentityHashMap<>();
  private boolean moves = true;

  private record Prepared(KernelForm form, Launch launch) {}

  private Launches(Device device) {
    this.device = device;
  }

  /** Prepares one launch per step; null for host steps. */
  public static Launch[] of(Device device, List<Step.Lowered> steps) {
    var all = new Launches(device);
    all.moves = steps.size() >= MANY;
    var launches = new Launch[steps.size()];
    for (int k = 0; k < launches.length; k++) {
      if (steps.get(k) instanceof Step.KernelStep s) {
        launches[k] = all.moves ? all.moved(s) : device.prepare(s.kernel());
      }
    }
    return launches;
  }

  /** Launch of a step, moved from that of a kernel of equal form, if there is one. */
  private Launch moved(Step.KernelStep step) {
    Step.Motion motion = step.motion();
    KernelForm form = motion != null ? motion.moved() : KernelForm.of(step.kernel()).orElse(null);
    if (form == null) {
      return device.prepare(step.kernel());
    }
    Prepared like = motion != null ? steps.get(motion.like()) : prepared.get(form.key());
    if (like == null) {
      like = new Prepared(form, device.prepare(form.inPlace()));
      prepared.put(form.key(), like);
    }
    if (motion == null) {
      steps.put(step, like);
    }
    Launch launch =
        like.launch
            .moved(form.arguments(), form.from(like.form, v -> v), form.scalars())
            .orElse(null);
    moves = launch != null;
    return launch != null ? launch : device.prepare(step.kernel());
  }
}
