package ristretto.spark;

/** Treatment of rows that are no input of a model: with nulls, or arrays of another length. */
public enum BadRows {
  /** Stops with an error that names the row. */
  FAIL,

  /** Gives the row null as prediction, and counts it. */
  NULL
}
