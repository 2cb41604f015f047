package ristretto.nnet3.cli;

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
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.CompilerOptions;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.compile.Computation;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.matrix.GeneralMatrix;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.text.Failures;

/** Computes the outputs and derivatives of a request. */
final class NnetEval extends Tool {
  NnetEval() {
    super(
        "nnet3-eval",
        """
        Computes the outputs of a request, and writes them to out-dir/output.txt. If derivatives of
        an objective by the outputs are given, also computes the derivatives by the inputs that
        request them, out-dir/inderiv.txt, and by the parameters, out-dir/paramgrad.txt, a network
        whose parameters are the derivatives.
        A request is text: need-model-derivative 0|1; lines "input NAME has-deriv=0|1" or
        "output NAME has-deriv=0|1", each followed by its rows, "N T [X]" or
        "range [order=nt|tn] n=A:B t=A:B[:STEP] [x=A:B]", with exclusive ends. Matrices are read by
        node name, with rows in the order of the request.

        Usage:  nnet3-eval [options] <nnet> <request> <inputs-rspecifier> [<derivs-rspecifier>] <out-dir>
        e.g.
        nnet3-eval final.raw request.txt ark:input.ark out
        nnet3-eval final.raw request.txt ark:input.ark ark:outderiv.ark out
        See also: nnet3-compile, nnet3-info
        """,
        4,
        5);
  }

  private final CompilerOptions compilation = new CompilerOptions(options);

  @Override
  public int run(List<String> arguments, CommandLog log) {
    Nnet nnet = Nnet.load(arguments.get(0));
    ComputationRequest request = request(arguments.get(1));
    Map<String, Matrix> inputs = matrices(arguments.get(2), "input");
    boolean derivatives = arguments.size() == 5 && request.needDerivatives();
    Map<String, Matrix> derivs = derivatives ? matrices(arguments.get(3), "output") : Map.of();
    Path folder = folder(arguments.get(arguments.size() - 1));
    try (Context context = compilation.open()) {
      var computation =
          Computation.compile(
              nnet,
              derivatives ? request : request.withoutDerivatives(),
              compilation.deviceParameters(context, log));
      Map<String, Matrix> outputs = computation.run(inputs);
      int kernels = computation.program().kernelCount();
      Map<String, Matrix> inputDerivatives = Map.of();
      if (derivatives) {
        inputDerivatives = computation.backward(derivs);
        kernels += computation.backward().kernelCount();
      }
      write(folder.resolve("output.txt"), outputs);
      if (derivatives) {
        write(folder.resolve("inderiv.txt"), inputDerivatives);
      }
      if (derivatives && request.needModelDerivative()) {
        computation.gradient().save(folder.resolve("paramgrad.txt").toString(), false);
      }
      log.info("Computed %d outputs with %d kernels.", outputs.size(), kernels);
    }
    return 0;
  }

  /** Writes a text archive with enough digits to read floats back exactly. */
  private static void write(Path file, Map<String, Matrix> matrices) {
    KaldiOutput.write(
        file.toString(),
        false,
        out -> {
          out.exactText();
          matrices.forEach((name, matrix) -> {
            out.writeText(name + " ");
            out.writeMatrix(matrix);
          });
        });
  }

  /** Reads a request from a file. */
  static ComputationRequest request(String file) {
    return ComputationRequest.parse(file, KaldiInput.text(file, "a request"));
  }

  private static Map<String, Matrix> matrices(String rspecifier, String of) {
    var all = new HashMap<String, Matrix>();
    try (TableReader<GeneralMatrix> reader = TableReader.open(rspecifier, Holder.GENERAL_MATRIX)) {
      while (reader.next()) {
        if (all.put(reader.key(), reader.value().toMatrix()) != null) {
          throw new ComputationException(
              "[compute] each %s must have one matrix; got two for '%s' in %s; remove one."
                  .formatted(of, reader.key(), rspecifier));
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
          "[nnet3-eval] the last argument must be a folder, or the path of a new one; got %s (%s); give another."
              .formatted(name, Failures.why(e)),
          e);
    }
  }
}
