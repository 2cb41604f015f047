/// Planning, from recorded assignments to kernels: [Planner][ristretto.expr.plan.Planner] lists the
/// passes, each a function from [Schedule][ristretto.expr.plan.Schedule] to schedule. The steps of
/// a schedule are assignments and loops at first, kernels and host steps at the end.
package ristretto.expr.plan;
