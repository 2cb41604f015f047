package ristretto.symbolic.data;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Knowledge from the first file about a field.
 *
 * @param means mean of each column of numbers
 * @param deviations standard deviation of each column of numbers, 1 if it is 0
 * @param words texts by their numbers
 */
record CsvLearned(List<Double> means, List<Double> deviations, List<String> words) {
  static final CsvLearned NOTHING = new CsvLearned(List.of(), List.of(), List.of());

  static CsvLearned of(List<String> words) {
    return new CsvLearned(List.of(), List.of(), List.copyOf(words));
  }

  /** Returns the number of each text. */
  Map<String, Integer> numbers() {
    var numbers = new HashMap<String, Integer>();
    for (String word : words) {
      numbers.put(word, numbers.size());
    }
    return numbers;
  }
}
