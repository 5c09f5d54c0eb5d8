//go:build validators

package main

import (
	"release/parser"
	"release/xpkg"
)

// From v2.2 on a validator says what is not installed, and the linter warns.
var blocking = map[string]parser.Linter{
	"Provider":      xpkg.NewProviderValidator(),
	"Configuration": xpkg.NewConfigurationValidator(),
	"Function":      xpkg.NewFunctionValidator(),
}
