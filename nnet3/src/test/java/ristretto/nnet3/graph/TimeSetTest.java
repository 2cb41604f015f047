package ristretto.nnet3.graph;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import ristretto.nnet3.Index;

class TimeSetTest {
  private final Random random = new Random(7);

  private TreeSet<Integer> draw(int spread) {
    var all = new TreeSet<Integer>();
    for (int k = random.nextInt(40); k > 0; k--) {
      all.add(random.nextInt(-spread, spread));
    }
    return all;
  }

  private static TimeSet set(TreeSet<Integer> all) {
    var set = new TimeSet();
    all.descendingSet().forEach(set::add);
    return set;
  }

  private static void assertSame(TimeSet set, TreeSet<Integer> all) {
    var members = new TreeSet<Integer>();
    set.forEach(members::add);
    assertThat(members).isEqualTo(all);
    assertThat(set.size()).isEqualTo(all.size());
    assertThat(set.isEmpty()).isEqualTo(all.isEmpty());
    if (!all.isEmpty()) {
      assertThat(set.first()).isEqualTo(all.first());
      assertThat(set.last()).isEqualTo(all.last());
    }
  }

  @Test
  void operationsEqualThoseOfSortedSets() {
    for (int round = 0; round < 2000; round++) {
      int spread = round % 2 == 0 ? 100 : 1_000_000_000;
      TreeSet<Integer> a = draw(spread);
      TreeSet<Integer> b = draw(spread);
      b.addAll(a.headSet(0));
      int by = random.nextInt(-spread, spread);
      assertSame(set(a), a);
      assertSame(
          set(a).shifted(by),
          a.stream().map(t -> t + by).collect(Collectors.toCollection(TreeSet::new)));
      var both = new TreeSet<>(a);
      both.retainAll(b);
      assertSame(set(a).and(set(b)), both);
      var rest = new TreeSet<>(a);
      rest.removeAll(b);
      assertSame(set(a).without(set(b)), rest);
      assertSame(set(a).within(-3, by), by < -3 ? new TreeSet<>() : sub(a, by));
      TimeSet all = set(a);
      all.addAll(set(b));
      b.addAll(a);
      assertSame(all, b);
    }
  }

  private static TreeSet<Integer> sub(TreeSet<Integer> a, int last) {
    return new TreeSet<>(a.subSet(-3, true, last, true));
  }

  /** Padding rows have the least time of all, far from the others. */
  @Test
  void holdsRowsWithoutTime() {
    var set = new TimeSet();
    set.add(5);
    set.add(Index.NO_TIME);
    assertThat(set.contains(Index.NO_TIME)).isTrue();
    assertThat(set.contains(4)).isFalse();
    assertThat(set.first()).isEqualTo(Index.NO_TIME);
    assertThat(set.last()).isEqualTo(5);
  }
}
