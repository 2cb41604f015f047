package ristretto.testkit;

import net.jqwik.api.lifecycle.LifecycleContext;
import net.jqwik.api.lifecycle.SkipExecutionHook;

/** For jqwik's tests, what {@link DeviceCondition} is for those of JUnit. */
final class DeviceHook implements SkipExecutionHook {
  @Override
  public SkipResult shouldBeSkipped(LifecycleContext context) {
    return context
        .findAnnotation(OnCpu.class)
        .filter(_ -> !TestDevice.isCpu())
        .map(only -> SkipResult.skip(only.value()))
        .orElse(SkipResult.doNotSkip());
  }
}
