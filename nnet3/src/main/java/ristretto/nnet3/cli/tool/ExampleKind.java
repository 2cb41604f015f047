package ristretto.nnet3.cli.tool;

import ristretto.nnet3.chain.ChainExample;
import ristretto.nnet3.egs.Example;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.io.TableWriter;

/**
 * Kind of examples that a command handles.
 *
 * @param prefix start of the command's name
 * @param words name of the kind in logs
 * @param holder reads and writes examples
 * @param languages names the languages of examples; null for a kind without
 */
public record ExampleKind<E extends Example<E>>(
    String prefix, String words, Holder<E> holder, Naming<E> languages) {
  public static final ExampleKind<NnetExample> NNET3 =
      new ExampleKind<>("nnet3", "neural-network", NnetExample.HOLDER, null);
  public static final ExampleKind<ChainExample> CHAIN =
      new ExampleKind<>(
          "nnet3-chain",
          "nnet3+chain",
          ChainExample.HOLDER,
          new Naming<>() {
            @Override
            public ChainExample named(ChainExample example, String key) {
              return Languages.first(example, Languages.of(key, ""));
            }

            @Override
            public String suffix(ChainExample minibatch) {
              return Languages.suffix(minibatch);
            }
          });

  /** Names the languages of multilingual examples. */
  public interface Naming<E> {
    /** Returns an example whose output has the language that its key names. */
    E named(E example, String key);

    /** Returns the end of the key of a minibatch. */
    String suffix(E minibatch);
  }

  public TableReader<E> reader(String rspecifier) {
    return TableReader.open(rspecifier, holder);
  }

  public TableWriter<E> writer(String wspecifier) {
    return TableWriter.open(wspecifier, holder);
  }
}
