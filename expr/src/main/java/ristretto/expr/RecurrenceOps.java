package ristretto.expr;

/** Cumulative operations and recurrences with user lambdas. */
abstract class RecurrenceOps extends StatisticsOps {
  RecurrenceOps() {}
}
