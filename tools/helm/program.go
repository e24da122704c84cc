//go:build program

// Package helm names the program that is built, so that go.mod holds all it needs.
package helm

import _ "helm.sh/helm/v3/cmd/helm"
