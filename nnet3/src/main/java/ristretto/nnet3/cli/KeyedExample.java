package ristretto.nnet3.cli;

import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.io.TableWriter;

/**
 * An example with its key.
 *
 * @param key key in the table
 * @param example value of the entry
 */
record KeyedExample(String key, NnetExample example) {
  static TableReader<NnetExample> reader(String rspecifier) {
    return TableReader.open(rspecifier, NnetExample.HOLDER);
  }

  static TableWriter<NnetExample> writer(String wspecifier) {
    return TableWriter.open(wspecifier, NnetExample.HOLDER);
  }

  static KeyedExample at(TableReader<NnetExample> reader) {
    return new KeyedExample(reader.key(), reader.value());
  }

  void writeTo(TableWriter<NnetExample> writer) {
    writer.write(key, example);
  }
}
