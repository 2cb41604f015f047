package ristretto.expr;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.kernels.DeviceException;
import ristretto.kernels.device.Buffer;

/**
 * Temporaries of a plan, bound to offsets of buffers. The parts of a buffer are created again only
 * when the buffer changed since the last run.
 */
final class PlacedTemporaries {
  private final Context context;
  private final Places places;

  /** Buffers of the plan's own; null if the plan uses those of the context. */
  private final List<Storage.Deferred> own;

  /** Buffers of the last run, by number. */
  private final Buffer[] pieces;

  /** True once the temporaries within results are bound; results keep their buffers. */
  private boolean withinResults;

  /** Allocations by argument, created on first use. */
  private Map<Integer, Places.Place> byArgument;

  /** Open parts by buffer, closed once the plan is unreachable. */
  private final Map<Integer, List<Buffer>> parts;

  /**
   * Creates the temporaries of a plan.
   *
   * @param own buffers used by no other plan, or null for those of the context
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

  /** Allocation of an argument; null if it is no temporary. */
  Places.Place place(int argument) {
    if (byArgument == null) {
      Map<Integer, Places.Place> all = new HashMap<>();
      places.all().forEach(p -> all.put(p.argument(), p));
      byArgument = all;
    }
    return byArgument.get(argument);
  }

  /** Argument of the result that holds the temporary; -1 for the plan's own memory. */
  int within(Places.Place place) {
    return places.result(place.piece());
  }

  /** Bytes of the plan's own buffers. */
  long bytes() {
    return places.total();
  }

  /** Number of buffers of the plan's own. */
  int count() {
    return pieces.length;
  }

  /**
   * Binds the temporaries.
   *
   * @param first first free slot of the context
   * @param buffers buffers by argument; results are bound already
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
