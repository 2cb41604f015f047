package ristretto.kernels.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KernelCacheTest {
  private record Key(String operations, String dtype) {
    Map<String, String> features() {
      var features = new LinkedHashMap<String, String>();
      features.put("operations", operations);
      features.put("dtype", dtype);
      return features;
    }
  }

  private final KernelCache<Key, String> cache = new KernelCache<>(2, Key::features);
  private CacheCounters counters = new CacheCounters();

  private String get(String operations, String dtype) {
    var key = new Key(operations, dtype);
    return cache.get(key, operations + "_" + dtype, k -> "code of " + k.operations(), counters);
  }

  @Test
  void countsAndEvicts() {
    assertThat(get("add", "f32")).isEqualTo("code of add");
    get("mul", "f32");
    get("add", "f32");
    get("sub", "f32");
    assertThat(cache.contains(new Key("add", "f32"))).isTrue();
    assertThat(cache.contains(new Key("mul", "f32"))).isFalse();
    assertThat(counters.hits()).isEqualTo(1);
    assertThat(counters.misses()).isEqualTo(3);
    assertThat(counters.evictions()).isEqualTo(1);
  }

  @Test
  void eachUserHasCountersOfItsOwn() {
    get("add", "f32");
    CacheCounters first = counters;
    assertThat(first.compileNanos()).isPositive();
    counters = new CacheCounters();
    get("add", "f32");
    assertThat(counters.hits()).isEqualTo(1);
    assertThat(counters.misses()).isZero();
    assertThat(counters.compileNanos()).isZero();
    assertThat(first.hits()).isZero();
    assertThat(first.misses()).isEqualTo(1);
  }

  @Test
  void failuresAreNotKept() {
    var key = new Key("add", "f32");
    assertThatThrownBy(() ->
            cache.get(
                key,
                "add",
                _ -> {
                  throw new IllegalStateException("no code");
                },
                counters))
        .hasMessage("no code");
    assertThat(cache.contains(key)).isFalse();
    assertThat(get("add", "f32")).isEqualTo("code of add");
  }

  @Test
  void missesAreExplained() {
    assertThat(explain("add", "f32")).isEqualTo("new kernel new: the cache is empty");
    get("add", "f32");
    get("add mul", "f64");
    assertThat(explain("add", "i32"))
        .isEqualTo("new kernel new: dtype f32 to i32, the rest equals add_f32");
    assertThat(explain("div", "i32")).isEqualTo("new kernel new: no similar one among 2 kernels");
    assertThat(explain("add ".repeat(20), "f64"))
        .isEqualTo("new kernel new: other operations, the rest equals add mul_f64");
  }

  private String explain(String operations, String dtype) {
    return cache.explainMiss(new Key(operations, dtype), "new");
  }
}
