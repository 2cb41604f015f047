// Recognizes the digits of a WAV file while it arrives, a tenth of a second at a time: features,
// outputs of the network, and the best words so far.
//
//   ./ristretto run examples/nnet3/StreamingDigits.java [FILE.wav]

import module ristretto.expr;
import module ristretto.nnet3;

static final String CHAIN = "examples/nnet3/digits/chain/";

void main(String[] args) {
  String file = args.length > 0 ? args[0] : CHAIN + "one-six-two.wav";
  Wave wave = Wave.HOLDER.load(file);
  float[] samples = wave.channels()[0];
  SymbolTable words = SymbolTable.load(CHAIN + "words.txt");
  var transitions = new Transitions(TransitionModel.load(CHAIN + "final.mdl"));
  var search = new BeamSearch(graph(words, transitions), transitions, SearchOptions.DEFAULT);
  try (Context context = Context.open()) {
    var mfcc = new Mfcc(context, features(wave.rate()), 1);
    var network = new OnlineComputer(context, AmNnet.load(CHAIN + "final.mdl").nnet(), 30, 3);
    String heard = "";
    int tenth = wave.rate() / 10;
    for (int at = 0; at < samples.length; at += tenth) {
      int end = Math.min(samples.length, at + tenth);
      network.accept(mfcc.accept(Arrays.copyOfRange(samples, at, end)));
      search.advance(network.outputs());
      String now = text(search.bestPath(false), words);
      if (!now.equals(heard)) {
        IO.println(String.format(Locale.ROOT, "%4.1f s  %s", (double) at / wave.rate(), now));
        heard = now;
      }
    }
    network.accept(mfcc.finish());
    network.finish();
    search.advance(network.outputs());
    search.finish();
    int[] best = search.bestPath(true).map(LatticePath::words).orElse(new int[0]);
    IO.println("the digits: " + text(search.bestPath(true), words));
    String digits = Arrays.stream(best).mapToObj(k -> "" + (k - 1)).collect(Collectors.joining());
    IO.println("result: digits=" + digits);
  }
}

/** The graph of any number of digits. */
Fst graph(SymbolTable words, Transitions transitions) {
  Fst lexicon =
      Lexicon.load(CHAIN + "lexicon.txt", false)
          .fst(SymbolTable.load(CHAIN + "phones.txt"), words, "silence", 0.5);
  Fst grammar;
  try (KaldiInput in = KaldiInput.open(CHAIN + "grammar.txt")) {
    ToIntFunction<String> label = word -> words.number(word, "the grammar");
    grammar = ReadFst.text(in, label, label);
  }
  return new DecodingGraph(ContextTree.load(CHAIN + "tree"), transitions, 1, 1)
      .make(lexicon, grammar, Set.of());
}

/** The features on which the network was trained. */
MfccOptions features(int rate) {
  return new MfccOptions(
      FrameOptions.DEFAULT.atRate(rate).withDither(0),
      new MelOptions(23, 40, 3700, 100, -500),
      20,
      false,
      0,
      true,
      22,
      false);
}

String text(Optional<LatticePath> path, SymbolTable words) {
  int[] numbers = path.map(LatticePath::words).orElse(new int[0]);
  return Arrays.stream(numbers).mapToObj(words::name).collect(Collectors.joining(" "));
}
