/// Tensors, expressions and assignments.
module ristretto.expr {
  requires com.fasterxml.jackson.core;
  requires de.siegmar.fastcsv;
  requires java.desktop;
  requires me.tongfei.progressbar;
  requires org.apache.arrow.format;
  requires transitive ristretto.kernels;

  exports ristretto.expr;
  exports ristretto.expr.form;
  exports ristretto.expr.formula;
  exports ristretto.expr.linalg;
  exports ristretto.expr.measure;
  exports ristretto.expr.option;
  exports ristretto.expr.random;
  exports ristretto.expr.type;
  exports ristretto.expr.dim to
      ristretto.symbolic;
  exports ristretto.expr.file to
      ristretto.llm,
      ristretto.nnet3,
      ristretto.plot,
      ristretto.symbolic;
  exports ristretto.expr.media to
      ristretto.symbolic;
  exports ristretto.expr.table to
      ristretto.symbolic;
}
