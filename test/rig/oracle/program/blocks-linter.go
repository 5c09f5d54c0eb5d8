//go:build !validators

package main

// Before v2.2 what the linter refuses is not installed.
var blocking = linters
