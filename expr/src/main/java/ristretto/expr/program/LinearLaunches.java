package ristretto.expr.program;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.index.Size;
import ristretto.expr.plan.KernelForm;
import ristretto.expr.plan.KernelSizes;
import ristretto.expr.plan.Step;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.Launch;
import ristretto.kernels.ir.Kernel;

/** Launches of steps whose sizes depend on an unknown number n, for each n. */
public final class LinearLaunches {
  private final Device device;
  private final List<Step.Lowered> steps;

  /** By step, the form of its kernel; null if it has none. */
  private final KernelForm[] forms;

  /** By step, the first step of that form. */
  private final int[] first;

  /** True if the launch depends on the number, by first step of a form. */
  private final boolean[] varies;

  /** Launch that is equal for all numbers, created at its first use, by first step of a form. */
  private final Launch[] constant;

  public LinearLaunches(Device device, List<Step.Lowered> steps) {
    this.device = device;
    this.steps = steps;
    this.forms = new KernelForm[steps.size()];
    this.first = new int[steps.size()];
    this.varies = new boolean[steps.size()];
    this.constant = new Launch[steps.size()];
    Map<KernelForm.Key, Integer> known = new HashMap<>();
    Map<Step.Lowered, Integer> numbers = new IdentityHashMap<>();
    for (int k = 0; k < first.length; k++) {
      Step.Motion motion = ((Step.KernelStep) steps.get(k)).motion();
      if (motion != null) {
        first[k] = first[numbers.get(motion.like())];
        forms[k] = motion.moved();
        continue;
      }
      numbers.put(steps.get(k), k);
      first[k] = k;
      forms[k] = KernelForm.of(kernel(k)).orElse(null);
      if (forms[k] != null) {
        Integer like = known.putIfAbsent(forms[k].key(), k);
        first[k] = like == null ? k : like;
      }
      varies[k] = first[k] == k && hasNumber(like(k));
    }
  }

  private static boolean hasNumber(Kernel kernel) {
    boolean[] has = {false};
    new KernelSizes(
            v -> {
              has[0] |= !Size.isKnown(v);
              return v;
            })
        .of(kernel);
    return has[0];
  }

  private Kernel kernel(int step) {
    return ((Step.KernelStep) steps.get(step)).kernel();
  }

  /** Kernel that the first step of a form prepares. */
  private Kernel like(int step) {
    return forms[step] == null ? kernel(step) : forms[step].inPlace();
  }

  public Launch[] at(long number) {
    var sizes = new KernelSizes(v -> Size.at(v, number));
    var prepared = new Launch[first.length];
    var launches = new Launch[first.length];
    boolean moves = true;
    for (int k = 0; k < launches.length; k++) {
      KernelForm form = forms[k];
      if (first[k] == k) {
        if (varies[k]) {
          prepared[k] = device.prepare(sizes.of(like(k)));
        } else {
          constant[k] = constant[k] == null ? device.prepare(like(k)) : constant[k];
          prepared[k] = constant[k];
        }
      }
      if (form == null) {
        launches[k] = prepared[k];
        continue;
      }
      if (moves) {
        launches[k] =
            prepared[first[k]]
                .moved(
                    form.arguments(),
                    form.from(forms[first[k]], v -> Size.at(v, number)),
                    form.scalars())
                .orElse(null);
        moves = launches[k] != null;
      }
      if (!moves) {
        launches[k] = device.prepare(sizes.of(kernel(k)));
      }
    }
    return launches;
  }
}
