package ristretto.nnet3.cli;

import java.io.PrintStream;
import java.nio.file.InvalidPathException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.RistrettoException;
import ristretto.nnet3.cli.chain.ChainCombine;
import ristretto.nnet3.cli.chain.ChainComputeProb;
import ristretto.nnet3.cli.chain.ChainCopyEgs;
import ristretto.nnet3.cli.chain.ChainE2eGetEgs;
import ristretto.nnet3.cli.chain.ChainEstPhoneLm;
import ristretto.nnet3.cli.chain.ChainEval;
import ristretto.nnet3.cli.chain.ChainGetEgs;
import ristretto.nnet3.cli.chain.ChainGetSupervision;
import ristretto.nnet3.cli.chain.ChainMakeDenFst;
import ristretto.nnet3.cli.chain.ChainNormalizeEgs;
import ristretto.nnet3.cli.chain.ChainTrain;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.ParseOptions;
import ristretto.nnet3.cli.options.UsageException;
import ristretto.nnet3.cli.speech.CompileGraph;
import ristretto.nnet3.cli.speech.ComputeMfccFeats;
import ristretto.nnet3.cli.speech.ComputeWer;
import ristretto.nnet3.cli.speech.FstCompile;
import ristretto.nnet3.cli.speech.LatticeBestPath;
import ristretto.nnet3.cli.speech.LatticeToNbest;
import ristretto.nnet3.cli.speech.MakeLexiconFst;
import ristretto.nnet3.cli.speech.NnetLatgenFaster;
import ristretto.nnet3.cli.tool.ExampleKind;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.io.PipePermission;
import ristretto.nnet3.text.Nearest;

/** Runs the command that the first argument names; commands are named like Kaldi's. */
final class Main {
  private static final int OK = 0;

  /** Exit code of wrong usage. */
  private static final int USAGE = 1;

  /** Exit code of all other failures: Kaldi's -1 as seen by a shell. */
  private static final int FAILED = 255;

  /** Character that replaces bytes which are not UTF-8. */
  private static final char REPLACEMENT = '\ufffd';

  private static final Map<String, Supplier<Tool>> TOOLS =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("nnet3-acc-lda-stats", () -> new AccLdaStats(false)),
              Map.entry("nnet3-am-adjust-priors", NnetAmAdjustPriors::new),
              Map.entry("nnet3-am-copy", NnetAmCopy::new),
              Map.entry("nnet3-am-info", NnetAmInfo::new),
              Map.entry("nnet3-am-init", NnetAmInit::new),
              Map.entry("nnet3-average", NnetAverage::new),
              Map.entry("compile-graph", CompileGraph::new),
              Map.entry("compute-mfcc-feats", ComputeMfccFeats::new),
              Map.entry("compute-wer", ComputeWer::new),
              Map.entry("fstcompile", FstCompile::new),
              Map.entry("lattice-best-path", LatticeBestPath::new),
              Map.entry("lattice-to-nbest", LatticeToNbest::new),
              Map.entry("make-lexicon-fst", MakeLexiconFst::new),
              Map.entry("nnet3-latgen-faster", NnetLatgenFaster::new),
              Map.entry("chain-est-phone-lm", ChainEstPhoneLm::new),
              Map.entry("chain-get-supervision", ChainGetSupervision::new),
              Map.entry("chain-make-den-fst", ChainMakeDenFst::new),
              Map.entry("nnet3-chain-acc-lda-stats", () -> new AccLdaStats(true)),
              Map.entry("nnet3-chain-combine", ChainCombine::new),
              Map.entry("nnet3-chain-compute-prob", ChainComputeProb::new),
              Map.entry("nnet3-chain-eval", ChainEval::new),
              Map.entry("nnet3-chain-copy-egs", ChainCopyEgs::new),
              Map.entry("nnet3-chain-merge-egs", () -> new MergeEgs<>(ExampleKind.CHAIN, "64")),
              Map.entry("nnet3-chain-shuffle-egs", () -> new ShuffleEgs<>(ExampleKind.CHAIN)),
              Map.entry("nnet3-chain-e2e-get-egs", ChainE2eGetEgs::new),
              Map.entry("nnet3-chain-get-egs", ChainGetEgs::new),
              Map.entry("nnet3-chain-normalize-egs", ChainNormalizeEgs::new),
              Map.entry("nnet3-chain-train", () -> new ChainTrain(false)),
              Map.entry("nnet3-chain-train2", () -> new ChainTrain(true)),
              Map.entry("nnet3-chain-subset-egs", () -> new SubsetEgs<>(ExampleKind.CHAIN)),
              Map.entry("nnet3-combine", NnetCombine::new),
              Map.entry("nnet3-compile", NnetCompile::new),
              Map.entry("nnet3-compute", NnetCompute::new),
              Map.entry("nnet3-compute-batch", NnetComputeBatch::new),
              Map.entry("nnet3-compute-prob", NnetComputeProb::new),
              Map.entry("nnet3-copy", NnetCopy::new),
              Map.entry("nnet3-copy-egs", CopyEgs::new),
              Map.entry("nnet3-eval", NnetEval::new),
              Map.entry("nnet3-fit", NnetFit::new),
              Map.entry("nnet3-get-egs", () -> new GetEgs(false)),
              Map.entry("nnet3-get-egs-dense-targets", () -> new GetEgs(true)),
              Map.entry("nnet3-get-feature-transform", GetFeatureTransform::new),
              Map.entry("nnet3-graph", NnetGraph::new),
              Map.entry("nnet3-info", NnetInfo::new),
              Map.entry("nnet3-init", NnetInit::new),
              Map.entry("nnet3-merge-egs", () -> new MergeEgs<>(ExampleKind.NNET3, "256")),
              Map.entry("nnet3-show-progress", ShowProgress::new),
              Map.entry("nnet3-shuffle-egs", () -> new ShuffleEgs<>(ExampleKind.NNET3)),
              Map.entry("nnet3-subset-egs", () -> new SubsetEgs<>(ExampleKind.NNET3)),
              Map.entry("nnet3-train", NnetTrain::new),
              Map.entry("nnet3-xvector-compute", NnetXvectorCompute::new)));

  private Main() {}

  /** Runs a command and ends the process with the command's exit code. */
  public static void main(String[] args) {
    String name = args.length == 0 ? "" : args[0];
    // gives warnings of readers the form of the command's own
    System.setProperty("org.slf4j.simpleLogger.showThreadName", "false");
    System.setProperty("org.slf4j.simpleLogger.showLogName", "false");
    System.setProperty("org.slf4j.simpleLogger.warnLevelString", "WARNING (" + name + ")");
    int status = run(List.of(args), System.err);
    System.out.flush();
    System.exit(status);
  }

  /** Runs the command named by the first word and returns its exit code. */
  public static int run(List<String> words, PrintStream err) {
    String name = words.isEmpty() ? "" : words.get(0);
    Supplier<Tool> made = TOOLS.get(name);
    if (made == null) {
      err.printf(
          Locale.ROOT,
          "[nnet3] a command must be one of %s; got \"%s\"%s%n",
          String.join(", ", TOOLS.keySet()),
          Excerpt.of(name),
          Nearest.hint(name, TOOLS.keySet()));
      return USAGE;
    }
    return run(name, made.get(), words.subList(1, words.size()), err);
  }

  /** Runs a command and returns its exit code. */
  static int run(String name, Tool tool, List<String> words, PrintStream err) {
    ParseOptions options = tool.options;
    var log = new CommandLog(name, err);
    try {
      requireText(words);
      List<String> arguments = options.read(words, err);
      if (arguments == null) {
        return OK;
      }
      if (words.isEmpty() || !tool.takes(arguments.size())) {
        err.print(options.usage());
        return USAGE;
      }
      int status =
          options.allowsPipes() ? allowingPipes(tool, arguments, log) : tool.run(arguments, log);
      if (System.out.checkError()) {
        log.error(
            "[%s] standard output must be writable; got a full disk or a closed pipe; redirect it elsewhere."
                .formatted(name));
        return FAILED;
      }
      return status;
    } catch (UsageException e) {
      err.print(options.usage());
      log.error(e.getMessage());
      return FAILED;
    } catch (RistrettoException e) {
      log.error(e.getMessage());
      return FAILED;
    } catch (OutOfMemoryError e) {
      log.error(
          String.format(
              Locale.ROOT,
              "[%s] all data must fit into memory; got more than %d bytes; set, for example,"
                  + " RISTRETTO_JAVA_OPTS=-Xmx8g.",
              name,
              Runtime.getRuntime().maxMemory()));
      return FAILED;
    } catch (InvalidPathException e) {
      log.error(
          "[%s] the name of a file must be text that the system can encode; got %s (%s); rename the file, or set LC_ALL to a locale of UTF-8, such as C.UTF-8."
              .formatted(name, Excerpt.whole(e.getInput()), e.getReason()));
      return FAILED;
    } catch (RuntimeException | StackOverflowError e) {
      log.error(
          "[%s] this is a bug of Ristretto; got %s at %s; please report it, with the command and its files."
              .formatted(name, e, place(e)));
      return FAILED;
    }
  }

  /** Refuses arguments that Java could not decode: with replaced bytes, they name other files. */
  private static void requireText(List<String> words) {
    for (String word : words) {
      if (word.indexOf(REPLACEMENT) >= 0) {
        throw new FileFormatException(
            "[options] arguments must be text in UTF-8; got %s, where \\ufffd stands for other bytes; rename the file."
                .formatted(Excerpt.whole(word).replace("\ufffd", "\\ufffd")));
      }
    }
  }

  private static int allowingPipes(Tool tool, List<String> arguments, CommandLog log) {
    String before = System.setProperty(PipePermission.PROPERTY, "true");
    try {
      return tool.run(arguments, log);
    } finally {
      if (before == null) {
        System.clearProperty(PipePermission.PROPERTY);
      } else {
        System.setProperty(PipePermission.PROPERTY, before);
      }
    }
  }

  /** Topmost stack frame of our code in an exception. */
  private static String place(Throwable e) {
    for (StackTraceElement frame : e.getStackTrace()) {
      if (frame.getClassName().startsWith("ristretto.")) {
        return frame.toString();
      }
    }
    return "an unknown place";
  }
}
