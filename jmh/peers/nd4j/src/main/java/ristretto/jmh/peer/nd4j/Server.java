package ristretto.jmh.peer.nd4j;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.impl.reduce.same.Sum;
import org.nd4j.linalg.api.ops.impl.transforms.custom.SoftMax;
import org.nd4j.linalg.api.ops.impl.transforms.strict.Sigmoid;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.nd4j.linalg.ops.transforms.Transforms;
import ristretto.jmh.line.Dims;
import ristretto.jmh.peer.PeerServer;
import ristretto.jmh.peer.PeerWork;

/** ND4J as its users write it. */
public final class Server implements PeerServer.Library {
  public static void main(String[] args) throws IOException {
    PrintStream answers = System.out;
    System.setOut(System.err);
    PeerServer.serve(new Server(), answers);
  }

  @Override
  public String version() {
    var environment = Nd4j.getExecutioner().getEnvironmentInformation();
    return "ND4J "
        + binding()
        + ", "
        + environment.getProperty("backend")
        + ", "
        + System.getenv("OMP_NUM_THREADS")
        + " threads";
  }

  private static String binding() {
    var properties = new Properties();
    try (var in =
        Nd4j.class.getResourceAsStream("/META-INF/maven/org.nd4j/nd4j-api/pom.properties")) {
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return properties.getProperty("version");
  }

  @Override
  public Optional<PeerWork> prepare(String line, Dims d, PeerServer.Data[] data) {
    INDArray[] in = new INDArray[data.length];
    for (int k = 0; k < in.length; k++) {
      in[k] = Nd4j.createFromArray(data[k].floats());
    }
    INDArray a = in[0];
    INDArray b = in.length > 1 ? in[1] : a;
    INDArray c = in.length > 2 ? in[2] : a;
    Work work = new Work();
    switch (line) {
      case "copy" -> work.into(like(a), y -> y.assign(a));
      case "axpby" -> work.into(like(a), y -> a.muli(3, y).addi(b.mul(2)));
      case "sigmoid" -> work.into(like(a), y -> Nd4j.exec(new Sigmoid(a, y)));
      case "gelu" -> work.makes(() -> gelu(a));
      case "mix8" ->
          work.makes(() ->
              Transforms.max(
                  Transforms.sqrt(a.mul(b).addi(c), false).divi(Transforms.exp(b, true)),
                  Transforms.log(a, true).muli(c),
                  false));
      case "blackscholes" -> {
        return Optional.empty();
      }
      case "sum3" -> work.makes(() -> a.add(b).muli(c).sum());
      default -> {
        return matrices(line, d, in, work) ? Optional.of(work) : Optional.empty();
      }
    }
    return Optional.of(work);
  }

  /** GELU as an expression: both GELU operations of this version compute another approximation. */
  private static INDArray gelu(INDArray x) {
    INDArray inner = x.mul(x).muli(x).muli(0.044715).addi(x).muli(0.7978845608);
    return Transforms.tanh(inner, false).addi(1).muli(x).muli(0.5);
  }

  private static INDArray like(INDArray a) {
    return Nd4j.createUninitialized(DataType.FLOAT, a.shape());
  }

  private static boolean matrices(String line, Dims d, INDArray[] in, Work work) {
    long rows = d.get(0);
    long cols = d.get(1);
    INDArray flat = in[0];
    switch (line) {
      case "softmax" -> {
        INDArray x = flat.reshape(rows, cols);
        work.into(like(x), y -> Nd4j.exec(new SoftMax(x, y, 1)));
      }
      case "colsum", "rowsum" -> {
        INDArray x = flat.reshape(rows, cols);
        work.makes(() -> Nd4j.exec(new Sum(x, line.equals("colsum") ? 0 : 1)));
      }
      case "colmax" -> {
        INDArray x = flat.reshape(rows, cols);
        work.makes(() -> x.max(0));
      }
      case "midsum", "outersum" -> {
        INDArray x = flat.reshape(rows, cols, d.get(2));
        work.makes(() -> line.equals("midsum") ? x.sum(1) : x.sum(0, 2));
      }
      case "biasrelu" -> {
        INDArray x = flat.reshape(rows, cols);
        work.makes(() -> Transforms.relu(x.addRowVector(in[1]), false));
      }
      case "transpose" -> {
        INDArray x = flat.reshape(rows, cols);
        work.into(
            Nd4j.createUninitialized(DataType.FLOAT, cols, rows), y -> y.assign(x.transpose()));
      }
      case "rowslice" -> {
        INDArray x = flat.reshape(2 * rows, cols);
        work.into(
            Nd4j.createUninitialized(DataType.FLOAT, rows, cols),
            y -> y.assign(x.get(NDArrayIndex.interval(0, 2, 2 * rows), NDArrayIndex.all())));
      }
      case "colslice" -> {
        INDArray x = flat.reshape(rows, 2 * cols);
        work.into(
            Nd4j.createUninitialized(DataType.FLOAT, rows, cols),
            y -> y.assign(x.get(NDArrayIndex.all(), NDArrayIndex.interval(0, 2, 2 * cols))));
      }
      case "dot", "dense" -> {
        INDArray x = flat.reshape(rows, d.get(2));
        INDArray w = in[1].reshape(d.get(2), cols);
        INDArray out = Nd4j.createUninitialized(DataType.FLOAT, rows, cols);
        work.into(
            out,
            y -> {
              x.mmuli(w, y);
              if (line.equals("dense")) {
                Transforms.relu(y.addiRowVector(in[2]), false);
              }
            });
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  private static final class Work implements PeerWork {
    private Runnable body;
    private INDArray result;

    /** Writes into given memory. */
    void into(INDArray target, Consumer<INDArray> work) {
      result = target;
      body = () -> work.accept(target);
    }

    /** Makes a new array each time. */
    void makes(Supplier<INDArray> work) {
      body =
          () -> {
            if (result != null && result.closeable()) {
              result.close();
            }
            result = work.get();
          };
    }

    @Override
    public void run() {
      body.run();
    }

    @Override
    public float at(long index) {
      if (result.isScalar()) {
        return result.getFloat(0);
      }
      long[] place = new long[result.rank()];
      long rest = index;
      for (int axis = place.length - 1; axis >= 0; axis--) {
        place[axis] = rest % result.size(axis);
        rest /= result.size(axis);
      }
      return result.getFloat(place);
    }

    @Override
    public void close() {
      result = null;
    }
  }
}
