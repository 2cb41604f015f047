package ristretto.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReportPageTest {
  private final Locale before = Locale.getDefault();

  @BeforeEach
  void speakAnotherLanguage() {
    Locale.setDefault(Locale.GERMANY);
  }

  @AfterEach
  void speakAsBefore() {
    Locale.setDefault(before);
  }

  private static byte[] chart() {
    return new CurveChart("loss").curve("training", List.of(0.5, 1.0), List.of(0.25, 0.125)).png();
  }

  @Test
  void aPageHasSummaryPicturesAndTable() {
    String html =
        new ReportPage("a <b>", "2 epochs & \"more\"")
            .picture("loss", new byte[] {1, 2, 3})
            .table("Epochs", List.of(List.of("epoch", "a<b"), List.of("1", "0.5")))
            .html();
    assertThat(html)
        .startsWith(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>")
        .contains("<title>a &lt;b&gt;</title>\n")
        .contains("img { max-width: 100%; }")
        .endsWith(
            """
            <h1>a &lt;b&gt;</h1>
            <p>2 epochs &amp; &quot;more&quot;</p>
            <p><img alt="loss" src="data:image/png;base64,AQID"></p>
            <h2>Epochs</h2>
            <table>
            <tr><th>epoch</th><th>a&lt;b</th></tr>
            <tr><td>1</td><td>0.5</td></tr>
            </table>
            </body>
            </html>
            """);
  }

  @Test
  void aPageOfARunningTrainingIsReloaded() {
    assertThat(new ReportPage("a", "b").refreshed(5).html())
        .contains("<meta http-equiv=\"refresh\" content=\"5\">\n<title>");
  }

  @Test
  void curvesOmitWhatIsNotFinite() {
    var chart = new CurveChart("loss").curve("training", List.of(1.0), List.of(Double.NaN));
    assertThat(chart.isEmpty()).isTrue();
    chart.curve("training", List.of(0.5, 0.75, 1.0), List.of(0.25, Double.NaN, 0.125));
    assertThat(chart.isEmpty()).isFalse();
    assertThat(chart.measure()).isEqualTo("loss");
    assertThat(chart.png()).isEqualTo(chart());
  }

  @Test
  void picturesAreTheSameInAnyLocale() {
    byte[] german = chart();
    Locale.setDefault(Locale.ROOT);
    assertThat(Arrays.equals(chart(), german)).isTrue();
  }

  @Test
  void aConfusionMatrixHasItsLargestCountOnTheDiagonal() throws IOException {
    byte[] png = ConfusionChart.png(new long[][] {{50, 0}, {0, 50}});
    BufferedImage image = ImageIO.read(new ByteArrayInputStream(png));
    assertThat(image.getWidth()).isEqualTo(720);
    int third = image.getWidth() / 3;
    assertThat(image.getRGB(third, third) & 0xff).isLessThan(255);
    assertThat(image.getRGB(2 * third, third)).isEqualTo(0xffffffff);
  }
}
