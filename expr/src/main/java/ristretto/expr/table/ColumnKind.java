package ristretto.expr.table;

/** Kind of the values of a column. */
public enum ColumnKind {
  /** Only blanks. */
  BLANK,
  /** True and false. */
  BOOLEAN,
  /** Whole numbers of 64 bits. */
  WHOLE,
  /** Floating-point numbers. */
  NUMBER,
  /** Days since 1970-01-01. */
  DATE,
  /** Milliseconds since 1970-01-01, in UTC. */
  TIME,
  /** Texts. */
  TEXT
}
