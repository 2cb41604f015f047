package ristretto.expr.file;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.kernels.FileFormatException;

/**
 * Reader of the subset of Python's pickle format that a {@code state_dict} needs: numbers, strings,
 * tuples, lists, dictionaries, and the tensors that {@link TorchObjects} makes. The format is a
 * program for a stack machine that can call any function; this reader calls none, and refuses each
 * opcode and each name that it does not know.
 *
 * <p>Each opcode reads forward, so the time is linear in the size. The number of values is limited,
 * and so is the memory.
 */
final class Pickle {
  /** Maximal number of values, above that of 100,000 tensors. */
  static final int MOST_VALUES = 1 << 21;

  /** Maximal length of the name of a function or class in bytes. */
  private static final int MOST_NAME = 256;

  private static final String REMEDY = "save model.state_dict() alone";

  private final FileBytes bytes;
  private final TorchObjects objects;
  private final List<PickleValue> stack = new ArrayList<>();
  private final List<Integer> marks = new ArrayList<>();
  private final Map<Integer, PickleValue> memo = new HashMap<>();
  private long at;
  private int values;

  private Pickle(FileBytes bytes, TorchObjects objects) {
    this.bytes = bytes;
    this.objects = objects;
  }

  /**
   * Reads a pickle.
   *
   * @throws FileFormatException if the pickle is damaged, or needs more than this reader knows
   */
  static PickleValue read(FileBytes bytes, TorchObjects objects) {
    return new Pickle(bytes, objects).read();
  }

  private PickleValue read() {
    protocol();
    while (true) {
      long start = at;
      int code = u8("opcode");
      if (PickleOp.of(code) == PickleOp.STOP) {
        return end(start);
      }
      step(code, start);
    }
  }

  private void protocol() {
    int code = u8("opcode");
    int version = PickleOp.of(code) == PickleOp.PROTO ? u8("protocol") : 0;
    if (version < 2 || version > 5) {
      throw bytes.malformed(
          0, "a pickle must begin with its protocol, 2 to 5", PickleOp.label(code), REMEDY);
    }
  }

  private PickleValue end(long start) {
    if (stack.size() != 1 || !marks.isEmpty() || at != bytes.size()) {
      throw bytes.malformed(
          start,
          "a pickle must end with one value",
          stack.size() + " values and " + (bytes.size() - at) + " more bytes",
          "the file is damaged");
    }
    return stack.getFirst();
  }

  private void step(int code, long start) {
    switch (PickleOp.of(code)) {
      case FRAME -> frame();
      case MARK -> mark();
      case NONE -> push(PickleValue.Other.NONE);
      case NEWTRUE, NEWFALSE -> push(PickleValue.Other.BOOLEAN);
      case BINFLOAT -> real();
      case BININT1, BININT2, BININT, LONG1 -> push(new PickleValue.Whole(whole(code, start)));
      case SHORT_BINUNICODE -> text(number(1, "length"));
      case BINUNICODE -> text(number(4, "length"));
      case BINUNICODE8 -> text(number(8, "length"));
      case EMPTY_TUPLE -> tuple(0, start);
      case TUPLE1 -> tuple(1, start);
      case TUPLE2 -> tuple(2, start);
      case TUPLE3 -> tuple(3, start);
      case TUPLE -> push(PickleValue.Sequence.tuple(aboveMark(start)));
      case EMPTY_LIST -> push(PickleValue.Sequence.list());
      case APPEND -> append(top(1, start), start);
      case APPENDS -> append(aboveMark(start), start);
      case EMPTY_DICT -> push(new PickleValue.Dictionary());
      case SETITEM -> put(top(2, start), start);
      case SETITEMS -> put(aboveMark(start), start);
      case BUILD -> build(start);
      case BINPUT -> remember(number(1, "memo index"), start);
      case LONG_BINPUT -> remember(number(4, "memo index"), start);
      case MEMOIZE -> remember(memo.size(), start);
      case BINGET -> recall(number(1, "memo index"), start);
      case LONG_BINGET -> recall(number(4, "memo index"), start);
      case GLOBAL -> push(objects.name(line() + "." + line(), start));
      case STACK_GLOBAL -> stackName(start);
      case REDUCE -> call(start);
      case BINPERSID -> push(objects.persistent(top(1, start).getFirst(), start));
      default ->
          throw bytes.malformed(
              start,
              "a PyTorch file must use only the pickle opcodes of a state_dict, since nothing in a"
                  + " file is executed",
              "opcode " + PickleOp.label(code),
              REMEDY);
    }
  }

  // Numbers and strings

  private int u8(String what) {
    return bytes.u8(at++, what);
  }

  /** Reads an unsigned little-endian number of 1, 2, 4 or 8 bytes. */
  private long number(int size, String what) {
    long value =
        switch (size) {
          case 1 -> bytes.u8(at, what);
          case 2 -> bytes.u16(at, what);
          case 4 -> bytes.u32(at, what);
          default -> bytes.u63(at, what);
        };
    at += size;
    return value;
  }

  /** Skips the length of a frame, which the file must hold. */
  private void frame() {
    long length = number(8, "frame length");
    bytes.slice(at, length, "frame");
  }

  private long whole(int code, long start) {
    return switch (PickleOp.of(code)) {
      case BININT1 -> number(1, "number");
      case BININT2 -> number(2, "number");
      case BININT -> (int) number(4, "number");
      default -> big(start);
    };
  }

  /** Reads a little-endian number in two's complement, of a length that its first byte states. */
  private long big(long start) {
    int length = u8("length");
    byte[] digits = bytes.array(at, length, "number");
    at += length;
    if (length > Long.BYTES) {
      throw bytes.malformed(start, "a number must have at most 64 bits", length + " bytes", REMEDY);
    }
    long value = length == 0 ? 0 : digits[length - 1];
    for (int k = length - 2; k >= 0; k--) {
      value = value << 8 | digits[k] & 0xff;
    }
    return value;
  }

  private void real() {
    bytes.array(at, Double.BYTES, "number");
    at += Double.BYTES;
    push(PickleValue.Other.FLOAT);
  }

  private void text(long length) {
    byte[] utf8 = bytes.array(at, length, "text");
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
    } catch (CharacterCodingException e) {
      throw bytes.malformed(at, "text must be UTF-8", "other bytes");
    }
    at += length;
    push(new PickleValue.Text(text));
  }

  private String line() {
    long start = at;
    var line = new StringBuilder();
    for (int c = u8("name"); c != '\n'; c = u8("name")) {
      if (c < ' ' || c > '~' || line.length() == MOST_NAME) {
        throw bytes.malformed(
            start, "a name must have at most " + MOST_NAME + " ASCII characters", "others");
      }
      line.append((char) c);
    }
    return line.toString();
  }

  // The stack

  private void push(PickleValue value) {
    count();
    stack.add(value);
  }

  private void count() {
    if (++values > MOST_VALUES) {
      throw bytes.malformed(
          at, "a pickle must have at most " + MOST_VALUES + " values", "more", REMEDY);
    }
  }

  private void mark() {
    count();
    marks.add(stack.size());
  }

  private FileFormatException underflow(long start) {
    return bytes.malformed(
        start, "an opcode must have its operands", "too few values", "the file is damaged");
  }

  /** Removes the values above the last mark, and the mark. */
  private List<PickleValue> aboveMark(long start) {
    if (marks.isEmpty()) {
      throw underflow(start);
    }
    return cut(marks.removeLast());
  }

  /** Removes some values, which must lie above the last mark. */
  private List<PickleValue> top(int count, long start) {
    int from = stack.size() - count;
    if (from < (marks.isEmpty() ? 0 : marks.getLast())) {
      throw underflow(start);
    }
    return cut(from);
  }

  private List<PickleValue> cut(int from) {
    List<PickleValue> above = stack.subList(from, stack.size());
    List<PickleValue> removed = List.copyOf(above);
    above.clear();
    return removed;
  }

  private PickleValue last(long start) {
    if (stack.size() <= (marks.isEmpty() ? 0 : marks.getLast())) {
      throw underflow(start);
    }
    return stack.getLast();
  }

  private void tuple(int count, long start) {
    push(PickleValue.Sequence.tuple(top(count, start)));
  }

  private void append(List<PickleValue> items, long start) {
    if (last(start) instanceof PickleValue.Sequence list && !list.isTuple()) {
      list.add(items);
    } else {
      throw misplaced(start, "items must be added to a list");
    }
  }

  private void put(List<PickleValue> pairs, long start) {
    if (!(last(start) instanceof PickleValue.Dictionary dictionary) || pairs.size() % 2 != 0) {
      throw misplaced(start, "pairs of keys and values must be added to a dictionary");
    }
    for (int k = 0; k < pairs.size(); k += 2) {
      String key =
          switch (pairs.get(k)) {
            case PickleValue.Text text -> text.value();
            case PickleValue.Whole whole -> Long.toString(whole.value());
            default -> throw misplaced(start, "keys must be strings or integers");
          };
      if (!dictionary.add(key, pairs.get(k + 1))) {
        throw bytes.malformed(
            start, "keys must differ", "'" + Excerpt.of(key) + "' twice", "the file is damaged");
      }
    }
  }

  /** Skips attributes of a dictionary, such as the {@code _metadata} of a state_dict. */
  private void build(long start) {
    PickleValue state = top(1, start).getFirst();
    if (!(state instanceof PickleValue.Dictionary)
        || !(last(start) instanceof PickleValue.Dictionary)) {
      throw misplaced(start, "only dictionaries may have attributes");
    }
  }

  private FileFormatException misplaced(long start, String rule) {
    return bytes.malformed(start, rule, "others", REMEDY);
  }

  private void remember(long index, long start) {
    if (memo.putIfAbsent((int) index, last(start)) != null) {
      throw bytes.malformed(
          start, "a memo index must be set once", index + " again", "the file is damaged");
    }
    count();
  }

  private void recall(long index, long start) {
    PickleValue value = memo.get((int) index);
    if (value == null) {
      throw bytes.malformed(
          start, "a memo index must have been set", Long.toString(index), "the file is damaged");
    }
    push(value);
  }

  private void stackName(long start) {
    List<PickleValue> parts = top(2, start);
    if (parts.get(0) instanceof PickleValue.Text module
        && parts.get(1) instanceof PickleValue.Text name) {
      push(objects.name(module.value() + "." + name.value(), start));
    } else {
      throw misplaced(start, "a name must be text");
    }
  }

  private void call(long start) {
    List<PickleValue> parts = top(2, start);
    if (parts.get(0) instanceof PickleValue.Name function
        && parts.get(1) instanceof PickleValue.Sequence arguments
        && arguments.isTuple()) {
      push(objects.make(function.name(), arguments.items(), start));
    } else {
      throw misplaced(start, "a name must be applied to a tuple");
    }
  }
}
