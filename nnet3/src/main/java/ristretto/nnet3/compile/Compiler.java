package ristretto.nnet3.compile;

import java.util.function.Consumer;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Keeping;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.forward.Resident;

/**
 * Compiles requests of one network for one context. It keeps what it compiled: a request that
 * differs from an earlier one in its sequences only is not analysed again. Parameters are uploaded
 * once. The least recently used computations are forgotten.
 */
public final class Compiler {
  private final Nnet nnet;
  private final Resident resident;
  private final Keeping keeping;
  private final Kept<Structure> structures;
  private final Kept<Computation> computations;
  private final Kept<Template> templates;
  private final boolean shortcut;

  /** Computations that were not recorded themselves. */
  private int resized;

  private final Consumer<Computation> compiled;

  /**
   * An empty cache.
   *
   * @param capacity how many computations it keeps, and how many structures
   */
  public Compiler(Nnet nnet, Resident resident, int capacity) {
    this(nnet, resident, Keeping.quietly(capacity), _ -> {});
  }

  /**
   * The same.
   *
   * @param compiled gets each computation that is new
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
   * The computation of a request. It has memory of its own; who runs it twice overwrites nothing
   * but that.
   *
   * @throws ComputationException if the network cannot compute what is asked for
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

  /** A request to be recorded, forwards and backwards. */
  public Pass pass(ComputationRequest request) {
    return new Pass(nnet, request, resident, this::structure);
  }

  /**
   * Analyses a request that will come.
   *
   * @throws ComputationException if the network cannot compute what is asked for
   */
  public void prepare(ComputationRequest request) {
    structure(Sequences.of(request).request());
  }

  /** How often something was recorded. */
  public int recordings() {
    return computations.misses() - resized + templates.misses();
  }

  /** How often a structure had to be found. */
  public int misses() {
    return structures.misses();
  }

  private Structure structure(ComputationRequest places) {
    return structures.get(Kept.Key.of(places), _ -> Structure.of(nnet, places, resident.choices()));
  }
}
