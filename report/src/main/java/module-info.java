/** Charts and report pages of trainings. */
module ristretto.report {
  requires java.desktop;
  requires org.knowm.xchart;

  exports ristretto.report to
      ristretto.nnet3,
      ristretto.symbolic;
  exports ristretto.report.picture to
      ristretto.nnet3,
      ristretto.notebook,
      ristretto.symbolic;
}
