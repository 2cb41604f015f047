package ristretto.notebook;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.dflib.jjava.jupyter.kernel.BaseKernel;
import org.dflib.jjava.jupyter.kernel.BaseKernelBuilder;
import org.dflib.jjava.jupyter.kernel.JupyterIO;
import org.dflib.jjava.jupyter.kernel.LanguageInfo;
import org.dflib.jjava.jupyter.kernel.ReplacementOptions;
import org.dflib.jjava.jupyter.kernel.comm.CommManager;
import org.dflib.jjava.jupyter.kernel.display.DisplayData;
import org.dflib.jjava.jupyter.kernel.display.Renderer;
import org.dflib.jjava.jupyter.kernel.history.HistoryManager;
import org.dflib.jjava.jupyter.kernel.magic.MagicParser;
import org.dflib.jjava.jupyter.kernel.magic.MagicsRegistry;
import org.dflib.jjava.jupyter.kernel.util.StringStyler;

/** Answers Jupyter's requests by {@link Cells}, which run on the thread of the requests. */
final class RistrettoKernel extends BaseKernel {
  private static final String VERSION = Runtime.version().toString();

  private final Cells cells = new Cells();
  private final Path launcher;
  private final Help help;
  private volatile Thread running;

  private static final class Builder extends BaseKernelBuilder<Builder, RistrettoKernel> {
    private final Path launcher;

    Builder(Path launcher) {
      this.launcher = launcher;
    }

    @Override
    public RistrettoKernel build() {
      return new RistrettoKernel(this);
    }

    // The library's parts are accessible to subclasses of its builder only.

    HistoryManager historyManager() {
      return buildHistoryManager();
    }

    JupyterIO io() {
      return buildJupyterIO(StandardCharsets.UTF_8);
    }

    CommManager comms() {
      return buildCommManager();
    }

    Renderer renderer() {
      return buildRenderer();
    }

    /** No line of Java begins with these characters, so that cells have no magics. */
    MagicParser parser() {
      return new MagicParser("(?!)", "(?!)", buildMagicTranspiler());
    }

    MagicsRegistry magics() {
      return buildMagicsRegistry();
    }

    StringStyler styler() {
      return buildErrorStyler();
    }
  }

  private RistrettoKernel(Builder builder) {
    super(
        "Ristretto",
        VERSION,
        new LanguageInfo.Builder("Java")
            .version(VERSION)
            .mimetype("text/x-java-source")
            .fileExtension(".java")
            .pygments("java")
            .codemirror("text/x-java")
            .build(),
        List.of(),
        builder.historyManager(),
        builder.io(),
        builder.comms(),
        builder.renderer(),
        builder.parser(),
        builder.magics(),
        false,
        builder.styler());
    this.launcher = builder.launcher;
    this.help = new Help(cells, launcher.resolveSibling("docs/reference"));
  }

  /**
   * Creates a kernel.
   *
   * @param launcher the command {@code ristretto}, beside the folder with the reference's pages,
   *     whose entries help shows
   */
  static RistrettoKernel create(Path launcher) {
    return new Builder(launcher).build();
  }

  @Override
  public Object evalRaw(String cell) {
    Cells.Value value = cells.eval(cell);
    return value == null ? null : value.value();
  }

  @Override
  public DisplayData eval(String cell) {
    running = Thread.currentThread();
    try {
      if (SubmittedCell.isOne(cell)) {
        SubmittedCell.run(launcher, cell);
        return null;
      }
      Cells.Value value = cells.eval(cell);
      return value == null ? null : Display.of(value.value());
    } finally {
      running = null;
      // An interrupt that came too late must not stop the next cell.
      Thread.interrupted();
    }
  }

  @Override
  public void interrupt() {
    Thread cell = running;
    if (cell != null) {
      cell.interrupt();
    }
  }

  @Override
  public List<String> formatError(Throwable e) {
    return e instanceof CellException cell ? cell.lines() : super.formatError(e);
  }

  @Override
  public ReplacementOptions complete(String cell, int at) {
    return help.complete(cell, at);
  }

  @Override
  public DisplayData inspect(String cell, int at, boolean extended) {
    String text = help.about(cell, at);
    return text.isEmpty() ? null : new DisplayData(text);
  }

  @Override
  public String isComplete(String cell) {
    return switch (cells.completeness(cell)) {
      case COMPLETE, COMPLETE_WITH_SEMI, EMPTY -> IS_COMPLETE_YES;
      case DEFINITELY_INCOMPLETE, CONSIDERED_INCOMPLETE -> "  ";
      case UNKNOWN -> IS_COMPLETE_BAD;
    };
  }

  @Override
  public void onShutdown(boolean restarting) {
    cells.close();
  }
}
