# For the tests of the page: find_browser sets $browser, or ends with what is to be installed.
need() {
    echo "the test of the report page needs $1; install it (Debian: $2), or let ./run test do it"
    exit 1
}

find_browser() {
    local name
    command -v node >/dev/null || need node nodejs
    browser=
    for name in chromium chromium-browser google-chrome; do
        browser=${browser:-$(command -v $name)}
    done
    [ -n "$browser" ] || need "a chromium in PATH" chromium
}
