# Checks owners and modes of folders with cached code. Cached code runs only if nobody but this
# user, root and the launcher's owner could write it.

# Tests of find that match files of owners who are not trusted.
strangers=(! -user "$EUID" ! -user 0)
[[ -O $home/launcher ]] || strangers+=(! -user "$(stat -c %u "$home/launcher" 2>/dev/null || stat -f %u "$home/launcher")")

command -v sha256sum >/dev/null && sha256=(sha256sum) || sha256=(shasum -a 256)

# others_wrote PATH [TEST...]: prints the first file below PATH that matches the tests of find and
# that others own or may write to.
others_wrote() {
  find "$@" \( "${strangers[@]}" -o ! -type l \( -perm -020 -o -perm -002 \) \) -print -quit
}

# close_folder FOLDER ADVICE: makes a folder of ours unwritable for others, and deletes its content
# if others could write to it; fails for a folder that others own.
close_folder() {
  local folder=$1 advice=$2
  [[ -d $folder && -n $(others_wrote "$folder/." -maxdepth 2) ]] || return 0
  if [[ -O $folder ]]; then
    chmod go-w "$folder" && find "$folder/." -mindepth 1 -delete && return
  fi
  fail "compiled programs are kept in $folder, which others own or may write to: $advice."
}

# is_open FOLDER: true if another user owns the folder, or if everyone can replace its entries.
is_open() {
  [[ -n $(find "$1/." -prune \( "${strangers[@]}" -o -perm -002 ! -perm -1000 \) -print) ]]
}

# sums FOLDER: writes the SHA-256 digests of a folder's files to its file `sums`.
sums() (
  cd "$1" && find . -type f ! -name sums -exec "${sha256[@]}" {} + >sums
)

# is_whole FOLDER: true if the folder's files match its file `sums`, and others could not write
# them.
is_whole() {
  [[ -f $1/sums && -z $(others_wrote "$1") ]] && (cd "$1" && "${sha256[@]}" -c sums >/dev/null 2>&1)
}
