package ristretto.expr.plan;

/** Planning pass: a function from schedule to schedule. {@link Planner} lists the passes. */
interface Pass {
  /** Returns the schedule with this pass applied; returns the argument if nothing changes. */
  Schedule apply(Schedule schedule);
}
