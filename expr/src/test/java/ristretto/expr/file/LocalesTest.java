package ristretto.expr.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.kernels.scalar.ScalarType;

/** Locales with digits, cases and decimal points of their own. */
class LocalesTest {
  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(
      strings = {"ar-EG", "fa-IR", "ne-NP", "mr-IN", "bn-BD", "my-MM", "ckb-IQ", "tr-TR", "de-DE"})
  void filesAreTheSameBytes(String locale) throws Exception {
    for (String name : new String[] {"t.npy", "t.npz", "t.safetensors"}) {
      byte[] root = written(Locale.ROOT, name);
      assertThat(written(Locale.forLanguageTag(locale), name)).as(name).isEqualTo(root);
    }
  }

  private byte[] written(Locale locale, String name) throws Exception {
    var tensors = new LinkedHashMap<String, HostTensor>();
    tensors.put("TITLE", TestFiles.tensor(ScalarType.F32, 12, 345));
    if (!name.endsWith(".npy")) {
      tensors.put("ı\u0001", TestFiles.tensor(ScalarType.I8, 6789));
      tensors.put("empty", TestFiles.tensor(ScalarType.F16, 0, 10));
    }
    if (name.endsWith(".npz")) {
      tensors.remove("ı\u0001");
    }
    Path file = folder.resolve(name);
    Locale before = Locale.getDefault();
    Locale.setDefault(locale);
    try {
      Map<String, String> metadata =
          name.endsWith("safetensors") ? Map.of("k\u0002", "12345") : Map.of();
      TensorFiles.write(file, tensors, metadata);
      assertThat(TestFiles.read(file)).hasSameSizeAs(tensors);
    } finally {
      Locale.setDefault(before);
    }
    return Files.readAllBytes(file);
  }

  /** The locales above write other digits, or this test shows nothing. */
  @Test
  void digitsDiffer() {
    assertThat(String.format(Locale.forLanguageTag("ar-EG"), "%d", 12)).isNotEqualTo("12");
    assertThat(String.format(Locale.forLanguageTag("tr-TR"), "%.1f", 1.5)).isEqualTo("1,5");
  }
}
