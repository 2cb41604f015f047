package ristretto.nnet3.compile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.nnet3.CacheSettings;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.step.DeviceParameters;

/** Requests of derivatives that differ in the number of sequences: one plan for all. */
class TrainingTemplateTest {
  private static final CacheSettings WITHOUT = new CacheSettings(64, false, _ -> {}, _ -> {});

  /** The rows of the first sequence for several. */
  private static ComputationRequest times(ComputationRequest request, int count) {
    return new ComputationRequest(
        times(request.inputs(), count),
        times(request.outputs(), count),
        request.needModelDerivative(),
        request.storeComponentStats());
  }

  private static List<ComputationRequest.Io> times(List<ComputationRequest.Io> all, int count) {
    var result = new ArrayList<ComputationRequest.Io>();
    for (ComputationRequest.Io io : all) {
      var places = new TreeSet<Index>();
      io.indexes().forEach(i -> places.add(new Index(0, i.t(), i.x())));
      var rows = new ArrayList<Index>();
      for (int n = 0; n < count; n++) {
        for (Index place : places) {
          rows.add(new Index(n, place.t(), place.x()));
        }
      }
      result.add(new ComputationRequest.Io(io.name(), rows, io.hasDeriv()));
    }
    return result;
  }

  private static Map<String, Matrix> random(
      List<ComputationRequest.Io> all, java.util.function.ToIntFunction<String> dim, int seed) {
    var random = new Random(seed);
    var result = new LinkedHashMap<String, Matrix>();
    for (ComputationRequest.Io io : all) {
      var m = new Matrix(io.indexes().size(), dim.applyAsInt(io.name()));
      for (int k = 0; k < m.data().length; k++) {
        m.data()[k] = (float) (0.5 * random.nextGaussian());
      }
      result.put(io.name(), m);
    }
    return result;
  }

  /** Outputs, derivatives of inputs, and gradients with statistics. */
  private static Map<String, float[]> all(
      Nnet nnet, ComputationRequest request, Compiler compiler, DeviceParameters deviceParameters) {
    Computation computation = compiler.compile(request);
    deviceParameters.seed(3);
    var result = new LinkedHashMap<String, float[]>();
    Map<String, Matrix> outputs = computation.run(random(request.inputs(), nnet::inputDim, 5));
    outputs.forEach((name, m) -> result.put("output " + name, m.data()));
    var derivs = random(request.outputs(), nnet::outputDim, 6);
    computation
        .backward(derivs)
        .forEach((name, m) -> result.put("derivative of " + name, m.data()));
    nnet.components()
        .forEach((name, component) -> {
          if (component instanceof UpdatableComponent u) {
            List<float[]> parameters = u.parameters();
            for (int k = 0; k < parameters.size(); k++) {
              result.put(name + "[" + k + "]", computation.gradients().gradient(parameters.get(k)));
            }
          }
          computation
              .gradients()
              .statistics(component)
              .forEach((what, s) -> {
                result.put(name + " " + what, s.sum().toFloatArray());
                result.put("count of " + name + " " + what, new float[] {(float) s.count()});
              });
        });
    return result;
  }

  private static float largest(float[] all) {
    return (float)
        IntStream.range(0, all.length).mapToDouble(k -> Math.abs(all[k])).max().orElse(0);
  }

  @Test
  void derivativesOfAnyNumberOfSequencesAreThoseThatWouldBeRecorded() {
    var some = new ArrayList<String>();
    var none = new ArrayList<String>();
    for (String name : Vectors.casesWith("outderiv.txt")) {
      Nnet nnet = Cases.nnet(name);
      ComputationRequest request = Cases.request(name);
      if (!request.needDerivatives()) {
        continue;
      }
      try (Context context = Context.open("cpu")) {
        var deviceParameters = new DeviceParameters(context);
        var compiler = new Compiler(nnet, deviceParameters, CacheSettings.DEFAULT, _ -> {});
        var recorder = new Compiler(nnet, deviceParameters, WITHOUT, _ -> {});
        for (int count : new int[] {2, 3, 8}) {
          ComputationRequest more = times(request, count);
          Map<String, float[]> wanted;
          try {
            wanted = all(nnet, more, recorder, deviceParameters);
          } catch (ComputationException e) {
            break;
          }
          Map<String, float[]> got = all(nnet, more, compiler, deviceParameters);
          assertThat(got.keySet()).as(name).isEqualTo(wanted.keySet());
          wanted.forEach((what, values) ->
              assertThat(got.get(what))
                  .as("%s of %s for %d sequences", what, name, count)
                  .containsExactly(values, Offset.offset(1e-4f * Math.max(1, largest(values)))));
        }
        (compiler.recordings() == 1 ? some : none).add(name);
      }
    }
    System.out.println("templates: " + some.size() + ", none: " + none);
    assertThat(some).hasSizeGreaterThan(100);
  }
}
