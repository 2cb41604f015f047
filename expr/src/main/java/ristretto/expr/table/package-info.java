/// Columns of tables in host memory: CSV files are read into them, written from them, and printed.
package ristretto.expr.table;
