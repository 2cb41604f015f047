package ristretto.onnx.file;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** Fields of the message that is being read, by number; unknown fields are skipped. */
final class Fields {
  /** Maximal depth of messages in one another; graphs of If and Loop take four each. */
  private static final int MOST_NESTED = 100;

  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int BYTES = 2;
  private static final int FIXED32 = 5;

  private final CodedInputStream in;
  private int depth;
  private int wire;

  Fields(byte... file) {
    this.in = CodedInputStream.newInstance(file);
    in.enableAliasing(true);
  }

  /** Reader of one field. */
  interface Field {
    /** Reads the value of a field, or returns false to skip it. */
    boolean read(int number) throws IOException;
  }

  /** Reads all fields of the message. */
  void all(Field field) throws IOException {
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      wire = tag & 7;
      if (!field.read(tag >>> 3)) {
        in.skipField(tag);
      }
    }
  }

  /** Reads a message that is the value of a field. */
  boolean message(Field field) throws IOException {
    require(BYTES);
    int outer = in.pushLimit(in.readRawVarint32());
    if (++depth > MOST_NESTED) {
      throw new InvalidProtocolBufferException(
          "more than " + MOST_NESTED + " messages inside one another");
    }
    all(field);
    depth--;
    in.popLimit(outer);
    return true;
  }

  private void require(int expected) throws IOException {
    if (wire != expected) {
      throw new InvalidProtocolBufferException(
          "a field of wire type " + wire + " in place of " + expected);
    }
  }

  long integer() throws IOException {
    require(VARINT);
    return in.readRawVarint64();
  }

  float number() throws IOException {
    require(FIXED32);
    return in.readFloat();
  }

  String text() throws IOException {
    require(BYTES);
    return in.readStringRequireUtf8();
  }

  ByteBuffer bytes() throws IOException {
    require(BYTES);
    return in.readByteBuffer();
  }

  /** Reads one or several integers. */
  boolean integers(Bytes into, int bytes) throws IOException {
    if (wire == VARINT) {
      into.add(in.readRawVarint64(), bytes);
      return true;
    }
    require(BYTES);
    int outer = in.pushLimit(in.readRawVarint32());
    while (in.getBytesUntilLimit() > 0) {
      into.add(in.readRawVarint64(), bytes);
    }
    in.popLimit(outer);
    return true;
  }

  /** Reads one or several integers. */
  boolean integers(List<Long> into) throws IOException {
    var some = new Bytes();
    integers(some, Long.BYTES);
    for (ByteBuffer view = some.view(); view.hasRemaining(); ) {
      into.add(view.getLong());
    }
    return true;
  }

  /** Reads one or several numbers of 4 or 8 bytes. */
  boolean numbers(Bytes into, int bytes) throws IOException {
    if (wire == BYTES) {
      into.add(in.readByteBuffer());
    } else if (bytes == Float.BYTES) {
      require(FIXED32);
      into.add(in.readRawLittleEndian32(), bytes);
    } else {
      require(FIXED64);
      into.add(in.readRawLittleEndian64(), bytes);
    }
    return true;
  }
}
