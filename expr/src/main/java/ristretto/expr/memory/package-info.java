/// Memory of tensors and temporaries: live ranges, allocation at offsets of shared buffers, the
/// buffers themselves, and their release once nothing reaches them.
package ristretto.expr.memory;
