package ristretto.nnet3.tool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.kernels.FileException;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.compile.Computation;
import ristretto.nnet3.forward.Resident;
import ristretto.nnet3.io.GeneralMatrix;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.Matrix;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.io.TableWriter;

/** Computes what a request asks for. */
final class NnetEval implements Tool {
  private final Options options =
      new Options(
          "nnet3-eval",
          """
          Computes the outputs that a request asks for, and writes them to out-dir/output.txt.
          The request is text: lines "input NAME has-deriv=0|1" or "output NAME has-deriv=0|1",
          each followed by its rows, "N T [X]" or "range [order=nt|tn] n=A:B t=A:B[:STEP] [x=A:B]",
          ends exclusive. Matrices are read by node name, with rows as in the request.

          Usage:  nnet3-eval [options] <nnet> <request> <inputs-rspecifier> <out-dir>
          e.g.
          nnet3-eval final.raw request.txt ark:input.ark out
          See also: nnet3-compile, nnet3-info
          """);

  @Override
  public Options options() {
    return options;
  }

  @Override
  public Arguments arguments() {
    return new Arguments(4, 4);
  }

  @Override
  public int run(List<String> arguments, Log log) {
    Nnet nnet = Nnet.load(arguments.get(0));
    ComputationRequest request = ComputationRequest.parse(arguments.get(1), text(arguments.get(1)));
    Map<String, Matrix> inputs = inputs(arguments.get(2));
    Path folder = folder(arguments.get(3));
    try (Context context = Context.open()) {
      var computation = Computation.compile(nnet, request, new Resident(context));
      Map<String, Matrix> outputs = computation.run(inputs);
      try (var out = TableWriter.open("ark,t:" + folder.resolve("output.txt"), Holder.MATRIX)) {
        outputs.forEach(out::write);
        out.commit();
      }
      log.info(
          "Computed %d outputs with %d kernels.",
          outputs.size(), computation.program().kernelCount());
    }
    return 0;
  }

  static String text(String file) {
    try {
      return Files.readString(Path.of(file));
    } catch (IOException e) {
      throw new FileException(
          "[request] a request must be a text file that can be read; got %s (%s); correct its name."
              .formatted(file, e),
          e);
    }
  }

  private static Map<String, Matrix> inputs(String rspecifier) {
    var all = new HashMap<String, Matrix>();
    try (TableReader<GeneralMatrix> reader = TableReader.open(rspecifier, Holder.GENERAL_MATRIX)) {
      while (reader.next()) {
        if (all.put(reader.key(), reader.value().toMatrix()) != null) {
          throw new ComputationException(
              "[compute] each input must have one matrix; got two for '%s' in %s; remove one."
                  .formatted(reader.key(), rspecifier));
        }
      }
    }
    return all;
  }

  private static Path folder(String name) {
    try {
      return Files.createDirectories(Path.of(name));
    } catch (IOException e) {
      throw new FileException(
          "[nnet3-eval] the last argument must be a folder, or a name for one; got %s (%s); "
                  .formatted(name, e)
              + "give another.",
          e);
    }
  }
}
