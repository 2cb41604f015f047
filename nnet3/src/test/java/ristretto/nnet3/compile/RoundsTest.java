package ristretto.nnet3.compile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.expr.Program;
import ristretto.expr.option.Optimization;
import ristretto.nnet3.CacheSettings;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.step.DeviceParameters;

/** Steps of recurrences, most of which are not recorded, do what they do if each one is. */
class RoundsTest {
  private static Map<String, Matrix> random(
      List<ComputationRequest.Io> all, ToIntFunction<String> dim, int seed) {
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

  /** All that a request computes. */
  private static Map<String, float[]> values(Nnet nnet, Computation computation) {
    var result = new LinkedHashMap<String, float[]>();
    ComputationRequest request = computation.request();
    computation
        .run(random(request.inputs(), nnet::inputDim, 5))
        .forEach((name, m) -> result.put("output " + name, m.data()));
    if (request.needDerivatives()) {
      computation
          .backward(random(request.outputs(), nnet::outputDim, 6))
          .forEach((name, m) -> result.put("derivative of " + name, m.data()));
      nnet.components()
          .forEach((name, component) -> {
            if (component instanceof UpdatableComponent u) {
              List<float[]> parameters = u.parameters();
              for (int k = 0; k < parameters.size(); k++) {
                result.put(
                    name + "[" + k + "]", computation.gradients().gradient(parameters.get(k)));
              }
            }
            computation
                .gradients()
                .statistics(component)
                .forEach((what, s) -> result.put(name + " " + what, s.sum().toFloatArray()));
          });
    }
    return result;
  }

  /** Kernels of a program without the numbers and the memory of temporaries. */
  private static List<String> kernels(Program program) {
    var all = new ArrayList<String>();
    program
        .trace()
        .works()
        .forEach(work -> {
          all.add(work.name() + work.space());
          work.reads().forEach(a -> all.add(a.offset() + ":" + a.extents() + a.strides()));
          work.writes().forEach(a -> all.add(a.offset() + ":" + a.extents() + a.strides()));
        });
    return all;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x-lstmp",
        "x-fast-lstmp",
        "x-blstm-lstm",
        "x-opgru",
        "x-fast-opgru",
        "x-tdnnf-train",
        "x-xvector-test"
      })
  void areThoseThatWouldBeRecorded(String name) {
    Nnet nnet = Cases.nnet(name);
    for (boolean trains : new boolean[] {false, true}) {
      for (int count : new int[] {1, 3}) {
        for (int longer = 30; longer < 33; longer++) {
          ComputationRequest request = Cases.longer(Cases.request(name), longer, count, trains);
          try (Context context = Context.open("cpu")) {
            Computation some = compile(nnet, request, context);
            Map<String, float[]> got = values(nnet, some);
            context.without(Set.of(Optimization.REPEAT));
            Computation all = compile(nnet, request, context);
            Map<String, float[]> wanted = values(nnet, all);
            String what = name + ", " + count + " sequences, training " + trains;
            assertThat(kernels(some.program())).as(what).isEqualTo(kernels(all.program()));
            if (trains && request.needDerivatives()) {
              assertThat(kernels(some.backward())).as(what).isEqualTo(kernels(all.backward()));
            }
            assertThat(got.keySet()).as(what).isEqualTo(wanted.keySet());
            wanted.forEach((each, values) ->
                assertThat(got.get(each)).as(each + " of " + what).containsExactly(values));
          }
        }
      }
    }
  }

  private static Computation compile(Nnet nnet, ComputationRequest request, Context context) {
    var deviceParameters = new DeviceParameters(context);
    deviceParameters.seed(3);
    return new Compiler(nnet, deviceParameters, CacheSettings.DEFAULT, _ -> {}).compile(request);
  }
}
