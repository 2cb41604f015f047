import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * Writes a folder that runs on a machine without a JDK: a run time made by jlink, the jars with the
 * natives of this system, scripts, examples and documents. Used by {@code ./ristretto bundle}.
 */
public final class Bundle {
  /** Modules of the JDK that jars on the class path need or that run scripts. */
  private static final List<String> JDK =
      List.of(
          "jdk.compiler",
          "jdk.jartool",
          "jdk.incubator.vector",
          "jdk.unsupported",
          "jdk.management",
          "jdk.zipfs",
          "java.desktop",
          "java.naming");

  /** Messages of the JDK in other languages. */
  private static final String TRANSLATIONS =
      Stream.of("de", "es", "fr", "it", "ja", "ko", "pt_BR", "sv", "zh_CN", "zh_TW", "zh_HK")
          .map(language -> "**_" + language + ".class,**_" + language + ".properties")
          .collect(Collectors.joining(","));

  /** Parts of Commons Math of which nothing is used. */
  private static final Pattern UNUSED_MATH =
      Pattern.compile(
          "org/apache/commons/math3/(dfp|distribution|filter|fitting|genetics|geometry|ml|ode|optim"
              + "|optimization|primes|stat|transform)/.*");

  /** Parts of Jackson of which nothing is used: conversion of floating-point numbers. */
  private static final Pattern UNUSED_JSON =
      Pattern.compile(
          "(META-INF/versions/\\d+/)?com/fasterxml/jackson/core/(internal/shaded|io/schubfach)/.*");

  /** Parts of FastCSV of which nothing is used: indices. */
  private static final Pattern UNUSED_CSV =
      Pattern.compile("de/siegmar/fastcsv/reader/(Indexed|CsvIndex|CsvScanner|Collecting).*");

  /**
   * Parts of Arrow's metadata of which nothing is used: tensors, reflection, accessors of lists.
   */
  private static final Pattern UNUSED_ARROW =
      Pattern.compile(
          "com/google/flatbuffers/(reflection/|FlexBuffers).*"
              + "|org/apache/arrow/flatbuf/((Sparse|Tensor).*|.*[$]Vector[.]class)");

  /**
   * Sound of the JDK, whose native library is left out too, printers, and looks of windows other
   * than the default. A module must have a class of each package, and the classes of its services.
   */
  private static final String UNUSED_DESKTOP =
      "regex:/java\\.desktop/(com/sun/media/sound/(?!Toolkit)|javax/swing/plaf/nimbus/(?!State)"
          + "|javax/swing/plaf/synth/(?!SynthConstants)"
          + "|com/sun/java/swing/plaf/gtk/(?!GTKConstants|icons/|resources/)"
          + "|com/sun/java/swing/plaf/motif/(?!MotifSeparatorUI|icons/|resources/)"
          + "|sun/print/(?!PrintServiceLookupProvider|PSStreamPrinterFactory|resources/)).*";

  /** Compiler of XSLT style sheets. A module must have a class of each package. */
  private static final String UNUSED_XML =
      "regex:/java\\.xml/com/sun/org/apache/(bcel/internal/generic/(?!Type.class)"
          + "|bcel/internal/classfile/(?!Utility.class)"
          + "|xalan/internal/xsltc/compiler/(?!Parser.class|util/)).*";

  /** Pictures of the JDK's documentation. */
  private static final String DOCUMENTATION = "**/doc-files/**";

  /** Parts of the documentation site, and its pictures. */
  private static final Pattern SITE =
      Pattern.compile(
          ".*/docs/(node_modules|[.]vitepress|public|decisions)(/.*)?"
              + "|.*/docs/.*[.](png|svg|json|dot)");

  private static final List<String> COPIED =
      List.of("README.md", "LICENSE", "ristretto", "launcher", "examples", "docs");

  /** Left out unless asked for: it is half as large as all the rest. */
  private static final Pattern ONEDNN = Pattern.compile("(dnnl|ristretto-onednn)-.*");

  /** Always left out: with it, bundles would be larger than their limit. */
  private static final Pattern ONNX = Pattern.compile("(protobuf-java|ristretto-onnx)-.*");

  /**
   * Always left out: of bytedeco's libraries only the native parts are used, without its classes.
   */
  private static final Pattern BYTEDECO = Pattern.compile("(javacpp|openblas|dnnl)-[0-9.-]+[.]jar");

  private final Path home;
  private final Path target;
  private final boolean onednn;

  private Bundle(Path home, Path target, boolean onednn) {
    this.home = home;
    this.target = target;
    this.onednn = onednn;
  }

  /**
   * @param args the folder to write, the top of the repository, its version, the folders of the
   *     builds of the engine and of the benchmarks, and yes if oneDNN is wanted
   */
  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[0]).toAbsolutePath().normalize();
    Path aside = folder.resolveSibling("." + folder.getFileName() + ".new");
    delete(aside);
    Files.createDirectories(aside);
    int exit = 0;
    try {
      new Bundle(Path.of(args[1]), aside, args[5].equals("yes"))
          .write(args[2], Path.of(args[3]), Path.of(args[4]));
      Files.deleteIfExists(folder);
      Files.move(aside, folder, StandardCopyOption.ATOMIC_MOVE);
    } catch (NoRunTime e) {
      System.err.println("ristretto: " + e.getMessage());
      exit = 1;
    } finally {
      delete(aside);
    }
    System.exit(exit);
  }

  private void write(String version, Path engine, Path benchmarks) throws IOException {
    List<Path> ours = jars(engine);
    List<Path> all = new ArrayList<>(ours);
    all.addAll(jars(benchmarks));
    say("jars");
    Path lib = Files.createDirectories(target.resolve("lib"));
    Path more = Files.createDirectories(target.resolve("lib/bench"));
    for (Path jar : ours) {
      copyJar(jar, lib.resolve(jar.getFileName()));
    }
    for (Path jar : all) {
      if (!Files.exists(lib.resolve(jar.getFileName()))) {
        copyJar(jar, more.resolve(jar.getFileName()));
      }
    }
    say("run time");
    link(lib);
    say("files");
    String[] modules = Files.readString(engine.resolve("modules")).strip().split(",");
    Files.writeString(
        lib.resolve("modules"),
        Stream.of(modules)
                .filter(module -> onednn || !module.equals("ristretto.onednn"))
                .filter(module -> !module.equals("ristretto.onnx"))
                .collect(Collectors.joining(","))
            + "\n");
    Files.writeString(target.resolve("version"), version + "\n");
    for (String name : COPIED) {
      copy(home.resolve(name), target.resolve(name));
    }
    Files.createDirectories(target.resolve("bin"));
    Files.createSymbolicLink(target.resolve("bin/ristretto"), Path.of("../ristretto"));
  }

  private static void say(String what) {
    System.err.println("ristretto: bundle: " + what);
  }

  /** The jars of a build: our own, and the libraries it lists. */
  private List<Path> jars(Path build) throws IOException {
    var jars = new ArrayList<Path>();
    try (Stream<Path> files = Files.list(build)) {
      files
          .filter(f -> f.getFileName().toString().matches("ristretto-.*\\.jar"))
          .sorted()
          .forEach(jars::add);
    }
    Files.readAllLines(build.resolve("libraries")).forEach(line -> jars.add(Path.of(line)));
    jars.removeIf(jar -> ONNX.matcher(jar.getFileName().toString()).matches());
    jars.removeIf(jar -> BYTEDECO.matcher(jar.getFileName().toString()).matches());
    if (!onednn) {
      jars.removeIf(jar -> ONEDNN.matcher(jar.getFileName().toString()).matches());
    }
    return jars;
  }

  /** Leaves out natives of other systems, and those that nothing calls. */
  private static void copyJar(Path from, Path to) throws IOException {
    try (var in = new ZipInputStream(Files.newInputStream(from));
        var out = new ZipOutputStream(Files.newOutputStream(to))) {
      out.setLevel(9);
      for (ZipEntry e = in.getNextEntry(); e != null; e = in.getNextEntry()) {
        if (isNeeded(e.getName())) {
          var entry = new ZipEntry(e.getName());
          entry.setTime(e.getTime());
          out.putNextEntry(entry);
          in.transferTo(out);
        }
      }
    }
  }

  private static boolean isNeeded(String entry) {
    if (entry.contains("/include/")
        || UNUSED_MATH.matcher(entry).matches()
        || UNUSED_JSON.matcher(entry).matches()
        || UNUSED_CSV.matcher(entry).matches()
        || UNUSED_ARROW.matcher(entry).matches()
        || entry.contains("libjniopenblas")
        || entry.contains("libjnidnnl")
        || entry.contains("libJNvPTXCompiler")
        || entry.contains("libJNvrtc")) {
      return false;
    }
    boolean windows = entry.endsWith(".dll") || entry.contains("-windows-");
    boolean apple = entry.endsWith(".dylib") || entry.endsWith(".jnilib");
    boolean linux = entry.endsWith(".so") || entry.contains(".so.");
    String system = System.getProperty("os.name");
    if (system.startsWith("Mac")) {
      return !windows && !linux;
    }
    return system.startsWith("Windows") ? !apple && !linux : !windows && !apple;
  }

  private void link(Path lib) {
    Set<String> modules = new TreeSet<>(JDK);
    ModuleFinder.of(lib).findAll().stream()
        .flatMap(m -> m.descriptor().requires().stream())
        .map(ModuleDescriptor.Requires::name)
        .filter(name -> ModuleFinder.ofSystem().find(name).isPresent())
        .forEach(modules::add);
    ToolProvider jlink =
        ToolProvider.findFirst("jlink").orElseThrow(() -> new NoRunTime("this JDK has no jlink"));
    String[] options = {
      "--add-modules",
      String.join(",", modules),
      "--strip-debug",
      "--no-header-files",
      "--no-man-pages",
      "--vm=server",
      // Signatures of older releases, sound, splash screens; image filters, which Java has too.
      "--exclude-files=**/ct.sym,**/libjsound.so,**/libsplashscreen.so,**/libmlib_image.so",
      "--exclude-resources="
          + UNUSED_DESKTOP
          + ","
          + UNUSED_XML
          + ","
          + DOCUMENTATION
          + ","
          + TRANSLATIONS,
      "--output",
      target.resolve("runtime").toString()
    };
    int code = jlink.run(System.err, System.err, options);
    if (code != 0) {
      throw new NoRunTime("jlink of this JDK made no run time; its messages are above");
    }
  }

  private static final class NoRunTime extends RuntimeException {
    private static final long serialVersionUID = 1;

    NoRunTime(String why) {
      super(
          why
              + ": use another JDK, such as one from adoptium.net, by setting"
              + " RISTRETTO_JAVA_HOME.");
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      Stream<Path> files = all.filter(f -> !SITE.matcher(f.toString()).matches());
      for (Path file : (Iterable<Path>) files::iterator) {
        Path place = to.resolve(from.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(place);
        } else {
          Files.copy(file, place, StandardCopyOption.COPY_ATTRIBUTES);
        }
      }
    }
  }

  private static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      files
          .sorted(Comparator.reverseOrder())
          .forEach(file -> {
            try {
              Files.delete(file);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
  }
}
