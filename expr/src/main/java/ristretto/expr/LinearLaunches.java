package ristretto.expr;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.Launch;
import ristretto.kernels.ir.Kernel;

/** The launches of steps whose sizes are linear functions of a number, for each number. */
final class LinearLaunches {
  private final Device device;
  private final List<Step> steps;

  /** By step, the form of its kernel; null if it has none. */
  private final KernelForm[] forms;

  /** By step, the first step of that form. */
  private final int[] first;

  /** Of the first steps of a form: whether its launch is another one for each number. */
  private final boolean[] varies;

  /** Of the first steps of a form: what is the same for each number, from its first use on. */
  private final Launch[] constant;

  LinearLaunches(Device device, List<Step> steps) {
    this.device = device;
    this.steps = steps;
    this.forms = new KernelForm[steps.size()];
    this.first = new int[steps.size()];
    this.varies = new boolean[steps.size()];
    this.constant = new Launch[steps.size()];
    Map<KernelForm.Key, Integer> known = new HashMap<>();
    Map<Step, Integer> numbers = new IdentityHashMap<>();
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
              has[0] |= LinearSizes.times(v) != 0;
              return v;
            })
        .of(kernel);
    return has[0];
  }

  private Kernel kernel(int step) {
    return ((Step.KernelStep) steps.get(step)).kernel();
  }

  /** The kernel that the first step of a form prepares. */
  private Kernel like(int step) {
    return forms[step] == null ? kernel(step) : forms[step].inPlace();
  }

  Launch[] at(long number) {
    var sizes = new KernelSizes(v -> LinearSizes.at(v, number));
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
                    form.from(forms[first[k]], v -> LinearSizes.at(v, number)),
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
