package ristretto.expr;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.kernels.DeviceException;
import ristretto.kernels.device.Buffer;

/**
 * The temporaries of a plan in the pieces of memory where they have their places. They are parts of
 * these, which are made again only when a piece is another one than before.
 */
final class PlacedTemporaries {
  private final Context context;
  private final Places places;

  /** Memory of the pieces, which stays; null if they are those of the context. */
  private final List<Storage.Deferred> own;

  /** By piece, as they were last. */
  private final Buffer[] pieces;

  /** Whether those that lie where results will be are set: these stay where they are. */
  private boolean withinResults;

  /** Made when it is asked for. */
  private Map<Integer, Places.Place> byArgument;

  /** Parts that are open, by piece; closed when nothing uses the plan any more. */
  private final Map<Integer, List<Buffer>> parts;

  /**
   * @param own memory of the pieces that other plans do not use, or null
   */
  PlacedTemporaries(Context context, Places places, List<Storage.Deferred> own) {
    this.context = context;
    this.places = places;
    this.own = own;
    this.pieces = new Buffer[places.bytes().size()];
    Map<Integer, List<Buffer>> open = new HashMap<>();
    this.parts = open;
    if (places.all().stream().anyMatch(p -> !p.whole())) {
      Reclaimer.whenGone(this, () -> open.values().forEach(all -> all.forEach(Buffer::close)));
    }
  }

  /** The place of an argument; null if it has none. */
  Places.Place place(int argument) {
    if (byArgument == null) {
      Map<Integer, Places.Place> all = new HashMap<>();
      places.all().forEach(p -> all.put(p.argument(), p));
      byArgument = all;
    }
    return byArgument.get(argument);
  }

  /** The result in whose memory it lies; -1 if it lies in the plan's own memory. */
  int within(Places.Place place) {
    return places.result(place.piece());
  }

  /** Bytes of the plan's own pieces. */
  long bytes() {
    return places.total();
  }

  /** How many pieces of its own there are. */
  int count() {
    return pieces.length;
  }

  /**
   * Sets them.
   *
   * @param first of the context's pieces that are free
   * @param buffers by argument; those of results are there
   */
  void bind(int first, Buffer[] buffers) {
    if (!withinResults) {
      withinResults = true;
      for (int k = 0; k < places.results().size(); k++) {
        bind(pieces.length + k, buffers[places.results().get(k)], buffers);
      }
    }
    try {
      bindPieces(first, buffers);
    } catch (DeviceException e) {
      if (own != null) {
        throw e;
      }
      context.makeRoom();
      bindPieces(first, buffers);
    }
  }

  private void bindPieces(int first, Buffer[] buffers) {
    for (int k = 0; k < pieces.length; k++) {
      Buffer piece =
          own != null
              ? own.get(k).buffer()
              : context.temporaries().get(first + k, places.bytes().get(k));
      if (piece != pieces[k]) {
        pieces[k] = piece;
        bind(k, piece, buffers);
      }
    }
  }

  private record Part(long offset, long bytes) {}

  private void bind(int number, Buffer piece, Buffer[] buffers) {
    List<Buffer> open = parts.computeIfAbsent(number, _ -> new ArrayList<>());
    open.forEach(Buffer::close);
    open.clear();
    var known = new HashMap<Part, Buffer>();
    for (Places.Place p : places.all()) {
      if (p.piece() == number) {
        buffers[p.argument()] =
            p.whole()
                ? piece
                : known.computeIfAbsent(
                    new Part(p.offset(), p.bytes()),
                    part -> {
                      Buffer made = context.temporaries().part(piece, part.offset, part.bytes);
                      open.add(made);
                      return made;
                    });
      }
    }
  }
}
