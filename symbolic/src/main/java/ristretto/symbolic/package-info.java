/**
 * Models: {@link ristretto.symbolic.graph.Variable variables} connected by {@link
 * ristretto.symbolic.Layers layers}, run by an {@link ristretto.symbolic.Executor}.
 */
package ristretto.symbolic;
