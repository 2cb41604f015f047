package ristretto.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A test that concerns the cpu device only, or needs to run once only; the value says why. */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@interface OnCpu {
  String PLANS = "the interpreter runs the same plans whatever the device";

  String value();
}
