package ristretto.symbolic.data;

/** Data set whose text is the number of its examples and their fields. */
abstract class PrintedDataset implements Dataset {
  @Override
  public final String toString() {
    return size() + " examples of " + fields();
  }
}
