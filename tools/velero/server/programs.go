//go:build programs

// Package programs names what the build needs, so that go.mod and go.sum hold it.
package programs

import _ "github.com/vmware-tanzu/velero/cmd/velero"
