/// Index arithmetic: [IndexMap][ristretto.expr.index.IndexMap], the affine map from an index to an
/// element, and [ViewOp][ristretto.expr.index.ViewOp], the operations that change it without
/// copying elements.
package ristretto.expr.index;
