/// Plots of tensors and expressions, drawn by XChart and saved as PNG or SVG files.
package ristretto.plot;
