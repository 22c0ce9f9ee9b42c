#!/bin/bash
# find_package(heddle) of an installed tree that was moved: heddle_test() in somebody's project, with
# programs made from kept PTX (../cuda/programs.sh). test_recipes.sh has what nvcc builds.
source "$(dirname "$0")/../cli/lib.sh"
source "$source_folder/tests/cuda/programs.sh"
build=${HEDDLE_BUILD:?ctest sets it: the folder of the build}
: >"$work/log/out" >"$work/log/err"

cmake --install "$build" --prefix "$work/prefix" >"$work/log/out" 2>"$work/log/err" ||
    complain "cmake --install"
mv "$work/prefix" "$work/moved prefix"

# ---- programs: fine, with a fault, a race, and lines that use little ------------------------------------

for name in vectors illegal sums particles; do cp "$kept/$name.ptx" .; done
sed -i '/bar\.sync/d' sums.ptx
cp "$programs/check.h" .
for name in vectors illegal sums particles; do
    build_kept "$programs/$name.cu" >"$work/log/out" 2>"$work/log/err" || complain "$name cannot be built"
done

# project [FIND]: the folder `project`, configured; its tests are those of standard input.
project() {
    rm -rf project
    mkdir -p project/below
    {
        printf '%s\n' 'cmake_minimum_required(VERSION 3.20)' 'project(foreign LANGUAGES NONE)' \
            'enable_testing()' "find_package(heddle ${1-0.1 REQUIRED COMPONENTS program})" \
            'foreach(name vectors illegal sums particles)' '  add_executable(${name} IMPORTED)' \
            "  set_target_properties(\${name} PROPERTIES IMPORTED_LOCATION \"$PWD/\${name}\")" 'endforeach()'
        cat
    } >project/CMakeLists.txt
    cmake -S project -B project/build -DCMAKE_PREFIX_PATH="$work/moved prefix" \
        >"$work/log/out" 2>"$work/log/err"
}
# fails NAME PATTERN: the test fails, and says the pattern.
fails() {
    ! ctest --test-dir project/build -R "^$1\$" --output-on-failure >"$work/log/out" 2>"$work/log/err" ||
        complain "the test $1 passes"
    prints "$2"
}

echo 'heddle_test(below vectors)' >below.cmake
project <<'END' || complain "cmake"
heddle_test(fine vectors RACES UNINITIALISED LEAKS FAIL_BELOW 50%)
heddle_test(fault illegal ARGS one "two words")
heddle_test(race sums RACES)
heddle_test(waste particles FAIL_BELOW 99%)
heddle_test(nowhere vectors FAIL_BELOW 50% absent.cu:7=50%)
include(${CMAKE_CURRENT_SOURCE_DIR}/../below.cmake)
END
ctest --test-dir project/build -R '^(fine|below)$' --output-on-failure >"$work/log/out" 2>"$work/log/err" ||
    complain "a program without faults fails"
prints '2/2 Test'
fails fault 'error: store of 4 bytes at byte 400'
fails race 'error: .*race'
fails waste "particles.cu:17: error: load of kernel '.*' uses [0-9.]+% of the bytes that it moves, less than 99.0%"
! grep -q 'particles.cu:30: error: atomic' "$work/log/out" || complain "a line that moves next to nothing is told"
fails nowhere 'error: --fail-below: line 7 of absent.cu has moved nothing'
ctest --test-dir project/build -R '^fault$' -N -V >"$work/log/out"
prints '"two words"'
ctest --test-dir project/build -R '^fine$' -N -V >"$work/log/out"
prints 'run" "--races" "--uninitialised" "--leaks" "--all" "--fail-below=50%" "--" '

# The option itself.
call run --all --fail-below particles.cu:30=60% -- ./particles
[ "$status" -eq 1 ] || complain "--fail-below of a line: exit status $status"
says "particles.cu:30: error: atomic of kernel 'count.*' uses 50.0% .*, less than 60.0%"
call run --all --fail-below particles.cu:17=10% --fail-below particles.cu:24=10% --fail-below 20% -- ./particles
[ "$status" -eq 0 ] || complain "a line's own threshold: exit status $status"
for nonsense in 0 101% particles.cu=50% particles.cu:0=50% 17=50% particles.cu:17=; do
    refuses 'error: --fail-below takes ' run --fail-below "$nonsense" -- ./particles
done

! project <<<'heddle_test(wrong vectors RACE)' || complain "a word that is none is taken"
grep -q "what is 'RACE'" "$work/log/err" || complain "a word that is none is not named"
! project "REQUIRED COMPONENTS loom" </dev/null || complain "find_package finds a component that is not there"
grep -q "has no component 'loom'" "$work/log/err" || complain "the component is not named"
! project "9.1 REQUIRED" </dev/null || complain "find_package finds another version"
finish
