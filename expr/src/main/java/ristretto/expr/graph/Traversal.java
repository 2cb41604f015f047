package ristretto.expr.graph;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/** Traversals of graphs that visit each term once, breadth first. */
public final class Traversal {
  private Traversal() {}

  /** Memory that the leaves of a term read. */
  public static List<StorageView> leaves(Term root) {
    return leaves(root, Term::operands);
  }

  /** Memory that the leaves read, where {@code inputs} gives the operands of a term. */
  public static List<StorageView> leaves(Term root, Function<Term, List<Term>> inputs) {
    var all = new ArrayList<StorageView>();
    visit(
        root,
        inputs,
        e -> {
          if (e.memory() != null) {
            all.add(e.memory());
          }
        });
    return all;
  }

  /** Visits each term of a graph once, where {@code inputs} gives the operands of a term. */
  public static void visit(Term root, Function<Term, List<Term>> inputs, Consumer<Term> visitor) {
    Set<Term> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    var open = new ArrayDeque<Term>();
    open.add(root);
    while (!open.isEmpty()) {
      Term e = open.poll();
      if (seen.add(e)) {
        visitor.accept(e);
        open.addAll(inputs.apply(e));
      }
    }
  }
}
