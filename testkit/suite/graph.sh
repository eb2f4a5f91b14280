# shellcheck shell=bash
# The modules of this checkout, as ./test sees them: who knows whom, what is said of them in testkit/suite/modules, and which of
# them this run is about. Lists are words divided by blanks: no folder of a module has a blank.

# A module whose tests take longer than this is tested in part by --changed.
readonly seconds_of_large=120

# read_graph: sets `all_modules` (folders, in the order of the build), and writes FOLDER ARTIFACT and KNOWER KNOWN, a line each.
read_graph() {
  local module
  all_modules=$(sed -n 's:.*<module>\(.*\)</module>.*:\1:p' pom.xml)
  # The archive is built on Linux only.
  [ "$(uname -s)" = Linux ] || all_modules=$(grep -vx service/dist <<<"$all_modules")
  for module in $all_modules; do
    awk -v module="$module" '
      /<\/parent>/ { own = 1 }
      own == 1 && /<artifactId>/ { gsub(/.*<artifactId>|<\/artifactId>.*/, ""); print module, $0; exit }' "$module/pom.xml"
  done >"$suite/artifacts"
  for module in $all_modules; do
    # What it depends on, and whose sources it compiles as well.
    awk -v module="$module" '
      FNR == NR { folder[$2] = $1; next }
      /<\/parent>/ { body = 1 }
      body && /<groupId>dev\.reprise</ { ours = 1; next }
      ours && /<artifactId>/ {
        gsub(/.*<artifactId>|<\/artifactId>.*/, "")
        if ($0 in folder && folder[$0] != module) print module, folder[$0]
      }
      { ours = 0 }
      /<source>\$\{project.basedir\}\/\.\.\// {
        gsub(/.*<source>\$\{project.basedir\}\/|\/src\/.*/, "")
        while (sub(/^\.\.\//, "")) { }
        print module, $0
      }' "$suite/artifacts" "$module/pom.xml"
  done | sort -u >"$suite/known"
}

# closure FROM TO MODULE...: these modules and all that follow from them in `known`, from column FROM to column TO.
closure() {
  local from=$1 to=$2
  shift 2
  awk -v from="$from" -v to="$to" -v start="$*" '
    { pair[NR, 1] = $1; pair[NR, 2] = $2 }
    END {
      n = split(start, words, " ")
      for (i = 1; i <= n; i++) found[words[i]] = 1
      do {
        more = 0
        for (i = 1; i <= NR; i++)
          if (pair[i, from] in found && !(pair[i, to] in found)) { found[pair[i, to]] = 1; more = 1 }
      } while (more)
      for (module in found) print module
    }' "$suite/known" | sort
}

known_by() { closure 1 2 "$@"; }
users_of() { closure 2 1 "$@"; }

artifact() { awk -v module="$1" '$1 == module { print $2 }' "$suite/artifacts"; }

# read_modules: checks that the table and pom.xml name the same modules.
read_modules() {
  local listed
  listed=$(awk '!/^#/ && NF { print $1 }' testkit/suite/modules | sort)
  [ "$(uname -s)" = Linux ] || listed=$(grep -vx service/dist <<<"$listed")
  [ "$listed" = "$(sort <<<"$all_modules")" ] ||
    fail "testkit/suite/modules and pom.xml name different modules: $(diff <(echo "$listed") <(sort <<<"$all_modules") | sed -n 's/^[<>] //p' | tr '\n' ' ')"
}

# setting MODULE COLUMN: what the table says of a module.
setting() {
  awk -v module="$1" -v column="$2" '!/^#/ && $1 == module { print $column }' testkit/suite/modules
}

# choose_modules: sets `whole` (all tests of these run), `part` (one path of these), `large` (all of these but the slow tests that the
# change does not name) and `selected` to all of them. Fails, which is no error, when nothing is to be done.
choose_modules() {
  local module
  whole=$all_modules part='' large=''
  if [ -n "$only" ]; then
    whole=
    for module in ${only//,/ }; do
      module=${module#./} module=${module%/}
      grep -qx "$module" <<<"$all_modules" || fail "-pl $module: there is no such module; they are: $(tr '\n' ' ' <<<"$all_modules")"
      whole+=" $module"
    done
    [ -z "$with_known" ] || whole=$(known_by $whole)
  elif [ -n "$changed" ]; then
    choose_changed || return
  fi
  whole=$(in_order $whole) part=$(in_order $part) large=$(in_order $large)
  selected=$(in_order $whole $part $large)
  [ -n "$selected" ]
}

# in_order MODULE...: these, in the order of the build.
in_order() {
  local module
  for module in $all_modules; do
    case " $* " in *" $module "*) echo "$module" ;; esac
  done
}

choose_changed() {
  local base paths path module longest
  command -v git >/dev/null && git rev-parse -q --verify HEAD >/dev/null || fail "--changed needs git and a checkout made by it"
  if [ -z "$revision" ]; then
    revision=$(git rev-parse -q --verify --abbrev-ref '@{upstream}' 2>/dev/null) ||
      revision=$(git rev-parse -q --verify --abbrev-ref origin/HEAD 2>/dev/null) || revision=HEAD
  fi
  base=$(git merge-base HEAD "$revision" 2>/dev/null) || fail "--changed $revision: git knows no such revision"
  paths=$({ git diff --name-only "$base" --; git ls-files --others --exclude-standard; } | sort -u)
  if [ -z "$paths" ]; then
    say "nothing differs from $revision: no test to run"
    return 1
  fi
  whole=
  while IFS= read -r path; do
    longest=
    for module in $all_modules; do
      case $path in "$module"/*) [ "${#module}" -le "${#longest}" ] || longest=$module ;; esac
    done
    if [ -n "$longest" ]; then
      whole+=" $longest"
    else
      case $path in
        # What every module is built or tested with.
        pom.xml | .mvn/* | .ci/*)
          whole=$all_modules
          say "$path concerns every module: everything runs"
          return
          ;;
        # Scripts are tested where the command line and the documents are.
        reprise) whole+=" cli" ;;
      esac
    fi
  done <<<"$paths"
  # It reads the documents, names and scripts of all modules.
  whole+=" examples/cookbook"
  whole=$(in_order $whole)
  part=$(users_of $whole | grep -vxF "$whole")
  say "differs from $revision: $(tr '\n' ' ' <<<"$whole")"
  say "one path of what uses them: $(tr '\n' ' ' <<<"${part:-nothing}")"
  local rest
  rest=$(grep -vxF "$(printf '%s\n' $whole $part)" <<<"$all_modules")
  say "LEFT OUT, since nothing in it or below it differs: $(tr '\n' ' ' <<<"${rest:-nothing}")"
  for module in $whole; do
    if [ "$(setting "$module" 4)" -gt "$seconds_of_large" ]; then large+=" $module"; fi
  done
  whole=$(grep -vxF "$(printf '%s\n' $large)" <<<"$whole")
  for module in $large; do
    name_classes "$module" "$paths"
  done
}

# name_classes MODULE PATHS: of a module too large to be tested whole after each change, writes the test classes that --changed runs
# beside all quick tests: one path, and the slow ones that differ or have the name of a class, a file or a folder that does.
name_classes() {
  local module=$1 path word words='' slow named
  while IFS= read -r path; do
    case $path in
      "$module"/src/*.java) word=${path##*/} ;;
      "$module"/src/*/*/*) word=$(first_that_is_no_package "$module" "${path#"$module"/src/*/*/}") ;;
      *) continue ;;
    esac
    words+=${word%.*}$'\n'
  done <<<"$2"
  slow=$(find "$module/src/test" -name '*Test.java' -exec grep -l '^ *@Tag("slow")' {} + | sort)
  # Its file has the name of the class, or its text another of these.
  named=$([ -z "$words" ] || xargs grep -lwF "${words%$'\n'}" <<<"$slow" | sed 's:.*/::; s:\.java$::')
  setting "$module" 5 | tr ',' '\n' | grep -vxF "${named:--}" | cat - <(echo "$named") | grep -vx -e - -e '' | tr '\n' ',' |
    sed 's:,$::' >"$suite/classes-${module//\//-}"
  say "LEFT OUT of $module: its slow tests but $(tr ',' ' ' <"$suite/classes-${module//\//-}"); ./test -pl $module runs all"
}

# first_that_is_no_package MODULE PATH: of the folders and the file of a path below the sources, such as console/pages/keys.js.
first_that_is_no_package() {
  local before='' rest=$2
  while [ "$rest" != "${rest#*/}" ] && [ -d "$1/src/main/java/$before${rest%%/*}" ]; do
    before+=${rest%%/*}/
    rest=${rest#*/}
  done
  echo "${rest%%/*}"
}
