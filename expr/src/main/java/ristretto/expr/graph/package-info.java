/** Expression graphs: terms, and the operations that they apply. */
package ristretto.expr.graph;
