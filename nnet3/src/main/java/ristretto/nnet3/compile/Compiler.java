package ristretto.nnet3.compile;

import java.util.function.Consumer;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Keeping;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.forward.Resident;

/**
 * Compiler with caches for the computation requests of one network in one context. A request that
 * differs from an earlier one only in its sequences reuses the analysis of that one. Parameters are
 * uploaded once. Least recently used computations are evicted.
 */
public final class Compiler {
  private final Nnet nnet;
  private final Resident resident;
  private final Keeping keeping;
  private final Kept<Structure> structures;
  private final Kept<Computation> computations;
  private final Kept<Template> templates;
  private final boolean shortcut;

  /** Number of computations derived from a template instead of being recorded. */
  private int resized;

  private final Consumer<Computation> compiled;

  /**
   * Creates an empty cache.
   *
   * @param capacity maximum number of cached computations, and of cached structures
   */
  public Compiler(Nnet nnet, Resident resident, int capacity) {
    this(nnet, resident, Keeping.quietly(capacity), _ -> {});
  }

  /**
   * Creates an empty cache with a callback for new computations.
   *
   * @param compiled receives each newly compiled computation
   */
  public Compiler(Nnet nnet, Resident resident, Keeping keeping, Consumer<Computation> compiled) {
    this.compiled = compiled;
    this.nnet = nnet;
    this.resident = resident;
    this.keeping = keeping;
    this.structures = new Kept<>("structure", Keeping.quietly(keeping.capacity()));
    this.computations = new Kept<>("computation", keeping);
    this.templates = new Kept<>("template", Keeping.quietly(keeping.capacity()));
    this.shortcut = keeping.shortcut();
  }

  /**
   * Returns the computation of a request, compiled or cached. Each computation has its own
   * matrices: another run of it overwrites only its own results.
   *
   * @throws ComputationException if the network cannot compute the requested outputs
   */
  public Computation compile(ComputationRequest request) {
    return computations.get(
        Kept.Key.of(request),
        _ -> {
          Computation made = make(request);
          compiled.accept(made);
          keeping.debug().accept(made::print);
          return made;
        });
  }

  private Computation make(ComputationRequest request) {
    Uniform uniform = shortcut ? Uniform.of(request) : null;
    if (uniform == null) {
      return new Computation(nnet, request, resident, this::structure);
    }
    Template template =
        templates.get(
            Kept.Key.of(uniform.two()),
            _ -> new Template(nnet, uniform.two(), resident, this::structure));
    if (!template.exists()) {
      return new Computation(nnet, request, resident, this::structure);
    }
    resized++;
    return new Computation(
        nnet,
        request,
        template.at(request, uniform.count()),
        () -> new Computation(nnet, request, resident, this::structure));
  }

  /** Returns a forward and backward pass of a request, for the caller to record. */
  public Pass pass(ComputationRequest request) {
    return new Pass(nnet, request, resident, this::structure);
  }

  /**
   * Analyses a request ahead of its compilation.
   *
   * @throws ComputationException if the network cannot compute the requested outputs
   */
  public void prepare(ComputationRequest request) {
    structure(Sequences.of(request).request());
  }

  /** Number of recorded computations and templates. */
  public int recordings() {
    return computations.misses() - resized + templates.misses();
  }

  /** Number of cache misses of structures. */
  public int misses() {
    return structures.misses();
  }

  private Structure structure(ComputationRequest places) {
    return structures.get(Kept.Key.of(places), _ -> Structure.of(nnet, places, resident.choices()));
  }
}
