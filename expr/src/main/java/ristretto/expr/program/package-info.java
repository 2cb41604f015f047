/// Compiled plans: [CompiledPlan][ristretto.expr.program.CompiledPlan] prepares the launches of a
/// plan, places its temporaries and runs it with the buffers of its tensors.
package ristretto.expr.program;
