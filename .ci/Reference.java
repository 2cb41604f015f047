// Writes the reference of functions, docs/reference, from the javadoc and from the examples in
// docs/reference/functions.txt, whose outputs are computed. With --check, compares the pages with
// those in docs instead, and fails if they differ.
//
//   ./ristretto run .ci/Reference.java [--check]

import module java.compiler;
import module jdk.compiler;
import com.sun.source.doctree.DocCommentTree;
import com.sun.source.util.DocTrees;
import java.util.function.Function;
import java.util.function.Predicate;

/// Line of functions.txt: names of the function here and in NumPy or SciPy, and an example. An
/// example whose output varies is marked as not run.
record Entry(String name, String peer, String example, boolean isRun) {}

record Category(String title, String text, List<Entry> entries) {
  String file() {
    return title.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-") + ".md";
  }
}

/// Overload of a function: its signature without modifiers, and the first sentence of its comment.
record Overload(String signature, String sentence) {}

/// Sources of the functions, with the prefix of their names in scripts. Each function without
/// prefix must have an entry.
static Map<String, String> sources() {
  var sources = new LinkedHashMap<String, String>();
  String ops =
      "Elementwise Special Reduction Lambda Selection Statistics Recurrence Signal Function";
  for (String name : ops.split(" ")) {
    sources.put(name + "Ops", "");
  }
  sources.put("Ops", "");
  sources.put("TensorFactories", "ctx.");
  sources.put("Context", "ctx.");
  sources.put("ContextSelections", "ctx.");
  sources.put("Fft", "Fft.");
  sources.put("linalg/Linalg", "Linalg.");
  sources.put("random/Rng", "rng.");
  sources.put("Expr", "e.");
  return sources;
}

static List<Category> categories(Path file) throws IOException {
  var categories = new ArrayList<Category>();
  for (String line : Files.readAllLines(file)) {
    if (line.startsWith("# ")) {
      String[] parts = line.substring(2).split(": ", 2);
      categories.add(new Category(parts[0], parts[1], new ArrayList<>()));
    } else if (!line.isBlank()) {
      String[] parts = line.split(" \\| ", 3);
      boolean isRun = !parts[2].startsWith("not run: ");
      String example = isRun ? parts[2] : parts[2].substring("not run: ".length());
      categories.getLast().entries().add(new Entry(parts[0], parts[1], example, isRun));
    }
  }
  return categories;
}

/// Public methods of the classes, by their names in scripts.
static Map<String, List<Overload>> overloads() throws IOException {
  var found = new TreeMap<String, List<Overload>>();
  var compiler = javax.tools.ToolProvider.getSystemJavaCompiler();
  try (var files = compiler.getStandardFileManager(null, Locale.ROOT, null)) {
    for (var source : sources().entrySet()) {
      Path file = Path.of("expr/src/main/java/ristretto/expr", source.getKey() + ".java");
      var units = files.getJavaFileObjects(file);
      var task = (JavacTask) compiler.getTask(null, files, _ -> {}, List.of(), null, units);
      var docs = DocTrees.instance(task);
      for (CompilationUnitTree unit : task.parse()) {
        new TreePathScanner<Void, Void>() {
          @Override
          public Void visitMethod(MethodTree method, Void none) {
            boolean exported =
                method.getModifiers().getFlags().contains(javax.lang.model.element.Modifier.PUBLIC);
            DocCommentTree comment = docs.getDocCommentTree(getCurrentPath());
            boolean overrides =
                method.getModifiers().getAnnotations().stream()
                    .anyMatch(a -> a.toString().contains("Override"));
            if (exported && !overrides && method.getReturnType() != null) {
              found
                  .computeIfAbsent(source.getValue() + method.getName(), _ -> new ArrayList<>())
                  .add(new Overload(signature(method), sentence(comment)));
            }
            return null;
          }
        }.scan(unit, null);
      }
    }
  }
  return found;
}

static String signature(MethodTree method) {
  String parameters =
      method.getParameters().stream()
          .map(p -> p.toString().replaceAll("@\\w+(\\([^)]*\\))? ?", ""))
          .map(p -> p.replaceAll("\\[\\] (\\w+)$", "[] $1"))
          .reduce((a, b) -> a + ", " + b)
          .orElse("");
  return method.getReturnType() + " " + method.getName() + "(" + parameters + ")";
}

static String sentence(DocCommentTree comment) {
  if (comment == null) {
    return "";
  }
  String text =
      comment.getFirstSentence().stream().map(Object::toString).reduce("", String::concat);
  return text.replaceAll("\\s+", " ")
      .replaceAll("\\{@link (?:[\\w.]*[#.])?(\\w+)(?:\\([^)]*\\))?( [^}]*)?\\}", "`$1`")
      .replaceAll("\\{@code ([^}]*)\\}", "`$1`")
      .replaceAll("</?\\w+>", "");
}

/// Script that runs the examples; prints a line with the number of each before its output.
static String script(List<Entry> entries, String imports, String operands) {
  var text =
      new StringBuilder(imports).append("\nvoid main() {\n  try (var c = Context.open()) {\n");
  text.append("    ctx = c;\n    define();\n");
  for (int k = 0; k < entries.size(); k++) {
    if (entries.get(k).isRun()) {
      String example = entries.get(k).example();
      text.append("    run(").append(k).append(", () -> ").append(example).append(");\n");
    }
  }
  return text.append("  }\n}\n\nstatic Context ctx;\n").append(operands).toString();
}

static Map<Integer, List<String>> outputs(Path script) throws Exception {
  var process =
      new ProcessBuilder("./ristretto", "run", script.toString())
          .redirectError(ProcessBuilder.Redirect.INHERIT)
          .start();
  var outputs = new HashMap<Integer, List<String>>();
  List<String> current = new ArrayList<>();
  for (String line : process.inputReader().lines().toList()) {
    if (line.startsWith("## ")) {
      current = outputs.computeIfAbsent(Integer.valueOf(line.substring(3)), _ -> new ArrayList<>());
    } else {
      current.add(line);
    }
  }
  if (process.waitFor() != 0) {
    throw new IOException("the examples failed");
  }
  return outputs;
}

static String page(
    Category category,
    Map<String, List<Overload>> overloads,
    Function<Entry, List<String>> output) {
  var text = new StringBuilder("# " + category.title() + "\n\n" + category.text() + "\n");
  for (Entry e : category.entries()) {
    List<String> lines = output.apply(e);
    text.append("\n## ").append(e.name()).append("\n\n");
    List<Overload> all = overloads.getOrDefault(e.name(), List.of());
    all.stream().map(Overload::sentence).findFirst().ifPresent(s -> text.append(s).append("\n\n"));
    text.append("NumPy: ").append(e.peer().equals("-") ? "none" : "`" + e.peer() + "`");
    text.append(". Gradient: ").append(lines.getFirst()).append(".\n\n```text\n");
    all.stream().map(Overload::signature).limit(6).forEach(s -> text.append(s).append("\n"));
    if (all.size() > 6) {
      text.append("... ")
          .append(all.size() - 6)
          .append(" more, for other dtypes and numbers of operands\n");
    }
    text.append("\n> ").append(e.example()).append("\n");
    lines.stream().skip(1).forEach(line -> text.append(line).append("\n"));
    text.append("```\n");
  }
  return text.toString();
}

static String index(List<Category> categories) {
  var text = new StringBuilder("# Functions\n\nAll functions of scripts, with an example each. ");
  text.append(
      "`./ristretto run .ci/Reference.java` writes these pages from the javadoc and runs the examples. ");
  text.append("Every function works on every device. ");
  text.append(
      "[From NumPy](from-numpy.md) lists NumPy's names. The operands of the examples are\n\n");
  text.append("```text\n").append(OPERANDS).append("```\n");
  for (Category category : categories) {
    text.append("\n## [")
        .append(category.title())
        .append("](")
        .append(category.file())
        .append(")\n\n");
    text.append(category.text())
        .append("\n\n| function | NumPy | example |\n| --- | --- | --- |\n");
    for (Entry e : category.entries()) {
      text.append("| [")
          .append(e.name())
          .append("](")
          .append(category.file())
          .append("#")
          .append(anchor(e));
      text.append(") | ").append(e.peer().equals("-") ? "" : "`" + e.peer() + "`");
      text.append(" | `").append(e.example().replace("|", "\\|")).append("` |\n");
    }
  }
  return text.toString();
}

/// Page with all names of NumPy's main namespaces, and the functions for them. Names of
/// functions.txt come from there, others from numpy.txt.
static String fromNumpy(List<Category> categories, Path docs) throws IOException {
  var known = new HashMap<String, Set<String>>();
  for (Category category : categories) {
    for (Entry e : category.entries()) {
      for (String peer : e.peer().split(", ")) {
        String link = "[`" + e.example() + "`](" + category.file() + "#" + anchor(e) + ")";
        known.computeIfAbsent(peer, _ -> new LinkedHashSet<>()).add(link);
      }
    }
  }
  String space = "";
  for (String line : Files.readAllLines(docs.resolve("numpy.txt"))) {
    if (line.startsWith("# ")) {
      space = line.substring(2) + ".";
    } else if (!line.isBlank()) {
      String[] parts = line.split(" = ", 2);
      for (String name : parts[0].split(", ")) {
        known.computeIfAbsent(space + name, _ -> new LinkedHashSet<>()).add(parts[1]);
      }
    }
  }
  var text =
      new StringBuilder(
          "# From NumPy\n\nAll names of NumPy's main namespaces (NumPy 2), and what to use here.\n");
  var without = new ArrayList<String>();
  for (String line : Files.readAllLines(docs.resolve("numpy-names.txt"))) {
    String[] parts = line.split(": ");
    text.append("\n## ").append(parts[0]).append("\n\n| NumPy | here |\n| --- | --- |\n");
    for (String name : parts[1].split(" ")) {
      Set<String> here = known.get(parts[0] + "." + name);
      if (here == null) {
        without.add(parts[0] + "." + name);
      } else {
        text.append("| `")
            .append(name)
            .append("` | ")
            .append(String.join("; ", here))
            .append(" |\n");
      }
    }
  }
  if (!without.isEmpty()) {
    throw new IOException("names of NumPy without a line in numpy.txt: " + without);
  }
  return text.toString();
}

static String anchor(Entry e) {
  return e.name().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_-]", "");
}

static final String OPERANDS =
    """
    a = [[1, -2, 3], [4, 5, -6]]   b = [10, 20, 30]        F64
    p = [0.25, 1, 4]               u = [-0.5, 0, 0.75]     F64
    v = [3, 1, 2, 1]               nan = [1, NaN, 3]       F64
    q = [[4, 1], [1, 3]]           s = [[1, 2], [3, 4]]    F64
    m = [true, false, true]                                BOOL
    i = [2, 0, 1]                  ids = [0, 0, 2, 1]      I32
    n = [5, -7, 12]                k = [2, 2, 5]           I64
    """;

static final String DEFINITIONS =
    """
    static Tensor<F64> a;
    static Tensor<F64> b;
    static Tensor<F64> p;
    static Tensor<F64> u;
    static Tensor<F64> v;
    static Tensor<F64> nan;
    static Tensor<F64> q;
    static Tensor<F64> s;
    static Tensor<BOOL> m;
    static Tensor<I32> i;
    static Tensor<I32> ids;
    static Tensor<I64> n;
    static Tensor<I64> k;

    static void define() {
      a = ctx.tensor(new double[] {1, -2, 3, 4, 5, -6}, 2, 3);
      b = ctx.tensor(new double[] {10, 20, 30});
      p = ctx.tensor(new double[] {0.25, 1, 4});
      u = ctx.tensor(new double[] {-0.5, 0, 0.75});
      v = ctx.tensor(new double[] {3, 1, 2, 1});
      nan = ctx.tensor(new double[] {1, Double.NaN, 3});
      q = ctx.tensor(new double[] {4, 1, 1, 3}, 2, 2);
      s = ctx.tensor(new double[] {1, 2, 3, 4}, 2, 2);
      m = ctx.tensor(new boolean[] {true, false, true});
      i = ctx.tensor(new int[] {2, 0, 1});
      ids = ctx.tensor(new int[] {0, 0, 2, 1});
      n = ctx.tensor(new long[] {5, -7, 12});
      k = ctx.tensor(new long[] {2, 2, 5});
      ExprRegistry.register("own", List.of(F64), in -> square(in.getFirst()));
    }

    static void run(int number, Callable<Object> example) {
      IO.println("## " + number);
      Object value;
      try {
        value = example.call();
      } catch (Exception e) {
        throw new IllegalStateException("example " + number, e);
      }
      IO.println(differentiable(value));
      String text = text(value);
      text.lines().forEach(line -> IO.println(line.stripTrailing()));
    }

    static String text(Object value) {
      if (value instanceof Expr<?> e) {
        return ctx.eval(e).toString();
      }
      if (value instanceof List<?> list) {
        return list.stream().map(x -> text(x)).collect(Collectors.joining("\\n"));
      }
      if (value instanceof Record r) {
        return Arrays.stream(r.getClass().getRecordComponents())
            .map(c -> c.getName() + " = " + text(component(r, c)))
            .collect(Collectors.joining("\\n"));
      }
      return String.valueOf(value);
    }

    static Object component(Record r, java.lang.reflect.RecordComponent c) {
      try {
        return c.getAccessor().invoke(r);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }

    static String differentiable(Object value) {
      if (!(value instanceof Expr<?> e)) {
        return "none";
      }
      String answer = "none";
      for (Tensor<F64> x : List.of(a, b, p, u, v, nan, q, s)) {
        try {
          ctx.eval(gradient(e, x));
          answer = "yes";
        } catch (RistrettoException no) {
          if (no.getMessage().contains("must have a derivative")) {
            return "none";
          }
        }
      }
      return answer;
    }
    """;

static final String IMPORTS =
    """
    import module ristretto.expr;
    import module ristretto.kernels;
    import static ristretto.expr.Ops.*;
    """;

void main(String[] args) throws Exception {
  boolean check = List.of(args).contains("--check");
  Path docs = Path.of("docs/reference");
  List<Category> categories = categories(docs.resolve("functions.txt"));
  List<Entry> entries = categories.stream().flatMap(c -> c.entries().stream()).toList();
  Map<String, List<Overload>> overloads = overloads();
  Set<String> named = entries.stream().map(Entry::name).collect(Collectors.toSet());
  List<String> missing =
      overloads.keySet().stream().filter(f -> !f.contains(".") && !named.contains(f)).toList();
  List<String> unknown =
      named.stream().filter(f -> !overloads.containsKey(f) && !f.contains(".")).sorted().toList();
  if (!missing.isEmpty() || !unknown.isEmpty()) {
    IO.println("functions without a line in functions.txt: " + missing + "; unknown: " + unknown);
    System.exit(1);
  }
  Path script = Path.of("target/reference/Examples.java");
  Files.createDirectories(script.getParent());
  Files.writeString(script, script(entries, IMPORTS, DEFINITIONS));
  Map<Integer, List<String>> outputs = outputs(script);
  var pages = new TreeMap<String, String>();
  pages.put("README.md", index(categories));
  pages.put("from-numpy.md", fromNumpy(categories, docs));
  for (Category category : categories) {
    pages.put(
        category.file(),
        page(category, overloads, e -> outputs.getOrDefault(entries.indexOf(e), List.of("none"))));
  }
  int different = 0;
  for (var page : pages.entrySet()) {
    Path file = docs.resolve(page.getKey());
    if (!check) {
      Files.writeString(file, page.getValue());
    } else if (!Files.exists(file) || !Files.readString(file).equals(page.getValue())) {
      IO.println("differs: " + file);
      Files.writeString(Path.of("target/reference").resolve(page.getKey()), page.getValue());
      different++;
    }
  }
  IO.println("result: functions=" + entries.size() + " different=" + different);
  if (different > 0) {
    System.exit(1);
  }
}
