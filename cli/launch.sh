# shellcheck shell=bash
# Starts Java as each command of Reprise wants it: the common part of ./reprise in a checkout and ./reprise in an
# archive. They set java_home, java_major, cp (the class path) and archive (of class data, which need not exist);
# set_flags comes first.

# major JAVA_HOME: its feature release, such as 17; nothing when there is no Java.
major() {
  [ -x "$1/bin/java" ] || return 0
  if [ -r "$1/release" ]; then
    sed -n 's/^JAVA_VERSION="\(1\.\)\{0,1\}\([0-9]*\).*/\2/p' "$1/release"
  else
    "$1/bin/java" -version 2>&1 | sed -n 's/.* version "\(1\.\)\{0,1\}\([0-9]*\).*/\2/p'
  fi
}

set_flags() {
  quiet_flags=()
  if [ "$java_major" -ge 24 ]; then
    # RocksDB loads a native library and Netty reads memory directly; Java 24 warns of both.
    quiet_flags=(--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow)
  fi
  fast_start=(-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto -Xlog:cds=off -Xlog:cds+dynamic=off)
}

# A class data archive saves a short command a fifth of its time. It is a help only: without one, or with one
# of other jars or another Java, the same command runs as before.
archive_classes() {
  if "$java_home/bin/java" "${fast_start[@]}" "${quiet_flags[@]}" -XX:ArchiveClassesAtExit="$archive.$$" \
    -cp "$cp" dev.reprise.cli.ClassArchive </dev/null >/dev/null 2>&1 && [ -e "$archive.$$" ]; then
    mv "$archive.$$" "$archive"
  fi
}

# enough_files COMMAND: ends unless the service can open its jars, its store and some connections. Java itself could not
# say so: without a free handle it finds no class. It raises the soft limit to the hard one, so only that counts.
enough_files() {
  local least=256 limit
  limit=$(ulimit -Hn)
  if [ "$limit" != unlimited ] && [ "$limit" -lt $least ]; then
    printf 'reprise: %s needs %s open files and the limit is %s: raise ulimit -n (LimitNOFILE of its unit, nofile of a container)\n' \
      "$1" $least "$limit" >&2
    exit 1
  fi
}

# run ARG...: becomes Java.
run() {
  local flags seen='' stream size
  case ${1:-} in
    serve | demo)
      enough_files "$1"
      # Without the last one, each process that is killed leaves a file of counters in /tmp. jcmd works by number all the same.
      flags=(-XX:+ExitOnOutOfMemoryError -XX:+PerfDisableSharedMem)
      # What is delivered is nobody else's on this machine.
      umask 077
      ;;
    lab)
      # A simulation is worth compiling well.
      flags=(-XX:+UseParallelGC)
      ;;
    *)
      flags=("${fast_start[@]}")
      [ -e "$archive" ] && flags+=(-XX:SharedArchiveFile="$archive")
      ;;
  esac
  # Java cannot tell which of its streams a person sees, nor how wide that is.
  for stream in 0 1 2; do [ ! -t $stream ] || seen+=$stream; done
  if [ -n "$seen" ]; then
    size=$(stty size 2>/dev/null </dev/tty || true)
    flags+=("-Dreprise.terminal=$seen:${size##* }")
  fi
  # Unquoted on purpose: several flags, divided by spaces.
  # shellcheck disable=SC2086
  exec "$java_home/bin/java" "${flags[@]}" "${quiet_flags[@]}" ${REPRISE_JAVA_OPTS:-} \
    -cp "$cp" dev.reprise.cli.Main "$@"
}
