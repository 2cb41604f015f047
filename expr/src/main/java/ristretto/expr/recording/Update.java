package ristretto.expr.recording;

import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;

/**
 * Assignment of a term to memory, as the planner sees it.
 *
 * @param target memory to write
 * @param expr term to evaluate
 */
public record Update(StorageView target, Term expr) {}
