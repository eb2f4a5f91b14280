# shellcheck shell=bash
# How the scripts of this checkout run Maven. One Maven at a time fetches into the local repository, since Maven 3 does not lock it
# and two that fetch the same file leave it empty; once all is there, every Maven runs offline. A local repository is remembered as
# complete by a stamp in its folder .reprise, one for each set of pom.xml files and each JDK.
#
# Where there is no `flock`, as on macOS, nothing keeps two of them apart.
#
# They source this, with `set -o pipefail`, and call:
#   maven_repository [ARG...]     finds the local repository
#   maven_build SCOPE [ARG...]    builds, and fetches what that needs when no stamp says that it is there
#   maven_lock_checkout           waits until nobody else builds in the folders `target` of this checkout; ends with `exec 9<&-`
# The array `maven_when_offline` has further arguments of a build that runs offline.
# What is said to people goes to standard error, Maven's own output to standard output.

maven_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
readonly maven_tries=3

maven_say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

# maven_repository [ARG...]: sets `repository` to the folder that Maven would take with these arguments.
maven_repository() {
  local word home settings named=''
  # shellcheck disable=SC2086
  for word in $(cat "$maven_root/.mvn/jvm.config" "$maven_root/.mvn/maven.config" 2>/dev/null) ${MAVEN_OPTS:-} ${MAVEN_ARGS:-}; do
    case $word in -Dmaven.repo.local=*) named=${word#*=} ;; esac
  done
  for word; do
    case $word in -Dmaven.repo.local=*) named=${word#*=} ;; esac
  done
  # Java takes the home from the user database, not from HOME.
  home=$(getent passwd "$(id -u)" 2>/dev/null | cut -d: -f6) || home=
  [ -n "$home" ] || home=${HOME:-/}
  settings=$home/.m2/settings.xml
  if [ -z "$named" ] && [ -r "$settings" ]; then
    named=$(sed -n 's:.*<localRepository>[[:space:]]*\(.*[^[:space:]]\)[[:space:]]*</localRepository>.*:\1:p' "$settings" | head -n 1)
    named=${named//'${user.home}'/$home}
  fi
  repository=${named:-$home/.m2/repository}
  case $repository in /*) ;; *) repository=$PWD/$repository ;; esac
}

# maven_checksum [FILE...]: SHA-1 in hexadecimal, of files or of standard input.
maven_checksum() {
  if command -v sha1sum >/dev/null; then sha1sum "$@"; else shasum -a 1 "$@"; fi
}

# maven_stamp SCOPE: the file that says that all that SCOPE needs is in the local repository.
maven_stamp() {
  local poms
  poms=$(cd "$maven_root" && find . -name 'target*' -prune -o -path './.git' -prune -o -name pom.xml -print |
    LC_ALL=C sort | while IFS= read -r pom; do cat "$pom"; done | maven_checksum)
  echo "$repository/.reprise/$1-jdk$(maven_jdk)-${poms%% *}"
}

# maven_mend: removes artifacts that are empty, or cut or changed as their checksum tells, so that Maven fetches them again. Looks at
# what is new since it last looked. What somebody has installed is theirs, even where the checksum of an earlier download lies beside it.
maven_mend() {
  local seen=$repository/.reprise/looked file sum since=() suspects=() damaged=()
  [ ! -e "$seen" ] || since=(-cnewer "$seen")
  [ -d "$repository" ] || return 0
  touch "$seen.next"
  while IFS= read -r file; do
    if [ ! -s "$file" ]; then
      suspects+=("$file")
    elif [ -r "$file.sha1" ] && read -r sum _ <"$file.sha1" || [ -n "${sum:-}" ]; then
      [ "${#sum}" != 40 ] || printf '%s  %s\n' "$sum" "$file"
    fi
    sum=
  done < <(find "$repository" -type f \( -name '*.jar' -o -name '*.pom' \) ${since[@]+"${since[@]}"}) >"$seen.sums"
  while IFS= read -r file; do
    suspects+=("${file%: FAILED*}")
  done < <(LC_ALL=C maven_checksum -c "$seen.sums" 2>/dev/null | grep ': FAILED')
  rm -f "$seen.sums"
  for file in ${suspects[@]+"${suspects[@]}"}; do
    # Maven notes so what it has not downloaded.
    grep -qxF "${file##*/}>=" "${file%/*}/_remote.repositories" 2>/dev/null || damaged+=("$file")
  done
  if [ "${#damaged[@]}" != 0 ]; then
    for file in "${damaged[@]}"; do
      rm -f "$file" "$file.sha1" "$file.lastUpdated"
    done
    find "$repository/.reprise" -name '*-jdk*' -exec rm -f {} +
    maven_say "${#damaged[@]} damaged in Maven's local repository, fetched again: ${damaged[0]##*/}$([ "${#damaged[@]}" = 1 ] || echo ', …')"
  fi
  mv "$seen.next" "$seen"
}

# maven_run [ARG...]: Maven with the local repository that was looked at.
maven_run() {
  mvn -B -Dstyle.color=never -Dmaven.repo.local="$repository" "$@" </dev/null 2>&1
}

maven_offline() { maven_run -o "$@" ${maven_when_offline[@]+"${maven_when_offline[@]}"}; }

# maven_lock_checkout: see above.
maven_lock_checkout() {
  exec 9<"$maven_root/pom.xml"
  if command -v flock >/dev/null; then flock 9; fi
}

# maven_jdk: the feature release of the JDK that Maven runs on.
maven_jdk() {
  local java=${JAVA_HOME:+$JAVA_HOME/bin/}java
  "$java" -version 2>&1 | sed -n 's/.* version "\(1\.\)\{0,1\}\([0-9]*\).*/\2/p'
}

# maven_build SCOPE ARG...: offline when a stamp says that this repository has all of SCOPE; otherwise alone, online, and with further
# tries when a transfer fails. The scope `suite` covers all others.
maven_build() {
  local scope=$1 stamp suite_stamp log code=0 try
  shift
  stamp=$(maven_stamp "$scope")
  suite_stamp=$(maven_stamp suite)
  if ! mkdir -p "$repository/.reprise" 2>/dev/null || [ ! -w "$repository/.reprise" ]; then
    maven_say "the local repository $repository cannot be written to: Maven runs offline"
    maven_offline "$@"
    return
  fi
  log=$(mktemp) || return
  exec 8>"$repository/.reprise/lock"
  if ! command -v flock >/dev/null || flock -n 8; then
    maven_mend
  elif [ ! -e "$stamp" ] && [ ! -e "$suite_stamp" ]; then
    maven_say "waits while another Maven fetches into $repository"
    flock 8
    maven_mend
  fi
  if [ -e "$stamp" ] || [ -e "$suite_stamp" ]; then
    exec 8>&-
    maven_offline "$@" | tee "$log" || code=${PIPESTATUS[0]}
    if [ "$code" = 0 ] || ! grep -q 'in offline mode' "$log"; then
      rm -f "$log"
      return "$code"
    fi
    maven_say "something is missing in $repository, and is fetched"
    rm -f "$stamp" "$suite_stamp"
    exec 8>"$repository/.reprise/lock"
    if command -v flock >/dev/null; then flock 8; fi
  fi
  for ((try = 1; try <= maven_tries; try++)); do
    code=0
    # Not a command of its own: with `set -e`, the first failure would be the last.
    maven_run "$@" | tee "$log" || code=${PIPESTATUS[0]}
    if [ "$code" = 0 ]; then
      touch "$stamp"
      break
    fi
    if grep -q 'No space left on device' "$log"; then
      maven_say "no space left on the disk of $repository or of this checkout"
      break
    fi
    grep -qE 'Could not transfer|Could not resolve|could not be resolved|Failed to read artifact descriptor|zip (file is empty|END header)|Connection reset' "$log" || break
    maven_mend
    [ "$try" = "$maven_tries" ] || maven_say "try $try of $maven_tries to fetch failed"
  done
  exec 8>&-
  rm -f "$log"
  return "$code"
}
