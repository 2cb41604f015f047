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
static final int WIDE = 384;
static final int LAYERS = 3;
static final int HEADS = 4;

record Block(Layer norm, MultiHeadAttention heads, Layer second, Layer gate, Layer up, Layer down) {
  static Block of(int k) {
    String name = "blk." + k + ".";
    return new Block(
        new RmsNorm(name + "attn_norm"),
        new MultiHeadAttention(name + "attn", HEADS).causal().rotary(10_000),
        new RmsNorm(name + "ffn_norm"),
        new Dense(name + "ffn_gate", WIDE).bias(false),
        new Dense(name + "ffn_up", WIDE).bias(false),
        new Dense(name + "ffn_down", WIDTH).bias(false));
  }

  Variable<F32> of(Variable<F32> x) {
    Variable<F32> y = x.plus(heads.of(norm.of(x)));
    Variable<F32> h = second.of(y);
    return y.plus(down.of(silu(gate.of(h)).times(up.of(h))));
  }
}

void main(String[] args) throws IOException {
  var options = List.of(args);
  String text = Files.readString(Path.of("examples/data/psalms.train.txt"));
  int[] letters = text.chars().distinct().sorted().toArray();
  var table = new Embedding("token_embd", letters.length, WIDTH).weight(Initializer.normal(0.02));
  Variable<I32> words = Variable.input("words", I32, -1, -1);
  Variable<F32> x = table.of(words);
  for (int k = 0; k < LAYERS; k++) {
    x = Block.of(k).of(x);
  }
  Variable<I32> next = Variable.input("next", I32, -1, -1);
  Variable<F32> scores = table.logits(new RmsNorm("output_norm").of(x));
  Variable<F32> loss = softmaxCrossEntropy(scores, next);
  try (var ctx = Context.open()) {
    Executor executor = trained(ctx, loss, text, letters, options.contains("--quick"));
    boolean kept = !options.isEmpty() && options.getLast().endsWith(".gguf");
    Path file = kept ? Path.of(options.getLast()) : Files.createTempFile("psalms", ".gguf");
    write(executor, letters, file);
    var model = LanguageModel.open(ctx, file);
    int[] some = numbers(Files.readString(Path.of("examples/data/psalms.valid.txt")), letters, 257);
    int[] before = Arrays.copyOf(some, 256);
    int[] after = Arrays.copyOfRange(some, 1, 257);
    executor.set(words, ctx.tensor(before, 1, 256));
    executor.set(next, ctx.tensor(after, 1, 256));
    executor.forward();
    double exact = executor.tensor(loss).item();
    Expr<F32> seen =
        takeAlongAxis(logSoftmax(model.logits(before), 1), ctx.tensor(after, 256, 1), 1);
    double rounded = -ctx.eval(mean(seen)).item();
    var generator = new Generator(model);
    var address = ServerOptions.DEFAULT.port(options.contains("--serve") ? 8080 : 0);
    try (var server = new ChatServer(generator, "psalms", address)) {
      IO.println(asked(server.address(), "The LORD "));
      if (options.contains("--serve")) {
        IO.readln(server.address() + " answers until Enter is pressed ");
      }
    }
    long bytes = Files.size(file);
    if (!kept) {
      Files.delete(file);
    }
    String result = "result: loss=%.4f quantized=%.4f bytes=%d";
    IO.println(String.format(Locale.ROOT, result, exact, rounded, bytes));
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
/// architecture is that of Qwen 2: a Llama with biases.
static void write(Executor executor, int[] letters, Path file) throws IOException {
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
  metadata.put("qwen2.feed_forward_length", WIDE);
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
