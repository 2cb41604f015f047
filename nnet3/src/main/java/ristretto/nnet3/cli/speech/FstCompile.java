package ristretto.nnet3.cli.speech;

import java.util.List;
import java.util.function.ToIntFunction;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.fst.Fst;
import ristretto.nnet3.fst.ReadFst;
import ristretto.nnet3.fst.SymbolTable;
import ristretto.nnet3.fst.WriteFst;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.KaldiOutput;

/** Makes the binary file of an FST that is given as text, such as a grammar. */
public final class FstCompile extends Tool {
  private final Option<String> inputs =
      options.string("isymbols", "", "Names of input labels, such as words.txt; else numbers");
  private final Option<String> outputs =
      options.string("osymbols", "", "Names of output labels, such as words.txt; else numbers");

  public FstCompile() {
    super(
        "fstcompile",
        """
        Makes the binary file of an FST from OpenFst's text, such as a grammar.

        Usage:  fstcompile [options] <text-in> <fst-out>
        e.g.:
         fstcompile --isymbols=words.txt --osymbols=words.txt G.txt G.fst
        See also: make-lexicon-fst, compile-graph
        """,
        2,
        2);
  }

  @Override
  public int run(List<String> arguments, CommandLog log) {
    String text = arguments.get(0);
    Fst fst;
    try (KaldiInput in = KaldiInput.open(text)) {
      fst = ReadFst.text(in, labels(inputs.get(), text), labels(outputs.get(), text));
    }
    if (fst.start() < 0) {
      throw new FileFormatException(
          "[fstcompile] an FST must have a state; got none in %s; give lines of arcs and final states."
              .formatted(Excerpt.of(text)));
    }
    KaldiOutput.write(arguments.get(1), false, out -> WriteFst.vector(out, fst));
    log.info(
        "Wrote an FST of %d states and %d arcs to %s", fst.states(), fst.arcs(), arguments.get(1));
    return 0;
  }

  private static ToIntFunction<String> labels(String symbols, String text) {
    if (symbols.isEmpty()) {
      return ReadFst::number;
    }
    SymbolTable table = SymbolTable.load(symbols);
    return name -> table.number(name, text);
  }
}
