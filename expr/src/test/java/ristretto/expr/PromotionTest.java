package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import ristretto.expr.type.DType;
import ristretto.kernels.scalar.ScalarType;

/** Common dtypes of two dtypes against {@code numpy.result_type}, and those of BF16. */
class PromotionTest {
  /** Rows of {@code numpy.result_type}; the columns are in the order of the rows. */
  private static final String NUMPY =
      """
      BOOL: BOOL I8 U8 I16 U16 I32 U32 I64 U64 F16 F32 F64
      I8: I8 I8 I16 I16 I32 I32 I64 I64 F64 F16 F32 F64
      U8: U8 I16 U8 I16 U16 I32 U32 I64 U64 F16 F32 F64
      I16: I16 I16 I16 I16 I32 I32 I64 I64 F64 F32 F32 F64
      U16: U16 I32 U16 I32 U16 I32 U32 I64 U64 F32 F32 F64
      I32: I32 I32 I32 I32 I32 I32 I64 I64 F64 F64 F64 F64
      U32: U32 I64 U32 I64 U32 I64 U32 I64 U64 F64 F64 F64
      I64: I64 I64 I64 I64 I64 I64 I64 I64 F64 F64 F64 F64
      U64: U64 F64 U64 F64 U64 F64 U64 F64 U64 F64 F64 F64
      F16: F16 F16 F16 F32 F32 F64 F64 F64 F64 F16 F32 F64
      F32: F32 F32 F32 F32 F32 F64 F64 F64 F64 F32 F32 F64
      F64: F64 F64 F64 F64 F64 F64 F64 F64 F64 F64 F64 F64
      """;

  private static DType<?> dtype(String name) {
    return DType.of(ScalarType.valueOf(name));
  }

  @Test
  void isNumPys() {
    List<String> rows = NUMPY.lines().toList();
    List<String> names = rows.stream().map(row -> row.split(":")[0]).toList();
    assertThat(names).hasSize(ScalarType.values().length - 1);
    for (int i = 0; i < names.size(); i++) {
      List<String> found = Arrays.asList(rows.get(i).split(": ")[1].split(" "));
      for (int k = 0; k < names.size(); k++) {
        assertThat(DType.promote(dtype(names.get(i)), dtype(names.get(k))))
            .as("%s with %s", names.get(i), names.get(k))
            .isSameAs(dtype(found.get(k)));
      }
    }
  }

  @Test
  void bfloatsFollowHalves() {
    String with = "BOOL BF16,I8 BF16,U8 BF16,I16 F32,U16 F32,I32 F64,U32 F64,I64 F64,U64 F64";
    for (String pair : (with + ",F16 F32,BF16 BF16,F32 F32,F64 F64").split(",")) {
      DType<?> other = dtype(pair.split(" ")[0]);
      DType<?> common = dtype(pair.split(" ")[1]);
      assertThat(DType.promote(Ops.BF16, other)).as(pair).isSameAs(common);
      assertThat(DType.promote(other, Ops.BF16)).as(pair).isSameAs(common);
    }
  }
}
