#!/bin/sh
# Prints a checksum of everything in the working tree that git does not ignore.
set -eu
cd "$(dirname "$0")/.."
git ls-files -z --cached --others --exclude-standard | xargs -0 sha256sum 2>/dev/null | sha256sum
