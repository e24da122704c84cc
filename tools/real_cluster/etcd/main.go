// Command etcd is the server of the go.etcd.io/etcd module, built as it is.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() {
	etcdmain.Main(os.Args)
}
