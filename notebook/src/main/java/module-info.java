/** Kernel for Jupyter notebooks: cells of Java with tensors, plots and plans as pictures. */
module ristretto.notebook {
  requires com.google.gson;
  requires java.desktop;
  requires jdk.compiler;
  requires jdk.jshell;
  requires jjava.jupyter;
  requires ristretto.plot;
  requires ristretto.report;
}
