/// Options of planning ([Optimization][ristretto.expr.option.Optimization] lists what a context can
/// switch off), of printing and of CSV files.
package ristretto.expr.option;
