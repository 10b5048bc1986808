# Short commands for CMake. `make run` and `make test` work on a fresh machine: they install missing packages
# (packages.txt) and build first.

JOBS := $(shell nproc 2>/dev/null || echo 2)

.PHONY: help setup build run test bench asan test-full format tidy install docs clean

help:
	@echo "make run        install packages, build, run the main example, print the files to open"
	@echo "make test       install packages, build, run all tests"
	@echo "make build      install packages, build the program build/klingel"
	@echo "make bench      measure the speed, also of other installed simulators"
	@echo "make asan       run the tests with address and undefined-behaviour sanitizers"
	@echo "make test-full  all tests, sanitizers, a second compiler, valgrind and fuzzing"
	@echo "make format     format the source; make tidy: clang-tidy, order of folders, words of texts"
	@echo "make docs       write the manual as a web site: build/site/index.html"
	@echo "make install    install program, library, headers (PREFIX=/usr/local, DESTDIR=)"

setup:
	@scripts/setup packages.txt

build: setup
	@cmake --preset release >/dev/null
	@cmake --build build -j $(JOBS)

run: build
	@scripts/run-main

test: build
	@scripts/check-rooms
	@ctest --test-dir build --output-on-failure -j $(JOBS)

bench: build
	@cmake --build build -j $(JOBS) --target bench-all
	@scripts/bench

asan: setup
	@cmake --preset sanitize >/dev/null
	@cmake --build build/sanitize -j $(JOBS)
	@ASAN_OPTIONS=detect_leaks=1 ctest --test-dir build/sanitize --output-on-failure -j $(JOBS) -LE slow-under-sanitizers

test-full: setup
	@scripts/setup packages-full.txt
	@scripts/test-full

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i

tidy: setup
	@scripts/setup packages-full.txt
	@scripts/check-rooms
	@scripts/check-words .
	@cmake --preset release >/dev/null
	@git ls-files 'src/*.c' | xargs -P $(JOBS) -n 4 clang-tidy -p build --quiet

PREFIX ?= /usr/local
install: build
	@cmake --install build --prefix $(PREFIX)

docs:
	@docs/build build/site

clean:
	@rm -rf build
