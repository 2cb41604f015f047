package ristretto.nnet3.cli;

import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.io.TableWriter;

/**
 * An example with its key.
 *
 * @param key key in the table
 * @param example value of the entry
 */
record KeyedExample<E>(String key, E example) {
  static <E> KeyedExample<E> at(TableReader<E> reader) {
    return new KeyedExample<>(reader.key(), reader.value());
  }

  void writeTo(TableWriter<E> writer) {
    writer.write(key, example);
  }
}
