package ristretto.nnet3.compile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.nnet3.CacheSettings;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.step.DeviceParameters;

class ComputationTemplateTest {
  private static ComputationRequest request(int sequences, int end) {
    return ComputationRequest.parse(
        "r",
        String.format(
            Locale.ROOT,
            "input input has-deriv=0\n"
                + "range n=0:%d t=-4:%d\n"
                + "output output has-deriv=0\n"
                + "range n=0:%1$d t=0:%2$d\n",
            sequences,
            end));
  }

  /** The rows of the first sequence for several. */
  private static List<ComputationRequest.Io> times(List<ComputationRequest.Io> all, int count) {
    var result = new ArrayList<ComputationRequest.Io>();
    for (ComputationRequest.Io io : all) {
      var places = new TreeSet<Index>();
      io.indexes().forEach(i -> places.add(new Index(0, i.t(), i.x())));
      var rows = new ArrayList<Index>();
      if (io.name().startsWith("input")) {
        for (int n = 0; n < count; n++) {
          for (Index place : places) {
            rows.add(new Index(n, place.t(), place.x()));
          }
        }
      } else {
        for (Index place : places) {
          for (int n = 0; n < count; n++) {
            rows.add(new Index(n, place.t(), place.x()));
          }
        }
      }
      result.add(new ComputationRequest.Io(io.name(), rows, false));
    }
    return result;
  }

  private static ComputationRequest times(ComputationRequest request, int count) {
    return new ComputationRequest(
        times(request.inputs(), count), times(request.outputs(), count), false, false);
  }

  /** Kernels with all their sizes, but for names, which are labels. */
  private static List<String> kernels(Computation computation) {
    List<String> all =
        computation
            .program()
            .explain()
            .ir()
            .lines()
            .filter(line -> line.startsWith(" ") || line.startsWith("Gemm"))
            .map(line -> line.replaceAll("name=\\w+, ", ""))
            .toList();
    assertThat(all).isNotEmpty();
    return all;
  }

  @Test
  void programsForOtherNumbersOfSequencesAreThoseThatWouldBeRecorded() {
    var without = new CacheSettings(64, false, _ -> {}, _ -> {});
    var some = new ArrayList<String>();
    for (String name : Vectors.casesWith("request.txt")) {
      Nnet nnet;
      ComputationRequest request;
      try {
        nnet = Cases.nnet(name);
        request = Cases.request(name);
      } catch (RuntimeException e) {
        continue;
      }
      try (Context context = Context.open("cpu")) {
        var deviceParameters = new DeviceParameters(context);
        var compiler = new Compiler(nnet, deviceParameters, CacheSettings.DEFAULT, _ -> {});
        var recorder = new Compiler(nnet, deviceParameters, without, _ -> {});
        for (int count : new int[] {2, 3, 8}) {
          ComputationRequest more = times(request, count);
          Computation recorded;
          try {
            recorded = recorder.compile(more);
          } catch (ComputationException e) {
            break;
          }
          assertThat(kernels(compiler.compile(more)))
              .as("%s for %d sequences", name, count)
              .isEqualTo(kernels(recorded));
        }
        if (compiler.recordings() == 1) {
          some.add(name);
        }
      }
    }
    assertThat(some).hasSizeGreaterThan(100);
  }

  @Test
  void anotherNumberOfSequencesIsNotRecordedAgain() {
    try (Context context = Context.open("cpu")) {
      var compiler =
          new Compiler(
              Cases.nnet("x-fast-lstmp"),
              new DeviceParameters(context),
              CacheSettings.DEFAULT,
              _ -> {});
      compiler.compile(request(4, 6));
      long kernels = context.stats().cacheMisses();
      for (int n = 2; n < 9; n++) {
        assertThat(compiler.compile(request(n, 6)).request()).isEqualTo(request(n, 6));
      }
      assertThat(compiler.recordings()).isEqualTo(1);
      assertThat(context.stats().cacheMisses()).isEqualTo(kernels);
    }
  }

  @Test
  void otherLengthsNeedNoOtherKernels() {
    try (Context context = Context.open("cpu")) {
      var compiler =
          new Compiler(
              Cases.nnet("x-fast-lstmp"),
              new DeviceParameters(context),
              CacheSettings.DEFAULT,
              _ -> {});
      compiler.compile(request(1, 30));
      compiler.compile(request(3, 30));
      long kernels = context.stats().cacheMisses();
      for (int end : new int[] {31, 40, 67, 150}) {
        compiler.compile(request(1, end));
        compiler.compile(request(3, end));
      }
      assertThat(context.stats().cacheMisses()).isEqualTo(kernels);
    }
  }
}
