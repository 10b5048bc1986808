# A thin front to CMake. `make run` and `make test` are all that a fresh machine needs: they install what is missing
# (packages.txt), build, and go.

JOBS := $(shell nproc 2>/dev/null || echo 2)

.PHONY: help setup build run test bench asan test-full format tidy install docs clean

help:
	@echo "make run        set up, build, run the main example and say where to look"
	@echo "make test       set up, build, run all tests"
	@echo "make build      build/klingel, the release build"
	@echo "make bench      measure speed against ourselves and what is installed"
	@echo "make asan       tests under address and undefined-behaviour sanitizers"
	@echo "make test-full  all of that, a second compiler, valgrind and minutes of fuzzing"
	@echo "make format     clang-format; make tidy: clang-tidy and the order of folders"
	@echo "make docs       the documents as a site: build/site/index.html"
	@echo "make install    library, headers, program (PREFIX=/usr/local, DESTDIR=)"

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
	@cmake --preset release >/dev/null
	@git ls-files 'src/*.c' | xargs -P $(JOBS) -n 4 clang-tidy -p build --quiet

PREFIX ?= /usr/local
install: build
	@cmake --install build --prefix $(PREFIX)

docs:
	@docs/build build/site

clean:
	@rm -rf build
