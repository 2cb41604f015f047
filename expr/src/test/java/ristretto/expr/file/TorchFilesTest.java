package ristretto.expr.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import ristretto.expr.print.ElementReader;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.scalar.ScalarType;

/** PyTorch's files, written by PyTorch (make_torch_files.py) and by hand. */
class TorchFilesTest {
  private static float[] floats(HostTensor t) {
    return t.data().toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
  }

  @Test
  void everyDtypeIsRead() {
    Map<String, HostTensor> all = TestFiles.read(TestFiles.path("dtypes.pt"));
    assertThat(all.keySet())
        .containsExactly("f16", "bf16", "f32", "f64", "i8", "u8", "i32", "i64", "bool");
    all.forEach((name, t) -> {
      assertThat(t.type().label()).isEqualTo(name);
      assertThat(t.shape()).isEqualTo(Longs.of(3, 4));
      var elements = ElementReader.of(t.type(), t.data());
      for (int k = 0; k < 12; k++) {
        double value = k / 4 + k % 4 / 4.0 - 1 + (name.equals("u8") ? 1 : 0);
        if (t.type().isFloat()) {
          assertThat(elements.floating(k)).as(name).isEqualTo(value);
        } else {
          long whole = name.equals("bool") ? (value == 0 ? 0 : 1) : (long) value;
          assertThat(elements.integer(k)).as(name).isEqualTo(whole);
        }
      }
    });
  }

  @Test
  void shortsAreRead() {
    HostTensor w = TestFiles.read(TestFiles.path("i16.pt")).get("w");
    assertThat(w.type()).isEqualTo(ScalarType.I16);
    assertThat(w.data().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(new byte[4]);
  }

  @Test
  void viewsAreReadByTheirStrides() {
    Map<String, HostTensor> all = TestFiles.read(TestFiles.path("views.pt"));
    check(all, "whole", new long[] {2, 3, 4}, (i, j, k) -> 12 * i + 4 * j + k);
    check(all, "transposed", new long[] {4, 3, 1}, (i, j, _) -> 4 * j + i);
    check(all, "row", new long[] {4, 1, 1}, (i, _, _) -> 20 + i);
    check(all, "column", new long[] {2, 1, 1}, (i, _, _) -> 12 * i + 7);
    check(all, "permuted", new long[] {4, 2, 3}, (i, j, k) -> 12 * j + 4 * k + i);
    check(all, "stepped", new long[] {2, 2, 2}, (i, j, k) -> 12 * i + 8 * j + 1 + 2 * k);
    check(all, "expanded", new long[] {3, 2, 1}, (_, j, _) -> j);
    check(all, "scalar", new long[] {1, 1, 1}, (_, _, _) -> 17);
    check(all, "parameter", new long[] {3, 4, 1}, (i, j, _) -> 12 + 4 * i + j);
    assertThat(all.get("scalar").shape()).isEqualTo(Longs.EMPTY);
    assertThat(all.get("empty").shape()).isEqualTo(Longs.of(0, 3, 4));
    assertThat(all.get("expanded").shape()).isEqualTo(Longs.of(3, 2));
  }

  /** Value of an element. */
  private interface Value {
    int of(int i, int j, int k);
  }

  private static void check(Map<String, HostTensor> all, String name, long[] size, Value value) {
    float[] found = floats(all.get(name));
    int at = 0;
    for (int i = 0; i < size[0]; i++) {
      for (int j = 0; j < size[1]; j++) {
        for (int k = 0; k < size[2]; k++) {
          assertThat(found[at++]).as(name).isEqualTo(value.of(i, j, k));
        }
      }
    }
    assertThat(found).as(name).hasSize(at);
  }

  @Test
  void tensorsInContainersAreNamedByTheirPaths() {
    assertThat(TestFiles.read(TestFiles.path("nested.pt")).keySet())
        .containsExactly("model.w", "optimizer.state.0.step", "optimizer.state.0.m");
    assertThat(TestFiles.read(TestFiles.path("single.pth")).keySet()).containsExactly("");
    Map<String, HostTensor> four = TestFiles.read(TestFiles.path("protocol4.pt"));
    assertThat(four.keySet()).containsExactly("w", "b");
    assertThat(four.get("b").type()).isEqualTo(ScalarType.BOOL);
  }

  @Test
  void bigEndianElementsAreConverted() {
    var entries = new LinkedHashMap<String, byte[]>();
    entries.put("m/data.pkl", new TorchPickle().tensor("7", 2, 0, new long[] {2}, 1).end());
    entries.put("m/byteorder", new byte[] {'b', 'i', 'g'});
    entries.put("m/data/7", new byte[] {0x3f, (byte) 0x80, 0, 0, 0x40, 0, 0, 0});
    byte[] file = TorchPickle.zip(entries, ZipEntry.STORED);
    assertThat(floats(TestFiles.read("m.pt", file).get(""))).containsExactly(1, 2);
  }

  @Test
  void integersHaveSigns() {
    byte[] pickle =
        new TorchPickle()
            .op('}', '(')
            .op(0x8a, 0)
            .op('N')
            .op(0x8a, 1, 0xff)
            .op('N')
            .op('J', 0xfe, 0xff, 0xff, 0xff)
            .op('N')
            .op('M', 0x34, 0x12)
            .tensor("0", 6, 1, new long[] {2, 2}, 1, 2)
            .op('u')
            .end();
    Map<String, HostTensor> all = TestFiles.read("m.pt", TorchPickle.file(pickle));
    assertThat(all.keySet()).containsExactly(Integer.toString(0x1234));
    assertThat(floats(all.get("4660"))).containsExactly(1, 3, 2, 4);
  }
}
