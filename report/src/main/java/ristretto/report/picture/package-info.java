/** Diagrams and charts as SVG. */
package ristretto.report.picture;
