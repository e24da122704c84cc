//go:build program

// Package promtool names the program that is built, so that go.mod holds all it needs.
package promtool

import _ "github.com/prometheus/prometheus/cmd/promtool"
