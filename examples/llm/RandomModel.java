// Writes a GGUF file with a Llama of random weights in a known shape, to measure speed where no
// weights can be downloaded. The tokenizer has tokens for bytes, letters and short words.
//
//   ./ristretto run examples/llm/RandomModel.java [tiny|135m|360m|1.1b] [f32|q8_0|q4_0] [FILE.gguf]

import module ristretto.llm;
import module ristretto.kernels;
import ristretto.expr.type.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Shape of a network; `tied` if the table of tokens is also the output's matrix.
record Shapes(
    int layers, int width, int heads, int keyHeads, int wide, int vocabulary, boolean tied) {}

static final Map<String, Shapes> SHAPES =
    Map.of(
        "tiny", new Shapes(2, 64, 4, 2, 192, 512, true),
        "135m", new Shapes(30, 576, 9, 3, 1536, 49152, true),
        "360m", new Shapes(32, 960, 15, 5, 2560, 49152, true),
        "1.1b", new Shapes(22, 2048, 32, 4, 5632, 32000, false));

static final List<GgufTensor> tensors = new ArrayList<>();
static Arena arena;
static GgufType type;
static long parameters;

/// Matrix with elements of this standard deviation; a vector around 1 if it has one row.
static void add(String name, long rows, int columns, double deviation) {
  boolean vector = rows == 1;
  GgufType own = vector ? GgufType.F32 : type;
  BlockFormat format = own.blocks().orElse(null);
  long bytes = format == null ? 4L * columns : format.rowBytes(columns);
  MemorySegment data = arena.allocate(rows * bytes, 64);
  long seed = name.hashCode();
  // Each row has its own random numbers, so that the file does not depend on the threads.
  LongStream.range(0, rows)
      .parallel()
      .forEach(r -> {
        var random = new SplittableRandom(seed * 1_000_003 + r);
        var row = new float[columns];
        for (int c = 0; c < columns; c++) {
          row[c] = (float) (deviation * random.nextGaussian() + (vector ? 1 : 0));
        }
        if (format == null) {
          MemorySegment.copy(row, 0, data, ValueLayout.JAVA_FLOAT, r * bytes, columns);
        } else {
          BlockEncoder.encode(format, row, 0, columns, data, r * bytes);
        }
      });
  parameters += rows * columns;
  Shape shape = vector ? Shape.of(columns) : Shape.of(rows, columns);
  tensors.add(new GgufTensor(name, own, shape, data));
}

static void network(Shapes s) {
  int keys = s.width / s.heads * s.keyHeads;
  double in = 1 / Math.sqrt(s.width);
  // Sums of many layers stay as large as one if their terms are this much smaller.
  double out = in / Math.sqrt(2 * s.layers);
  add("token_embd.weight", s.vocabulary, s.width, s.tied ? in : 1);
  add("output_norm.weight", 1, s.width, 0.1);
  if (!s.tied) {
    add("output.weight", s.vocabulary, s.width, in);
  }
  for (int k = 0; k < s.layers; k++) {
    String of = "blk." + k + ".";
    add(of + "attn_norm.weight", 1, s.width, 0.1);
    add(of + "attn_q.weight", s.width, s.width, in);
    add(of + "attn_k.weight", keys, s.width, in);
    add(of + "attn_v.weight", keys, s.width, in);
    add(of + "attn_output.weight", s.width, s.width, out);
    add(of + "ffn_norm.weight", 1, s.width, 0.1);
    add(of + "ffn_gate.weight", s.wide, s.width, in);
    add(of + "ffn_up.weight", s.wide, s.width, in);
    add(of + "ffn_down.weight", s.width, s.wide, out * Math.sqrt((double) s.width / s.wide));
  }
}

/// Tokens of SentencePiece: control tokens, bytes, letters, then words of two to four letters.
static Map<String, Object> tokenizer(int size) {
  var tokens = new ArrayList<String>(List.of("<unk>", "<s>", "</s>"));
  var kinds = new ArrayList<Integer>(List.of(2, 3, 3));
  for (int b = 0; b < 256; b++) {
    tokens.add("<0x" + HexFormat.of().withUpperCase().toHexDigits((byte) b) + ">");
    kinds.add(6);
  }
  tokens.add("▁");
  "abcdefghijklmnopqrstuvwxyz".chars().forEach(c -> tokens.add(Character.toString(c)));
  for (int k = 0; tokens.size() < size; k++) {
    String consonants = "bdfghklmnprstvz";
    String word = "▁";
    for (int rest = k + 1; rest > 0; rest /= 75) {
      int syllable = rest % 75;
      word += "" + consonants.charAt(syllable / 5) + "aeiou".charAt(syllable % 5);
    }
    tokens.add(word);
  }
  while (kinds.size() < size) {
    kinds.add(1);
  }
  var scores = IntStream.range(0, size).mapToObj(k -> (float) -k).toList();
  var all = new LinkedHashMap<String, Object>();
  all.put("tokenizer.ggml.model", "llama");
  all.put("tokenizer.ggml.tokens", tokens);
  all.put("tokenizer.ggml.scores", scores);
  all.put("tokenizer.ggml.token_type", kinds);
  all.put("tokenizer.ggml.bos_token_id", 1);
  all.put("tokenizer.ggml.eos_token_id", 2);
  all.put("tokenizer.ggml.unknown_token_id", 0);
  return all;
}

void main(String[] args) throws IOException {
  String size = args.length > 0 ? args[0] : "tiny";
  Shapes s = Optional.ofNullable(SHAPES.get(size)).orElseThrow();
  type = GgufType.valueOf(args.length > 1 ? args[1].toUpperCase(Locale.ROOT) : "Q8_0");
  Path file = args.length > 2 ? Path.of(args[2]) : Files.createTempFile("random", ".gguf");
  var metadata = new LinkedHashMap<String, Object>();
  metadata.put("general.architecture", "llama");
  metadata.put("general.name", "random " + size);
  metadata.put("llama.context_length", 2048);
  metadata.put("llama.embedding_length", s.width);
  metadata.put("llama.block_count", s.layers);
  metadata.put("llama.feed_forward_length", s.wide);
  metadata.put("llama.rope.dimension_count", s.width / s.heads);
  metadata.put("llama.attention.head_count", s.heads);
  metadata.put("llama.attention.head_count_kv", s.keyHeads);
  metadata.put("llama.attention.layer_norm_rms_epsilon", 1e-5f);
  metadata.put("llama.vocab_size", s.vocabulary);
  metadata.putAll(tokenizer(s.vocabulary));
  try (Arena all = Arena.ofShared()) {
    arena = all;
    network(s);
    GgufWriter.write(file, metadata, tensors);
  }
  IO.println("%s has %,d kB".formatted(file, Files.size(file) / 1_000));
  if (args.length < 3) {
    Files.delete(file);
  }
  IO.println("result: parameters=" + parameters + " tensors=" + tensors.size());
}
