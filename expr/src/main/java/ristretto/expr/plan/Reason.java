package ristretto.expr.plan;

/**
 * Reasons for which a value is stored to memory instead of being fused into its reader; printed by
 * {@link ristretto.expr.Plan}.
 */
enum Reason {
  BARRIER("its result is needed in memory by a kernel of another shape", ""),
  RESHAPE(
      "a reshape of it has no affine index map",
      "reshape before a transposing or slicing view, or assign it to a tensor first"),
  RECOMPUTED("it is read at many different indices and would be recomputed each time", ""),
  GATHERED("gathers read memory", ""),
  OPERANDS("the kernel would have more operands than the device accepts", ""),
  OPERAND("a library routine reads it from memory", ""),
  LAYOUT(
      "a library routine needs unit stride in one of the last two axes", "keep a contiguous copy"),
  ALIAS(
      "the target overlaps what is read at another index",
      "assign to another tensor if the temporary matters"),
  LONG_ROW("the rows are few and long, so they are reduced by all threads first", ""),
  OTHER_ROWS("it reduces over other axes than the kernel's rows", ""),
  TARGET_LAYOUT("the routine cannot write the target's layout", "assign to a contiguous tensor"),
  SHARED("later assignments read it too", ""),
  DEMANDED("the operator demands memory", "");

  private final String text;
  private final String remedy;

  Reason(String text, String remedy) {
    this.text = text;
    this.remedy = remedy;
  }

  @Override
  public String toString() {
    return text + (remedy.isEmpty() ? "" : " (" + remedy + ")");
  }
}
