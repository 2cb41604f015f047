package ristretto.symbolic.data;

/** Treatment of missing values in {@link CsvColumns}. */
public enum Missing {
  /** A missing value is an error. */
  REFUSE,

  /** Rows with a missing value are left out. */
  DROP_ROW,

  /** A missing number becomes the mean of its column in the first file. */
  MEAN,

  /** A missing number becomes zero. */
  ZERO,

  /** A missing number becomes NaN. */
  NAN;

  /** Returns true if missing values stay in the data. */
  boolean keeps() {
    return this != REFUSE && this != DROP_ROW;
  }
}
