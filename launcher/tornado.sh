# Finds TornadoVM's SDK for the tornado device, and makes the options of its JVM.

tornado_version=
[[ ! -f $home/pom.xml ]] || read_property tornado.version tornado_version

# Folder of TornadoVM's SDK; empty if this run does not use TornadoVM.
sdk=

# wants_tornado: true if this run uses TornadoVM.
wants_tornado() {
  [[ ${with_tornado:-} || ${RISTRETTO_DEVICE:-} == tornado || ${RISTRETTO_DEVICE:-} == tornado:* ]]
}

# find_tornado: sets `sdk` to the folder in TORNADOVM_HOME, or else to SDKMAN's, and `sdk_is` to its
# description for messages; or returns 1.
find_tornado() {
  sdk=${TORNADOVM_HOME:-}
  sdk_is="TORNADOVM_HOME is $sdk"
  [[ -z $sdk ]] || return 0
  sdk=$(tornado_of_sdkman)
  sdk_is="SDKMAN's TornadoVM is $sdk"
  [[ -d $sdk ]]
}

tornado_of_sdkman() {
  echo "${SDKMAN_DIR:-${HOME:-}/.sdkman}/candidates/tornadovm/current"
}

# need_tornado: finds and checks the SDK, and sets `sdk`; or exits.
need_tornado() {
  local line found= sdk_is
  is_bundle && fail "a bundle has no tornado device: run it where Ristretto is built."
  find_tornado || no_tornado "the tornado device needs TornadoVM $tornado_version, but TORNADOVM_HOME is not set and SDKMAN has none in $(tornado_of_sdkman)."
  [[ -d $sdk ]] || no_tornado "the tornado device needs TornadoVM $tornado_version, and $sdk_is, which is not a folder."
  while read -r line; do
    [[ $line == version=* ]] && found=${line#version=}
  done 2>/dev/null <"$sdk/etc/tornado.release"
  [[ -n $found ]] || no_tornado "$sdk_is, which is not an SDK of TornadoVM."
  [[ $found == "$tornado_version" ]] ||
    no_tornado "$sdk_is, which is version $found, but the tornado device needs $tornado_version."
  [[ -r $sdk/tornado-argfile || -r $sdk/tornado-argfile.template ]] ||
    no_tornado "$sdk has no tornado-argfile: run 'tornado --devices' of that SDK once with JAVA_HOME set, which writes it."
  [[ -n ${TORNADOVM_HOME:-} || ${RISTRETTO_DEBUG:-} != [1-9]* ]] ||
    say "TORNADOVM_HOME is not set; using SDKMAN's TornadoVM $found in $sdk"
  # SDKMAN's folder is a link whose target may change.
  sdk=$(cd "$sdk" && pwd -P)
}

no_tornado() {
  say "$1"
  say "Install that SDK, for example with 'sdk install tornadovm $tornado_version-opencl' or from tornadovm.org/downloads,"
  fail "and set TORNADOVM_HOME to its folder if SDKMAN did not install it. Other devices need no SDK: './ristretto devices' lists them."
}

# tornado_arguments PATH MODULES: prints the options of a JVM with the SDK and our modules.
tornado_arguments() {
  local path=$1 ours=$2 template=$sdk/tornado-argfile
  [[ -r $template ]] || template=$template.template
  # Only required modules are loaded from the SDK's folder, since some of its jars conflict.
  sed "s|\${TORNADOVM_HOME}|$sdk|g" "$template"
  sed -n 's/=ALL-UNNAMED/=ristretto.tornado/p' "$home/kernels/tornado/src/main/jvm.args"
  echo "--add-reads ristretto.tornado=jdk.graal.compiler,jdk.internal.vm.ci,tornado.api,tornado.runtime"
  echo "--add-reads ristretto.tornado=tornado.drivers.common,tornado.drivers.opencl"
  echo "--module-path $(quoted "$path:$sdk/share/java/tornado")"
  echo "--add-modules $ours,jdk.incubator.vector"
}
