package ristretto.jmh.peer.torch;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.Properties;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.global.torch;
import ristretto.jmh.line.Dims;
import ristretto.jmh.peer.PeerServer;
import ristretto.jmh.peer.PeerWork;

/**
 * PyTorch as its users write it: a built-in operation into a given output where there is one,
 * otherwise the expression, with the temporaries that it makes.
 */
public final class Server implements PeerServer.Library {
  private static final Scalar TWO = new Scalar(2f);
  private static final ScalarTypeOptional SAME_TYPE = new ScalarTypeOptional();

  public static void main(String[] args) throws IOException {
    PrintStream answers = System.out;
    System.setOut(System.err);
    torch.set_num_threads(Integer.parseInt(System.getenv("OMP_NUM_THREADS")));
    PeerServer.serve(new Server(), answers);
  }

  @Override
  public String version() {
    return "PyTorch "
        + binding()
        + ", "
        + torch.get_cpu_capability().getString()
        + ", "
        + torch.get_num_threads()
        + " threads";
  }

  /** Version of the Java binding, which begins with PyTorch's. */
  private static String binding() {
    var properties = new Properties();
    try (var in =
        torch.class.getResourceAsStream("/META-INF/maven/org.bytedeco/pytorch/pom.properties")) {
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return properties.getProperty("version");
  }

  @Override
  public Optional<PeerWork> prepare(String line, Dims d, PeerServer.Data[] data) {
    if (line.startsWith("train-")) {
      return Training.find(line.substring("train-".length()), d);
    }
    Tensor[] in = new Tensor[data.length];
    for (int k = 0; k < in.length; k++) {
      try (var pointer = new FloatPointer(data[k].floats())) {
        in[k] = torch.from_blob(pointer, data[k].length()).clone();
      }
    }
    Work work = new Work(in);
    boolean known =
        switch (line) {
          case "copy", "axpby", "sigmoid", "gelu", "mix8", "blackscholes", "sum3" ->
              maps(line, d, work);
          default -> matrices(line, d, work);
        };
    if (!known) {
      work.close();
    }
    return known ? Optional.of(work) : Optional.empty();
  }

  private static boolean maps(String line, Dims d, Work w) {
    Tensor a = w.in[0];
    Tensor b = w.in.length > 1 ? w.in[1] : a;
    Tensor c = w.in.length > 2 ? w.in[2] : a;
    Tensor y = w.out(d.get(0));
    Scalar three = new Scalar(3f);
    w.body =
        switch (line) {
          case "copy" -> () -> y.copy_(a);
          case "axpby" -> () -> torch.add_out(y, a.mul(three), b, TWO);
          case "sigmoid" -> () -> torch.sigmoid_out(y, a);
          case "gelu" -> () -> torch.gelu_out(y, a, "tanh");
          case "mix8" ->
              () -> torch.maximum_out(y, a.mul(b).add(c).sqrt().div(b.exp()), a.log().mul(c));
          case "blackscholes" -> () -> BlackScholes.run(a, b, c, y);
          default -> () -> torch.sum_out(y, a.add(b).mul(c), new long[] {0}, false, SAME_TYPE);
        };
    return true;
  }

  private static boolean matrices(String line, Dims d, Work w) {
    boolean product = line.equals("dot") || line.equals("dense");
    Tensor x = product ? w.in[0].view(d.get(0), d.get(2)) : input(line, d, w.in[0]);
    long rows = d.get(0);
    long cols = d.get(1);
    switch (line) {
      case "softmax" -> {
        Tensor y = w.out(rows, cols);
        w.body = () -> torch.softmax_out(y, x, 1);
      }
      case "layernorm" -> {
        Tensor y = w.out(rows, cols);
        Tensor mean = torch.empty(rows, 1);
        Tensor scale = torch.empty(rows, 1);
        var none = new TensorOptional();
        w.body =
            () ->
                torch.native_layer_norm_out(y, mean, scale, x, new long[] {cols}, none, none, 1e-5);
      }
      case "colsum" -> sum(w, x, w.out(cols), 0);
      case "rowsum" -> sum(w, x, w.out(rows), 1);
      case "midsum" -> sum(w, x, w.out(d.get(0), d.get(2)), 1);
      case "outersum" -> sum(w, x, w.out(cols), 0, 2);
      case "colmax" -> {
        Tensor y = w.out(cols);
        w.body = () -> torch.amax_out(y, x, new long[] {0}, false);
      }
      case "biasrelu" -> {
        Tensor y = w.out(rows, cols);
        w.body = () -> torch.add_out(y, x, w.in[1]).relu_();
      }
      case "transpose" -> {
        Tensor y = w.out(cols, rows);
        w.body = () -> y.copy_(x.t());
      }
      case "rowslice", "colslice" -> {
        Tensor y = w.out(rows, cols);
        long axis = line.equals("rowslice") ? 0 : 1;
        var open = new LongOptional();
        w.body = () -> y.copy_(x.slice(axis, open, open, 2));
      }
      case "dot", "dense" -> {
        Tensor y = w.out(rows, cols);
        Tensor weights = w.in[1].view(d.get(2), cols);
        w.body =
            line.equals("dot")
                ? () -> torch.mm_out(y, x, weights)
                : () -> torch.addmm_out(y, w.in[2], x, weights).relu_();
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  /** Shape of the first input. */
  private static Tensor input(String line, Dims d, Tensor flat) {
    return switch (line) {
      case "midsum", "outersum" -> flat.view(d.get(0), d.get(1), d.get(2));
      case "rowslice" -> flat.view(2 * d.get(0), d.get(1));
      case "colslice" -> flat.view(d.get(0), 2 * d.get(1));
      default -> flat.view(d.get(0), d.get(1));
    };
  }

  private static void sum(Work w, Tensor x, Tensor y, long... axes) {
    w.body = () -> torch.sum_out(y, x, axes, false, SAME_TYPE);
  }

  private static final class Work implements PeerWork {
    final Tensor[] in;
    Tensor result;
    Runnable body;

    Work(Tensor[] in) {
      this.in = in;
    }

    Tensor out(long... dims) {
      result = torch.empty(dims);
      return result;
    }

    /** Temporaries go away with the scope, as they would in C++. */
    @Override
    public void run() {
      try (var scope = new PointerScope()) {
        body.run();
      }
    }

    @Override
    public float at(long index) {
      return result.data_ptr_float().get(index);
    }

    @Override
    public void close() {
      for (Tensor tensor : in) {
        tensor.close();
      }
      if (result != null) {
        result.close();
      }
    }
  }
}
