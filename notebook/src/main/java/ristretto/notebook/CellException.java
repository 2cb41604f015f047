package ristretto.notebook;

import java.util.List;

/** Failure of a cell, told in few lines with the line of the cell. */
final class CellException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final List<String> lines;

  CellException(List<String> lines) {
    super(lines.getFirst());
    this.lines = List.copyOf(lines);
  }

  List<String> lines() {
    return lines;
  }
}
