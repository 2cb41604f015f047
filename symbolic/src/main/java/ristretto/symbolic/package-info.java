/**
 * Models: {@link ristretto.symbolic.Variable variables} connected by {@link
 * ristretto.symbolic.Operator operators}, run by an {@link ristretto.symbolic.Executor}.
 */
package ristretto.symbolic;
