/// Options of planning: [Optimization][ristretto.expr.option.Optimization] lists what a context can
/// switch off.
package ristretto.expr.option;
