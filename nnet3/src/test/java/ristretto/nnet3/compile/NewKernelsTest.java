package ristretto.nnet3.compile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;
import ristretto.nnet3.Keeping;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.forward.Resident;

/**
 * Requests of other lengths and of other numbers of sequences are computed by kernels that are
 * there.
 */
class NewKernelsTest {
  /** Longer by so many times three frames, for so many sequences. */
  private static ComputationRequest other(
      ComputationRequest request, int longer, int count, boolean trains) {
    return new ComputationRequest(
        other(request.inputs(), longer, count, trains),
        other(request.outputs(), longer, count, trains),
        trains,
        trains);
  }

  private static List<ComputationRequest.Io> other(
      List<ComputationRequest.Io> all, int longer, int count, boolean trains) {
    var result = new ArrayList<ComputationRequest.Io>();
    for (ComputationRequest.Io io : all) {
      var places = new TreeSet<Index>();
      io.indexes().forEach(i -> places.add(new Index(0, i.t(), i.x())));
      if (places.size() > 1) {
        int last = places.last().t();
        int step = last - places.lower(places.last()).t();
        for (int t = last + step; t <= last + 3 * longer; t += step) {
          places.add(new Index(0, t, places.last().x()));
        }
      }
      var rows = new ArrayList<Index>();
      for (int n = 0; n < count; n++) {
        for (Index place : places) {
          rows.add(new Index(n, place.t(), place.x()));
        }
      }
      result.add(new ComputationRequest.Io(io.name(), rows, trains && io.hasDeriv()));
    }
    return result;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x-tdnn-renorm",
        "x-tdnnf-train",
        "x-cnn-tdnn",
        "x-lstmp",
        "x-fast-lstmp",
        "x-blstm-lstm",
        "x-opgru",
        "x-fast-opgru",
        "x-xvector-test"
      })
  void otherLengthsAndNumbersOfSequencesNeedNone(String name) {
    Nnet nnet = Cases.nnet(name);
    ComputationRequest like = Cases.request(name);
    for (boolean trains : new boolean[] {false, true}) {
      for (int count : new int[] {1, 8}) {
        try (Context context = Context.open("cpu")) {
          var compiler = new Compiler(nnet, new Resident(context), Keeping.DEFAULT, _ -> {});
          // the last step of a recurrence may have fewer frames
          for (int longer = 30; longer < 33; longer++) {
            compiler.compile(other(like, longer, count, trains));
          }
          long before = context.stats().cacheMisses();
          compiler.compile(other(like, 33, count, trains));
          compiler.compile(other(like, 37, count == 1 ? 1 : count + 4, trains));
          assertThat(context.stats().cacheMisses() - before)
              .as("new kernels of %s for %d sequences, training %s", name, count, trains)
              .isZero();
        }
      }
    }
  }
}
