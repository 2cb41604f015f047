# Finds a JDK of a supported version without starting a JVM, by the file `release` of each JDK.

oldest_jdk=25

# is_jdk FOLDER: true for a JDK of a supported version; sets jdk_version.
is_jdk() {
  [[ -x $1/bin/java && -x $1/bin/javac && -r $1/release ]] || return 1
  local line
  jdk_version=
  while read -r line; do
    if [[ $line == JAVA_VERSION=* ]]; then
      jdk_version=${line#JAVA_VERSION=}
      jdk_version=${jdk_version//\"/}
      jdk_version=${jdk_version%$'\r'}
    fi
  done <"$1/release"
  local major=${jdk_version%%[.+-]*}
  [[ $major =~ ^[0-9]+$ && $major -ge $oldest_jdk ]]
}

# is_bundle: true if this is a bundle, which contains its jars and a run time and builds nothing.
is_bundle() {
  [[ -f $home/lib/modules ]]
}

# find_jdk: sets jdk and jdk_version, or returns 1.
find_jdk() {
  local folder
  if is_bundle; then
    jdk=$home/runtime
    is_jdk "$jdk" && return
    fail "the bundle's run time in $jdk is broken: copy the bundle again."
  fi
  if [[ -n ${RISTRETTO_JAVA_HOME:-} ]]; then
    jdk=$RISTRETTO_JAVA_HOME
    is_jdk "$jdk" && return
    fail "RISTRETTO_JAVA_HOME is $jdk, which is not a JDK $oldest_jdk or newer."
  fi
  if [[ -n ${JAVA_HOME:-} ]] && is_jdk "$JAVA_HOME"; then
    jdk=$JAVA_HOME
    return
  fi
  if folder=$(command -v javac) && folder=$(readlink -f "$folder" 2>/dev/null); then
    jdk=${folder%/bin/javac}
    is_jdk "$jdk" && return
  fi
  for jdk in /usr/lib/jvm/* /Library/Java/JavaVirtualMachines/*/Contents/Home \
    ${HOME:+"$HOME"/Library/Java/JavaVirtualMachines/*/Contents/Home} \
    ${HOME:+"$HOME"/.sdkman/candidates/java/*} ${HOME:+"$HOME"/.jdks/*} \
    /opt/java/* /opt/*jdk* /usr/java/* /usr/local/*jdk*; do
    is_jdk "$jdk" && return
  done
  return 1
}

need_jdk() {
  find_jdk && return
  say "JDK $oldest_jdk or newer is needed, and none was found."
  say "Install one, for example Temurin $oldest_jdk (adoptium.net), 'sdk install java $oldest_jdk-tem',"
  say "'apt install openjdk-$oldest_jdk-jdk' or 'brew install openjdk@$oldest_jdk',"
  fail "or set RISTRETTO_JAVA_HOME to the folder of one."
}
