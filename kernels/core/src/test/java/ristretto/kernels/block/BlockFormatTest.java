package ristretto.kernels.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Elements of blocks that are written by hand. */
class BlockFormatTest {
  private static ByteBuffer block(BlockFormat format) {
    return ByteBuffer.allocate((int) format.rowBytes(256)).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static float[] decoded(BlockFormat format, ByteBuffer block, int count) {
    var all = new float[count];
    BlockDecoder.decode(
        format, MemorySegment.ofArray(block.array()), 0, 0, count, MemorySegment.ofArray(all), 0);
    return all;
  }

  private static short half(float x) {
    return Float.floatToFloat16(x);
  }

  @Test
  void sizesOfRows() {
    assertThat(BlockFormat.Q8_0.rowBytes(64)).isEqualTo(68);
    assertThat(BlockFormat.Q4_0.rowBytes(64)).isEqualTo(36);
    assertThat(BlockFormat.Q4_K.rowBytes(512)).isEqualTo(288);
    assertThat(BlockFormat.Q6_K.rowBytes(512)).isEqualTo(420);
    assertThat(BlockFormat.I8.rowBytes(5)).isEqualTo(12);
    assertThat(BlockFormat.I8.rowBytes(0)).isEqualTo(4);
  }

  @Test
  void eightBits() {
    ByteBuffer b = block(BlockFormat.Q8_0).putShort(0, half(0.5f)).put(2, (byte) -128);
    b.put(33, (byte) 127);
    float[] w = decoded(BlockFormat.Q8_0, b, 32);
    assertThat(w[0]).isEqualTo(-64);
    assertThat(w[31]).isEqualTo(63.5f);
    assertThat(w[1]).isZero();
  }

  @Test
  void fourBits() {
    ByteBuffer b = block(BlockFormat.Q4_0).putShort(0, half(-2)).put(2 + 3, (byte) 0xF1);
    float[] w = decoded(BlockFormat.Q4_0, b, 32);
    assertThat(w[3]).isEqualTo(14);
    assertThat(w[19]).isEqualTo(-14);
    assertThat(w[0]).isEqualTo(16);
  }

  @Test
  void fourBitsWithScales() {
    ByteBuffer b = block(BlockFormat.Q4_K).putShort(0, half(2)).putShort(2, half(0.5f));
    // parts 1 and 6: scales 33 and 50, offsets 21 and 62
    b.put(4 + 1, (byte) 33).put(8 + 1, (byte) 21);
    b.put(4 + 2, (byte) (50 >> 4 << 6)).put(8 + 2, (byte) (62 >> 4 << 6));
    b.put(12 + 2, (byte) (50 & 15 | (62 & 15) << 4));
    b.put(16 + 5, (byte) 0x70).put(16 + 96 + 7, (byte) 0x0B);
    float[] w = decoded(BlockFormat.Q4_K, b, 256);
    assertThat(w[32 + 5]).isEqualTo(2 * 33 * 7 - 0.5f * 21);
    assertThat(w[192 + 7]).isEqualTo(2 * 50 * 11 - 0.5f * 62);
    assertThat(w[0]).isZero();
  }

  @Test
  void sixBits() {
    ByteBuffer b = block(BlockFormat.Q6_K).putShort(208, half(0.25f));
    for (int k = 0; k < 16; k++) {
      b.put(192 + k, (byte) (k - 8));
    }
    // element 128 + 2 * 32 + 17: upper half of the byte, bits 4 and 5 of the upper bits
    b.put(64 + 17, (byte) 0xD0).put(128 + 32 + 17, (byte) 0x20);
    float[] w = decoded(BlockFormat.Q6_K, b, 256);
    assertThat(w[128 + 64 + 17]).isEqualTo(0.25f * 5 * ((13 | 2 << 4) - 32));
    assertThat(w[0]).isEqualTo(0.25f * -8 * -32);
  }

  @Test
  void bytesOfRows() {
    ByteBuffer b = block(BlockFormat.I8).putFloat(0, 0.125f).put(4 + 2, (byte) -3);
    assertThat(decoded(BlockFormat.I8, b, 3)).containsExactly(0, 0, -0.375f);
  }

  @Test
  void codesOfExactElements() {
    for (BlockFormat format : BlockFormat.values()) {
      var row = new float[512];
      for (int k = 0; k < row.length; k++) {
        row[k] = k % 13 % 2 == 0 ? -8 : 7;
      }
      var to = new byte[(int) format.rowBytes(512)];
      BlockEncoder.encode(format, row, 0, 512, MemorySegment.ofArray(to), 0);
      float[] back = decoded(format, ByteBuffer.wrap(to), 512);
      for (int k = 0; k < row.length; k++) {
        assertThat(back[k]).as("%s %s", format, k).isCloseTo(row[k], within(format));
      }
    }
  }

  private static Offset<Float> within(BlockFormat format) {
    return Offset.offset(format == BlockFormat.Q4_0 ? 0f : 0.15f);
  }

  @Test
  void onlyFiniteElementsAreFinite() {
    assertThat(BlockEncoder.isFinite(new float[] {1, -Float.MAX_VALUE})).isTrue();
    assertThat(BlockEncoder.isFinite(new float[] {1, Float.NaN})).isFalse();
    assertThat(BlockEncoder.isFinite(new float[] {Float.NEGATIVE_INFINITY})).isFalse();
    assertThat(BlockEncoder.isFinite(new float[0])).isTrue();
  }
}
