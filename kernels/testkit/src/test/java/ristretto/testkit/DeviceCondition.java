package ristretto.testkit;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Skips the kit's tests where their device is not there, and those that are not for it. JUnit finds
 * it as a service.
 */
public final class DeviceCondition implements ExecutionCondition {
  private static final AtomicBoolean TOLD = new AtomicBoolean();

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    if (!context.getRequiredTestClass().getPackage().equals(getClass().getPackage())) {
      return ConditionEvaluationResult.enabled("no test of the kit");
    }
    if (TestDevice.missing() != null) {
      tell();
      return ConditionEvaluationResult.disabled(TestDevice.missing());
    }
    Optional<OnCpu> only = context.getElement().map(e -> e.getAnnotation(OnCpu.class));
    return only.isPresent() && !TestDevice.isCpu()
        ? ConditionEvaluationResult.disabled(only.get().value())
        : ConditionEvaluationResult.enabled("");
  }

  static void tell() {
    if (TOLD.compareAndSet(false, true)) {
      System.err.println(
          "Tests of expressions are skipped on " + TestDevice.NAME + ": " + TestDevice.missing());
    }
  }
}
