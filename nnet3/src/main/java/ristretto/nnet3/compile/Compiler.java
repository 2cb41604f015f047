package ristretto.nnet3.compile;

import java.util.function.Consumer;
import ristretto.nnet3.CacheSettings;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.graph.RepresentativeSequence;
import ristretto.nnet3.graph.UniformRequest;
import ristretto.nnet3.lower.RequestStructure;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.step.DeviceParameters;

/**
 * Compiler with caches for the computation requests of one network in one context. A request that
 * differs from an earlier one only in its sequences reuses the analysis of that one. Parameters are
 * uploaded once. Least recently used computations are evicted.
 */
public final class Compiler {
  private final Nnet nnet;
  private final DeviceParameters deviceParameters;
  private final CacheSettings cache;
  private final CompileCache<RequestStructure> structures;
  private final CompileCache<Computation> computations;
  private final CompileCache<ComputationTemplate> templates;
  private final boolean shortcut;

  /** Number of computations derived from a template instead of being recorded. */
  private int resized;

  private final Consumer<Computation> compiled;

  /**
   * Creates an empty cache.
   *
   * @param capacity maximum number of cached computations, and of cached structures
   */
  public Compiler(Nnet nnet, DeviceParameters deviceParameters, int capacity) {
    this(nnet, deviceParameters, CacheSettings.quietly(capacity), _ -> {});
  }

  /**
   * Creates an empty cache with a callback for new computations.
   *
   * @param compiled receives each newly compiled computation
   */
  public Compiler(
      Nnet nnet,
      DeviceParameters deviceParameters,
      CacheSettings cache,
      Consumer<Computation> compiled) {
    this.compiled = compiled;
    this.nnet = nnet;
    this.deviceParameters = deviceParameters;
    this.cache = cache;
    this.structures = new CompileCache<>("structure", CacheSettings.quietly(cache.capacity()));
    this.computations = new CompileCache<>("computation", cache);
    this.templates = new CompileCache<>("template", CacheSettings.quietly(cache.capacity()));
    this.shortcut = cache.shortcut();
  }

  /**
   * Returns the computation of a request, compiled or cached. Each computation has its own
   * matrices: another run of it overwrites only its own results.
   *
   * @throws ComputationException if the network cannot compute the requested outputs
   */
  public Computation compile(ComputationRequest request) {
    return computations.get(
        CompileCache.Key.of(request),
        _ -> {
          Computation made = make(request);
          compiled.accept(made);
          cache.debug().accept(made::print);
          return made;
        });
  }

  private Computation make(ComputationRequest request) {
    UniformRequest uniform = shortcut ? UniformRequest.of(request) : null;
    if (uniform == null) {
      return new Computation(nnet, request, deviceParameters, this::structure);
    }
    ComputationTemplate template =
        templates.get(
            CompileCache.Key.of(uniform.two()),
            _ -> new ComputationTemplate(nnet, uniform.two(), deviceParameters, this::structure));
    if (!template.exists()) {
      return new Computation(nnet, request, deviceParameters, this::structure);
    }
    resized++;
    return new Computation(
        nnet,
        request,
        template.at(request, uniform.count()),
        () -> new Computation(nnet, request, deviceParameters, this::structure));
  }

  /** Returns a forward and backward pass of a request, for the caller to record. */
  public ForwardBackward pass(ComputationRequest request) {
    return new ForwardBackward(nnet, request, deviceParameters, this::structure);
  }

  /**
   * Analyses a request ahead of its compilation.
   *
   * @throws ComputationException if the network cannot compute the requested outputs
   */
  public void prepare(ComputationRequest request) {
    structure(RepresentativeSequence.of(request).request());
  }

  /** Number of recorded computations and templates. */
  public int recordings() {
    return computations.misses() - resized + templates.misses();
  }

  /** Number of cache misses of structures. */
  public int misses() {
    return structures.misses();
  }

  private RequestStructure structure(ComputationRequest places) {
    return structures.get(
        CompileCache.Key.of(places),
        _ -> RequestStructure.of(nnet, places, deviceParameters.lowering()));
  }
}
