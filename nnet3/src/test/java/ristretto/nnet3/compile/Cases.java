package ristretto.nnet3.compile;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;
import ristretto.nnet3.Vectors;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.network.VectorNets;

/** Networks, requests and matrices of the vectors. */
public final class Cases {
  private Cases() {}

  public static Nnet nnet(String name) {
    return VectorNets.read(name);
  }

  public static ComputationRequest request(String name) {
    return ComputationRequest.parse("request.txt", Vectors.text(name, "request.txt"));
  }

  /** Longer by so many times three frames, for so many sequences. */
  public static ComputationRequest longer(
      ComputationRequest request, int longer, int count, boolean trains) {
    return new ComputationRequest(
        longer(request.inputs(), longer, count, trains),
        longer(request.outputs(), longer, count, trains),
        trains,
        trains);
  }

  private static List<ComputationRequest.Io> longer(
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

  /** A text archive. */
  public static Map<String, Matrix> matrices(String name, String file) {
    var all = new LinkedHashMap<String, Matrix>();
    String text = Vectors.text(name, file);
    int at = 0;
    while (at < text.length()) {
      int open = text.indexOf('[', at);
      int close = text.indexOf(']', open);
      if (open < 0) {
        break;
      }
      String key = text.substring(at, open).strip();
      float[][] rows =
          text.substring(open + 1, close).strip().lines().map(Cases::row).toArray(float[][]::new);
      all.put(key, Matrix.of(rows));
      at = close + 1;
    }
    return all;
  }

  private static float[] row(String line) {
    String[] words = line.strip().split("[ \t]+");
    var row = new float[words.length];
    for (int k = 0; k < row.length; k++) {
      row[k] = Float.parseFloat(words[k]);
    }
    return row;
  }
}
