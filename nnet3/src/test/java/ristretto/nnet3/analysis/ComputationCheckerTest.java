package ristretto.nnet3.analysis;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.nnet3.analysis.MatrixInfo.Role.INPUT;
import static ristretto.nnet3.analysis.MatrixInfo.Role.OUTPUT;
import static ristretto.nnet3.analysis.MatrixInfo.Role.TEMPORARY;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import ristretto.nnet3.ComputationException;

/** Each mistake that the checker finds, made on purpose. */
class ComputationCheckerTest {
  private static final String REPORT = " Report it with the output of nnet3-compile.";

  private final MadeAssignments made = new MadeAssignments();
  private int x;
  private int h;
  private int y;

  @BeforeEach
  void matrices() {
    x = made.memory("x", INPUT, 6, 4);
    h = made.memory("h", TEMPORARY, 6, 4);
    y = made.memory("y", OUTPUT, 6, 4);
  }

  private void finds(String message) {
    assertThatThrownBy(() -> ComputationChecker.check(made.assignments()))
        .isInstanceOf(ComputationException.class)
        .hasMessage("[check] " + message + REPORT);
  }

  @Test
  void nothingWhereAllIsWell() {
    made.map("h", made.part(h, 0, 3, 0, 4), made.part(x, 0, 3, 0, 4));
    made.map("h", made.part(h, 3, 6, 0, 4), made.part(x, 3, 6, 0, 4), made.part(h, 0, 3, 0, 4));
    made.map("y", made.all(y), made.all(h));
    made.add("y", "gemm", List.of(made.all(y)), made.all(h), made.all(y));
    assertThatCode(() -> ComputationChecker.check(made.assignments())).doesNotThrowAnyException();
  }

  @Test
  void rowsThatNothingWrote() {
    made.map("h", made.part(h, 0, 5, 0, 4), made.part(x, 0, 5, 0, 4));
    made.map("y", made.all(y), made.all(h));
    finds(
        "each read must follow a write of its elements; got rows 5..5, columns 0..3 of h, which"
            + " assignment 1 (y, map_y) reads.");
  }

  @Test
  void nothingWhereAnIndexMayNameWhatIsThere() {
    made.map("h", made.part(h, 0, 3, 0, 4), made.part(x, 0, 3, 0, 4));
    int g = made.memory("g", TEMPORARY, 3, 4);
    made.map("g", made.all(g), made.gathered(h, 3));
    made.map("h", made.part(h, 3, 6, 0, 4), made.all(g));
    made.map("y", made.all(y), made.all(h));
    assertThatCode(() -> ComputationChecker.check(made.assignments())).doesNotThrowAnyException();
  }

  @Test
  void anIndexWhereNothingIs() {
    made.map("y", made.all(y), made.gathered(h, 6));
    finds(
        "each read must follow a write of its elements; got rows 0..5, columns 0..3 of h, which"
            + " assignment 0 (y, map_y) reads.");
  }

  @Test
  void columnsThatAreWrittenTooLate() {
    made.map("h", made.part(h, 0, 6, 0, 3), made.part(x, 0, 6, 0, 3));
    made.map("y", made.all(y), made.all(h));
    made.map("h", made.part(h, 0, 6, 3, 4), made.part(x, 0, 6, 3, 4));
    finds(
        "each read must follow a write of its elements; got rows 0..5, columns 3..3 of h, which"
            + " assignment 1 (y, map_y) reads.");
  }

  @Test
  void outputsThatAreNotWhole() {
    made.map("y", made.part(y, 0, 6, 0, 2), made.part(x, 0, 6, 0, 2));
    finds(
        "each element of an output must be written; got none that writes rows 0..5, columns 2..3 of"
            + " y.");
  }

  @Test
  void placesWhereTwoLive() {
    int g = made.memory("g", TEMPORARY, 6, 4, 0);
    made.map("h", made.all(h), made.all(x));
    made.map("g", made.all(g), made.all(x));
    made.map("y", made.all(y), made.all(h), made.all(g));
    finds(
        "temporaries in the same place must not be live at the same time; got h, from 0 to 2, and"
            + " g, from 1 to 2, in place 0.");
  }

  /** Temporaries as each round of a recurrence makes them. */
  @Test
  void nothingWhereOneIsMadeAnewAfterTheOther() {
    int g = made.memory("g", TEMPORARY, 6, 4, 0);
    made.map("h", made.all(h), made.all(x));
    made.map("y", made.part(y, 0, 2, 0, 4), made.part(h, 0, 2, 0, 4));
    made.map("g", made.all(g), made.all(x));
    made.map("y", made.part(y, 2, 4, 0, 4), made.part(g, 2, 4, 0, 4));
    made.map("h", made.all(h), made.all(x));
    made.map("y", made.part(y, 4, 6, 0, 4), made.part(h, 4, 6, 0, 4));
    assertThatCode(() -> ComputationChecker.check(made.assignments())).doesNotThrowAnyException();
  }

  @Test
  void placesWhereOneIsMadeAnewInPart() {
    int g = made.memory("g", TEMPORARY, 6, 4, 0);
    made.map("h", made.all(h), made.all(x));
    made.map("y", made.part(y, 0, 2, 0, 4), made.part(h, 0, 2, 0, 4));
    made.map("g", made.all(g), made.all(x));
    made.map("y", made.part(y, 2, 4, 0, 4), made.part(g, 2, 4, 0, 4));
    made.map("h", made.part(h, 4, 6, 0, 4), made.part(x, 4, 6, 0, 4));
    made.map("y", made.part(y, 4, 6, 0, 4), made.part(h, 4, 6, 0, 4));
    finds(
        "temporaries in the same place must not be live at the same time; got h, from 0 to 5, and"
            + " g, from 2 to 3, in place 0.");
  }

  @Test
  void nothingWhereElementsAreReplacedOneByOne() {
    int g = made.memory("g", TEMPORARY, 6, 4, 0);
    made.map("h", made.all(h), made.all(x));
    made.map("g", made.all(g), made.all(h), made.all(x));
    made.map("y", made.all(y), made.all(g));
    assertThatCode(() -> ComputationChecker.check(made.assignments())).doesNotThrowAnyException();
  }

  @Test
  void nothingWhereWhatReplacesThemIsNotReadItself() {
    int g = made.memory("g", TEMPORARY, 6, 4, 0);
    made.map("y", made.all(y), made.all(x));
    made.map("h", made.all(h), made.all(x));
    made.map("g", made.all(g), made.all(h), made.all(x));
    assertThatCode(() -> ComputationChecker.check(made.assignments())).doesNotThrowAnyException();
  }

  @Test
  void elementsThatAreReplacedBeforeTheyAreRead() {
    int g = made.memory("g", TEMPORARY, 6, 4, 0);
    made.map("h", made.all(h), made.all(x));
    made.map("g", made.part(g, 0, 5, 0, 4), made.part(h, 1, 6, 0, 4));
    made.map("y", made.part(y, 0, 5, 0, 4), made.part(g, 0, 5, 0, 4));
    finds(
        "temporaries in the same place must not be live at the same time; got h, from 0 to 1, and"
            + " g, from 1 to 2, in place 0.");
  }

  @Test
  void placesThatAreTooSmall() {
    made.place(0, 95);
    made.map("h", made.all(h), made.all(x));
    made.map("y", made.all(y), made.all(h));
    finds("a temporary must fit into its place; got 96 bytes of h in place 0 of 95 bytes.");
  }

  @Test
  void placesThatAreNone() {
    int g = made.memory("g", TEMPORARY, 6, 4, 7);
    made.map("g", made.all(g), made.all(x));
    made.map("y", made.all(y), made.all(g));
    finds("temporaries must have one of the 1 places; got place 7 for g.");
  }

  @Test
  void valuesThatChangeAfterTheyWereRead() {
    made.map("h", made.all(h), made.all(x));
    made.map("y", made.all(y), made.all(h));
    made.map("late", made.part(h, 2, 3, 0, 4), made.part(x, 2, 3, 0, 4));
    finds(
        "a value must not change after it was read; got rows 2..2, columns 0..3 of h, which"
            + " assignment 1 (y, map_y) reads and assignment 2 (late, map_late) writes later.");
  }

  @Test
  void inputsThatChange() {
    made.map("y", made.all(y), made.all(x));
    made.map("late", made.all(x), made.all(y));
    finds(
        "a value must not change after it was read; got rows 0..5, columns 0..3 of x, which"
            + " assignment 0 (y, map_y) reads and assignment 1 (late, map_late) writes later.");
  }

  @Test
  void kernelsThatReadWhatTheyWriteElsewhere() {
    made.map("h", made.all(h), made.all(x));
    made.map("shift", made.part(h, 1, 6, 0, 4), made.part(h, 0, 5, 0, 4));
    made.map("y", made.all(y), made.all(h));
    finds(
        "a kernel must not access the elements it writes at another index; got rows 1..5, columns"
            + " 0..3 of h, which assignment 1 (shift, map_shift) writes and reads elsewhere.");
  }

  @Test
  void kernelsThatWriteTwice() {
    made.add(
        "two",
        "map",
        List.of(made.part(y, 0, 5, 0, 4), made.part(y, 1, 6, 0, 4)),
        made.part(x, 0, 5, 0, 4));
    finds(
        "a kernel must not access the elements it writes at another index; got rows 1..5, columns"
            + " 0..3 of y, which assignment 0 (two, map_two) writes and writes elsewhere.");
  }

  @Test
  void rowsThatAreNone() {
    made.map("y", made.all(y), made.part(x, 1, 7, 0, 4));
    finds(
        "each access must lie within its matrix; got rows 1..6, columns 0..3 of x with"
            + " 6 rows and 4 columns in assignment 0 (y, map_y).");
  }

  @Test
  void matricesThatAreNone() {
    made.map("y", made.all(y), MadeAssignments.beyond(3));
    finds(
        "assignments must refer to the computation's 3 matrices; got matrix 3 in assignment 0 (y,"
            + " map_y).");
  }
}
