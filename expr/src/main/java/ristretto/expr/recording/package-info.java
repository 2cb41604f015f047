/// Recordings: a [Recorder][ristretto.expr.recording.Recorder] collects assignments, parts and
/// loops, [Recorded][ristretto.expr.recording.Recorded] is their content, which planning takes.
package ristretto.expr.recording;
