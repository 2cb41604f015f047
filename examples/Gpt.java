// Trains a small language model (Llama's network: Touvron et al., 2023) on the letters of the
// Psalms, writes it with weights of 8 bits as a GGUF file, and lets it write. The file is one for
// `./ristretto chat --raw FILE.gguf` and `./ristretto serve FILE.gguf`; with --serve, this script
// serves it itself.
//
//   ./ristretto run examples/Gpt.java [--quick] [--serve] [FILE.gguf]

import module ristretto.expr;
import module ristretto.kernels;
import module ristretto.llm;
import module ristretto.symbolic;
import static ristretto.expr.Ops.*;
import static ristretto.symbolic.Layers.*;
import ristretto.symbolic.Executor;

static final int WIDTH = 128;
static final int LAYERS = 3;
static final int HEADS = 4;

static Variable<F32> block(Variable<F32> x, String name) {
  var heads = new MultiHeadAttention(name + "attn", HEADS).causal().rotary(10_000).bias(false);
  Variable<F32> y = x.plus(heads.of(new RmsNorm(name + "attn_norm").of(x)));
  Variable<F32> h = new RmsNorm(name + "ffn_norm").of(y);
  Variable<F32> gate = silu(new Dense(name + "ffn_gate", 3 * WIDTH).bias(false).of(h));
  Variable<F32> up = new Dense(name + "ffn_up", 3 * WIDTH).bias(false).of(h);
  return y.plus(new Dense(name + "ffn_down", WIDTH).bias(false).of(gate.times(up)));
}

void main(String[] args) throws IOException {
  String text = Files.readString(Path.of("examples/data/psalms.train.txt"));
  int[] letters = text.chars().distinct().sorted().toArray();
  var table = new Embedding("token_embd", letters.length, WIDTH).weight(Initializer.normal(0.02));
  Variable<I32> words = Variable.input("words", I32, -1, -1);
  Variable<F32> x = table.of(words);
  for (int k = 0; k < LAYERS; k++) {
    x = block(x, "blk." + k + ".");
  }
  Variable<I32> next = Variable.input("next", I32, -1, -1);
  Variable<F32> loss = softmaxCrossEntropy(table.logits(new RmsNorm("output_norm").of(x)), next);
  try (var ctx = Context.open()) {
    Executor executor = trained(ctx, loss, text, letters, List.of(args).contains("--quick"));
    Path file = write(executor, letters, file(args));
    var model = LanguageModel.open(ctx, file);
    serve(model, List.of(args).contains("--serve"));
    int[] some = numbers(Files.readString(Path.of("examples/data/psalms.valid.txt")), letters, 257);
    executor.set(words, ctx.tensor(some, 1, 257).slice(all(), range(0, 256)));
    executor.set(next, ctx.tensor(some, 1, 257).slice(all(), from(1)));
    executor.forward();
    double exact = executor.tensor(loss).item();
    String result = "result: loss=%.4f quantized=%.4f bytes=%d";
    IO.println(String.format(Locale.ROOT, result, exact, loss(model, some), Files.size(file)));
  }
}

static Executor trained(
    Context ctx, Variable<F32> loss, String text, int[] letters, boolean quick) {
  var executor = new Executor(ctx, 1, loss);
  var trainer = new Trainer(executor, loss, Optimizer.adamW(0.003).clip(1));
  String part = quick ? text.substring(0, 20_000) : text;
  int[] numbers = numbers(part, letters, part.length());
  trainer.train(new Batcher(Tokens.of(numbers).windows(128), 16).shuffled(1), 2);
  return executor;
}

/// Numbers of the first letters of a text.
static int[] numbers(String text, int[] letters, int count) {
  return text.chars().limit(count).map(c -> Arrays.binarySearch(letters, c)).toArray();
}

/// Writes matrices with 8 bits per weight, and vectors as they are, with the names of GGUF. The
/// architecture is that of Qwen 2: a Llama whose rotations pair the halves of a head.
static Path write(Executor executor, int[] letters, Path file) throws IOException {
  var matrices = executor.quantized(Q8_0).quantizedParameters();
  var tensors = new ArrayList<GgufTensor>();
  for (Variable<?> v : executor.parameters()) {
    String name =
        v.name()
            .replace("attn.output", "attn_output")
            .replaceAll("attn\\.(.)[a-z]+\\.", "attn_$1.");
    QuantizedTensor q = matrices.get(v.name());
    Tensor<?> data = q == null ? executor.tensor(v) : q.blocks();
    Shape shape = q == null ? data.shape() : Shape.of(data.shape().at(0), q.shape().at(q.axis()));
    GgufType type = q == null ? GgufType.F32 : GgufType.Q8_0;
    tensors.add(new GgufTensor(name, type, shape, MemorySegment.ofArray(data.toByteArray())));
  }
  var metadata = new LinkedHashMap<String, Object>();
  metadata.put("general.architecture", "qwen2");
  metadata.put("qwen2.block_count", LAYERS);
  metadata.put("qwen2.context_length", 512);
  metadata.put("qwen2.embedding_length", WIDTH);
  metadata.put("qwen2.feed_forward_length", 3 * WIDTH);
  metadata.put("qwen2.attention.head_count", HEADS);
  metadata.put("qwen2.attention.layer_norm_rms_epsilon", 1e-6f);
  // Tokens are letters; GPT-2's tokenizers write a space as Ġ and the end of a line as Ċ.
  var tokens =
      IntStream.of(letters)
          .mapToObj(Character::toString)
          .map(c -> c.equals(" ") ? "Ġ" : c.equals("\n") ? "Ċ" : c)
          .toList();
  metadata.put("tokenizer.ggml.model", "gpt2");
  metadata.put("tokenizer.ggml.pre", "gpt-2");
  metadata.put("tokenizer.ggml.tokens", tokens);
  metadata.put("tokenizer.ggml.token_type", Collections.nCopies(letters.length, 1));
  // No token is longer than a letter, so this merge never takes place.
  metadata.put("tokenizer.ggml.merges", List.of("a b"));
  GgufWriter.write(file, metadata, tensors);
  return file;
}

/// File that the arguments name, or a temporary one.
static Path file(String... args) throws IOException {
  if (args.length > 0 && args[args.length - 1].endsWith(".gguf")) {
    return Path.of(args[args.length - 1]);
  }
  Path file = Files.createTempFile("psalms", ".gguf");
  file.toFile().deleteOnExit();
  return file;
}

/// Mean cross-entropy of letters after those before them.
static double loss(LanguageModel model, int[] numbers) {
  int n = numbers.length - 1;
  Context ctx = model.context();
  Tensor<I32> after = ctx.tensor(Arrays.copyOfRange(numbers, 1, n + 1), n, 1);
  Expr<F32> logs = logSoftmax(model.logits(Arrays.copyOf(numbers, n)), 1);
  return -ctx.eval(mean(takeAlongAxis(logs, after, 1))).item();
}

/// Serves the model, asks the server once, and goes on serving if wanted.
static void serve(LanguageModel model, boolean on) throws IOException {
  ServerOptions options = ServerOptions.DEFAULT.port(on ? 8080 : 0);
  try (var server = new ChatServer(new Generator(model), "psalms", options)) {
    IO.println(asked(server.address(), "The LORD "));
    if (on) {
      IO.readln(server.address() + " answers until Enter is pressed ");
    }
  }
}

/// Asks the server to continue a text.
static String asked(String address, String text) throws IOException {
  var question = (HttpURLConnection) URI.create(address + "/completions").toURL().openConnection();
  question.setDoOutput(true);
  question.setRequestProperty("Content-Type", "application/json");
  String body = "{\"prompt\": \"" + text + "\", \"max_tokens\": 200, \"seed\": 1}";
  question.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
  String answer = new String(question.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  String more = answer.replaceAll("(?s).*\"text\":\"(.*?)\",\"finish.*", "$1");
  return text + more.replace("\\n", "\n");
}
