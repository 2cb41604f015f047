package ristretto.nnet3.fst;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.io.KaldiInput;

class ReadFstTest {
  private static final String DAMAGED = "; the file is damaged or of another kind.";

  private static KaldiInput in(byte[] bytes) {
    return KaldiInput.of("f", bytes);
  }

  private static Fst text(String text) {
    return ReadFst.text(in(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static ByteBuffer header(
      String type, String arcs, int version, int flags, long start, long states, long count) {
    var to = ByteBuffer.allocate(1000).order(ByteOrder.LITTLE_ENDIAN);
    to.putInt(2125659606);
    for (String name : new String[] {type, arcs}) {
      to.putInt(name.length()).put(name.getBytes(StandardCharsets.US_ASCII));
    }
    return to.putInt(version)
        .putInt(flags)
        .putLong(3)
        .putLong(start)
        .putLong(states)
        .putLong(count);
  }

  private static byte[] bytes(ByteBuffer of) {
    return Arrays.copyOf(of.array(), of.position());
  }

  private static ByteBuffer arc(ByteBuffer to, int in, int out, float cost, int next) {
    return to.putInt(in).putInt(out).putFloat(cost).putInt(next);
  }

  private static void isTheExample(Fst fst) {
    assertThat(fst.states()).isEqualTo(3);
    assertThat(fst.start()).isEqualTo(2);
    assertThat(fst.arcs()).isEqualTo(3);
    assertThat(new int[] {fst.firstArc(0), fst.firstArc(1), fst.firstArc(2), fst.firstArc(3)})
        .containsExactly(0, 1, 1, 3);
    assertThat(new int[] {fst.input(0), fst.input(1), fst.input(2)}).containsExactly(7, 1, 2);
    assertThat(new int[] {fst.target(0), fst.target(1), fst.target(2)}).containsExactly(1, 0, 1);
    assertThat(new float[] {fst.cost(0), fst.cost(1), fst.cost(2)}).containsExactly(0, 0.5f, -1.5f);
    assertThat(fst.isFinal(1)).isTrue();
    assertThat(fst.finalCost(1)).isEqualTo(0.25f);
    assertThat(fst.isFinal(0)).isFalse();
    assertThat(fst.isAcceptor()).isTrue();
    assertThat(fst.largestInput()).isEqualTo(7);
  }

  private static byte[] vector(long states) {
    ByteBuffer to = header("vector", "standard", 2, 0, 2, states, 3);
    to.putFloat(Float.POSITIVE_INFINITY).putLong(1);
    arc(to, 7, 7, 0, 1);
    to.putFloat(0.25f).putLong(0);
    to.putFloat(Float.POSITIVE_INFINITY).putLong(2);
    arc(to, 1, 1, 0.5f, 0);
    return bytes(arc(to, 2, 2, -1.5f, 1));
  }

  private static byte[] constant(boolean aligned) {
    ByteBuffer to = header("const", "standard", aligned ? 1 : 2, aligned ? 4 : 0, 2, 3, 3);
    align(to, aligned);
    int[] counts = {1, 0, 2};
    int first = 0;
    for (int s = 0; s < 3; s++) {
      to.putFloat(s == 1 ? 0.25f : Float.POSITIVE_INFINITY);
      to.putInt(first).putInt(counts[s]).putInt(0).putInt(0);
      first += counts[s];
    }
    align(to, aligned);
    arc(to, 7, 7, 0, 1);
    arc(to, 1, 1, 0.5f, 0);
    return bytes(arc(to, 2, 2, -1.5f, 1));
  }

  private static void align(ByteBuffer to, boolean aligned) {
    while (aligned && to.position() % 16 != 0) {
      to.put((byte) 0);
    }
  }

  private static byte[] compact() {
    ByteBuffer to = header("compact_acceptor", "standard", 2, 0, 2, 3, 3);
    to.putInt(0).putInt(1).putInt(2).putInt(4);
    to.putInt(7).putFloat(0).putInt(1);
    to.putInt(-1).putFloat(0.25f).putInt(-1);
    to.putInt(1).putFloat(0.5f).putInt(0);
    return bytes(to.putInt(2).putFloat(-1.5f).putInt(1));
  }

  @Test
  void allTypesAreRead() {
    isTheExample(ReadFst.binary(in(vector(3))));
    isTheExample(ReadFst.binary(in(vector(-1))));
    isTheExample(ReadFst.binary(in(constant(false))));
    isTheExample(ReadFst.binary(in(constant(true))));
    isTheExample(ReadFst.binary(in(compact())));
    isTheExample(text("2\t0\t1\t1\t0.5\n2 1 2 2 -1.5\n0 1 7 7\n1 0.25\n"));
    isTheExample(text(" \n2 0 1 1 5e-1\n2 1 2 2 -1.5\n1 0.25\n0 1 7 7 0\n\nrest"));
    assertThat(text("").start()).isEqualTo(-1);
    assertThat(text("0 0 1 2\n0 Infinity").isFinal(0)).isFalse();
  }

  private static void refused(byte[] bytes, String rule) {
    assertThatThrownBy(() -> ReadFst.binary(in(bytes)))
        .isInstanceOf(FileFormatException.class)
        .hasMessage("[kaldi] " + rule + DAMAGED);
  }

  private static void refused(String text, String rule) {
    assertThatThrownBy(() -> text(text))
        .isInstanceOf(FileFormatException.class)
        .hasMessage("[kaldi] " + rule + DAMAGED);
  }

  @Test
  void flawsAreFound() {
    refused(
        new byte[] {1, 2, 3, 4},
        "a binary FST must begin with 2125659606; got 67305985 at byte 0 of f");
    refused(
        bytes(header("vector", "log", 2, 0, 0, 0, 0)),
        "an FST must have standard arcs; got \"log\" at byte 0 of f");
    refused(
        bytes(header("edit", "standard", 2, 0, 0, 0, 0)),
        "an FST must have the type vector, const or compact_acceptor; convert it with fstconvert;"
            + " got \"edit\" at byte 0 of f");
    refused(
        bytes(header("vector", "standard", 2, 1, 0, 0, 0)),
        "an FST must have no symbol tables; remove them with fstsymbols; got some at byte 42 of f");
    refused(
        bytes(header("vector", "standard", 2, 0, 0, 1L << 40, 0)),
        "an FST must have at most 268435456 states; got 1099511627776 states at byte 42 of f");
    refused(
        bytes(header("vector", "standard", 2, 0, 0, 1000, 0)),
        "1000 states must have 12000 bytes; got 0 bytes up to the end at byte 66 of f");
    refused(
        bytes(header("vector", "standard", 2, 0, 1, 0, 0)),
        "the start must be one of the 0 states; got 1 at byte 42 of f");
    byte[] bad = vector(3);
    bad[90] = 9;
    refused(bad, "arcs must lead to one of the 3 states; got state 9 at byte 78 of f");
    refused(
        "0 1 2 3 4 5",
        "a line of an FST must be \"source target input output [cost]\" or \"state [cost]\"; got"
            + " \"0 1 2 3 4 5\" at byte 0 of f");
    refused(
        "0 1 2 3\n1 1 1 1 0x1p3\n",
        "a line of an FST must be \"source target input output [cost]\" or \"state [cost]\"; got"
            + " \"1 1 1 1 0x1p3\" at byte 8 of f");
    refused(
        "0 200000000 1 1\n",
        "states must be numbered from 0 without large gaps; got 200000001 states in 1 lines at"
            + " byte 0 of f");
  }
}
