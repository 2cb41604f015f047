# Writes bundles: self-contained folders for machines without a JDK.

# bundle DIR: writes a bundle, with oneDNN if with_onednn is yes.
bundle() {
  local folder=$1 engine version
  is_bundle && fail "a bundle cannot make another one; copy the folder $home."
  [[ -e $folder && ! -d $folder ]] && fail "$folder is a file; name a new folder."
  [[ -d $folder && -n $(ls -A "$folder") ]] && fail "$folder is not empty; name a new folder."
  mkdir -p "$(dirname "$folder")" && [[ -w $(dirname "$folder") ]] || fail "cannot write to $(dirname "$folder")."
  # A bundle never has TornadoVM, even if RISTRETTO_DEVICE selects the tornado device here.
  unset RISTRETTO_DEVICE
  need_engine
  engine=$built
  need_benchmarks
  read_version
  temporary+=("$(dirname "$folder")/.$(basename "$folder").new")
  "$jdk/bin/java" "$home/launcher/Bundle.java" "$folder" "$home" "$version" "$engine" "$built" "$with_onednn" ||
    fail "the bundle could not be written."
  [[ $with_onednn == yes ]] || say "convolutions on processors are several times faster with oneDNN, which adds 27 MB to a bundle: ./ristretto bundle --with-onednn DIR"
  say "wrote $folder ($(du -sh "$folder" | cut -f1)B); $folder/bin/ristretto runs it, here and on machines like this one."
}
