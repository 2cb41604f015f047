# Owners and modes of folders with code that is kept between runs. Such code is run only if nobody
# but this user, root and the owner of the launcher can have written it.

# Tests of find for owners that are not trusted.
strangers=(! -user "$EUID" ! -user 0)
[[ -O $home/launcher ]] || strangers+=(! -user "$(stat -c %u "$home/launcher" 2>/dev/null || stat -f %u "$home/launcher")")

command -v sha256sum >/dev/null && sha256=(sha256sum) || sha256=(shasum -a 256)

# others_wrote PATH [TEST...]: prints the first file at PATH, among those that find's tests choose,
# that others own or may write to.
others_wrote() {
  find "$@" \( "${strangers[@]}" -o ! -type l \( -perm -020 -o -perm -002 \) \) -print -quit
}

# close_folder FOLDER ADVICE: refuses a folder of others. Takes the right to write to our own from
# all others, and deletes what they can have put there.
close_folder() {
  local folder=$1 advice=$2
  [[ -d $folder && -n $(others_wrote "$folder/." -maxdepth 2) ]] || return 0
  if [[ -O $folder ]]; then
    chmod go-w "$folder" && find "$folder/." -mindepth 1 -delete && return
  fi
  fail "compiled programs are kept in $folder, which others own or may write to: $advice."
}

# is_open FOLDER: true if it belongs to another user, or if everyone can replace its parts.
is_open() {
  [[ -n $(find "$1/." -prune \( "${strangers[@]}" -o -perm -002 ! -perm -1000 \) -print) ]]
}

# sums FOLDER: writes the digests of a folder's files to its file sums.
sums() (
  cd "$1" && find . -type f ! -name sums -exec "${sha256[@]}" {} + >sums
)

# is_whole FOLDER: true if its files have the digests that were written, and nobody else can have
# written them.
is_whole() {
  [[ -f $1/sums && -z $(others_wrote "$1") ]] && (cd "$1" && "${sha256[@]}" -c sums >/dev/null 2>&1)
}
