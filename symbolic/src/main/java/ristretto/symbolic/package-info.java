/**
 * Models on top of expressions: {@link ristretto.symbolic.Variable variables} joined by {@link
 * ristretto.symbolic.Operator operators}, run by an {@link ristretto.symbolic.Executor}.
 */
package ristretto.symbolic;
