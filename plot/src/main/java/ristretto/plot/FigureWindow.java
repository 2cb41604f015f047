package ristretto.plot;

import java.awt.Dimension;
import java.awt.Graphics;
import java.awt.Graphics2D;
import java.awt.GraphicsEnvironment;
import javax.swing.JFrame;
import javax.swing.JPanel;
import javax.swing.SwingUtilities;
import javax.swing.WindowConstants;
import ristretto.kernels.DeviceException;

/** Window that shows a figure. */
final class FigureWindow {
  private FigureWindow() {}

  static void open(Figure figure) {
    if (GraphicsEnvironment.isHeadless()) {
      throw new DeviceException(
          "[show] a window needs a screen; got none; write a file with save(\"plot.png\").");
    }
    SwingUtilities.invokeLater(() -> {
      var frame = new JFrame("Ristretto");
      frame.setDefaultCloseOperation(WindowConstants.DISPOSE_ON_CLOSE);
      var panel = new Panel(figure);
      panel.setPreferredSize(new Dimension(figure.width(), figure.height()));
      frame.add(panel);
      frame.pack();
      frame.setVisible(true);
    });
  }

  private static final class Panel extends JPanel {
    private static final long serialVersionUID = 1;
    private final transient Figure figure;

    Panel(Figure figure) {
      this.figure = figure;
    }

    @Override
    protected void paintComponent(Graphics g) {
      super.paintComponent(g);
      figure.paintAll((Graphics2D) g);
    }
  }
}
