package ristretto.jmh;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine.Option;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Line;
import ristretto.jmh.line.Lines;
import ristretto.jmh.start.FirstKernels;
import ristretto.jmh.start.Launches;
import ristretto.jmh.start.Scripts;

/** Selection of measurements: options that the command and its worker processes share. */
final class Selection {
  static final List<String> PEERS = List.of("torch", "nd4j", "numexpr");

  /** Python peers on NVIDIA GPUs: PyTorch eager, PyTorch compiled, and CuPy. */
  static final List<String> GPU_PEERS = List.of("eager", "compile", "cupy");

  /** Facts about start-up, by their names for {@code --only}. */
  static final List<String> STARTS =
      List.of(
          "kernels",
          Launches.NAME,
          FirstKernels.NAME,
          "cold-sigmoid",
          "cold-blackscholes",
          Scripts.NAME);

  private static final long QUICK_LIMIT = 5_000_000L;
  private static final long QUICK_PRODUCT = 1L << 30;

  @Option(
      names = "--only",
      paramLabel = "REGEX",
      description = "benchmarks whose full name matches, such as 'sigmoid|gelu' or '.*sum.*'")
  Pattern only = Pattern.compile(".*");

  @Option(
      names = "--sizes",
      paramLabel = "SIZE",
      split = ",",
      description = "sizes as the table shows them, such as 1e6,1e7 or 4096x1024")
  List<String> sizes = List.of();

  @Option(
      names = "--peers",
      paramLabel = "PEER",
      split = ",",
      description = {
        "torch, nd4j, numexpr, or none; default: the installed ones;",
        "with --device cuda: eager, compile (PyTorch), cupy, or none"
      })
  List<String> peers = List.of();

  @Option(
      names = "--device",
      paramLabel = "DEVICE",
      description = {
        "device of the engine, named as in RISTRETTO_DEVICE; default: cpu; others are compared"
            + " with",
        "kernels written by hand for them (opencl) or the driver's copies, cuBLAS, PyTorch and CuPy"
            + " (cuda), not with loops and cold starts"
      })
  String device = "cpu";

  @Option(
      names = "--quick",
      description = "small sizes, short samples, few cold starts: takes a few minutes")
  boolean quick;

  /** Line and size of one row of the table. */
  record Item(Line line, Dims dims) {}

  List<Item> items() {
    var items = new ArrayList<Item>();
    for (Line line : Lines.all()) {
      if (!only.matcher(line.name()).matches()) {
        continue;
      }
      for (Dims dims : sizes(line)) {
        if (sizes.isEmpty() ? !quick || small(line, dims) : sizes.contains(dims.label())) {
          items.add(new Item(line, dims));
        }
      }
    }
    return items;
  }

  private List<Dims> sizes(Line line) {
    return onGpu() ? Lines.gpuSizes(line) : line.sizes();
  }

  /** Returns true on an NVIDIA GPU, whose memory takes larger sizes than a processor's. */
  boolean onGpu() {
    return deviceKind().equals("cuda");
  }

  /** Returns the requested peers, or all known ones. */
  List<String> peers() {
    return peers.isEmpty() ? knownPeers() : peers;
  }

  private List<String> knownPeers() {
    return onProcessor() ? PEERS : onGpu() ? GPU_PEERS : List.of();
  }

  /** Names of the facts to measure. */
  List<String> starts() {
    return STARTS.stream()
        .filter(s -> onProcessor() || s.equals(Launches.NAME))
        .filter(s -> only.matcher(s).matches())
        .toList();
  }

  /** Returns the first error in the options; empty if there is none. */
  String complaint() {
    for (String peer : peers) {
      if (!knownPeers().contains(peer) && !peer.equals("none")) {
        return "--peers knows " + String.join(", ", knownPeers()) + " and none; got '" + peer + "'";
      }
    }
    List<String> known =
        Lines.all().stream().flatMap(l -> sizes(l).stream()).map(Dims::label).distinct().toList();
    for (String size : sizes) {
      if (!known.contains(size)) {
        return "--sizes knows " + String.join(", ", known) + "; got '" + size + "'";
      }
    }
    if (items().isEmpty() && starts().isEmpty()) {
      List<String> names =
          Stream.concat(Lines.all().stream().map(Line::name), STARTS.stream()).toList();
      return "--only and --sizes leave nothing to measure; there are "
          + String.join(", ", names)
          + " (see --list)";
    }
    return "";
  }

  private boolean small(Line line, Dims dims) {
    long limit = line.family() == Line.Family.GEMM ? QUICK_PRODUCT : QUICK_LIMIT;
    return dims.product() <= (onGpu() ? 8 * limit : limit);
  }

  /** Returns true if the device is the processor, driven by the engine itself. */
  boolean onProcessor() {
    return deviceKind().equals("cpu");
  }

  String deviceKind() {
    int colon = device.indexOf(':');
    return colon < 0 ? device : device.substring(0, colon);
  }

  /** Encodes the options as arguments of a worker process. */
  List<String> arguments() {
    var arguments = new ArrayList<>(List.of("--only", only.pattern()));
    if (!peers.isEmpty()) {
      arguments.addAll(List.of("--peers", String.join(",", peers)));
    }
    if (!sizes.isEmpty()) {
      arguments.addAll(List.of("--sizes", String.join(",", sizes)));
    }
    arguments.addAll(List.of("--device", device));
    if (quick) {
      arguments.add("--quick");
    }
    return arguments;
  }
}
