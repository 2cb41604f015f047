package ristretto.nnet3.compile;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
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
  private final Map<ComputationRequest, Structure> structures;
  private final Map<ComputationRequest, Computation> computations;
  private final Consumer<Computation> compiled;
  private int misses;

  /**
   * An empty cache.
   *
   * @param capacity how many computations it keeps, and how many structures
   */
  public Compiler(Nnet nnet, Resident resident, int capacity) {
    this(nnet, resident, capacity, _ -> {});
  }

  /**
   * The same.
   *
   * @param compiled gets each computation that is new
   */
  public Compiler(Nnet nnet, Resident resident, int capacity, Consumer<Computation> compiled) {
    this.compiled = compiled;
    this.nnet = nnet;
    this.resident = resident;
    this.structures = bounded(capacity);
    this.computations = bounded(capacity);
  }

  private static <V> Map<ComputationRequest, V> bounded(int capacity) {
    return new LinkedHashMap<>(16, 0.75f, true) {
      private static final long serialVersionUID = 1L;

      @Override
      protected boolean removeEldestEntry(Map.Entry<ComputationRequest, V> eldest) {
        return size() > capacity;
      }
    };
  }

  /**
   * The computation of a request. It has memory of its own; who runs it twice overwrites nothing
   * but that.
   *
   * @throws ComputationException if the network cannot compute what is asked for
   */
  public Computation compile(ComputationRequest request) {
    Computation known = computations.get(request);
    if (known == null) {
      known = new Computation(nnet, request, resident, this::structure);
      computations.put(request, known);
      compiled.accept(known);
    }
    return known;
  }

  /** A request to be recorded, forwards and backwards. */
  public Pass pass(ComputationRequest request) {
    return new Pass(nnet, request, resident, this::structure);
  }

  /** How often a structure had to be found. */
  public int misses() {
    return misses;
  }

  private Structure structure(ComputationRequest places) {
    Structure known = structures.get(places);
    if (known == null) {
      misses++;
      known = Structure.of(nnet, places);
      structures.put(places, known);
    }
    return known;
  }
}
