// Command kubelet stands in for a node's agent: it serves what an API server asks of one for
// `exec` and `log`, with the kubelet's own streaming code. A container is nothing but this
// machine: commands run here, and logs are files in the format of container runtimes, named
// NAMESPACE_POD_CONTAINER.log and, for the run before, NAMESPACE_POD_CONTAINER.previous.log.
package main

import (
	"crypto/tls"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"

	certutil "k8s.io/client-go/util/cert"
)

// version is set by the build.
var version = "unknown"

func main() {
	logs := flag.String("logs", ".", "folder of the logs")
	ready := flag.String("ready", "", "file to write the port to")
	tell := flag.Bool("version", false, "print the version")
	flag.Parse()
	if *tell {
		fmt.Println(version)
		return
	}
	if err := serve(*logs, *ready); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve listens on a free port of loopback; the API server of a test checks no certificate.
func serve(logs, ready string) error {
	address := net.ParseIP("127.0.0.1")
	certificate, key, err := certutil.GenerateSelfSignedCertKey("localhost", []net.IP{address}, nil)
	if err != nil {
		return err
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return err
	}
	// HTTP/1.1 only, which is what can be upgraded.
	config := &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"http/1.1"}}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		return err
	}
	port := listener.Addr().(*net.TCPAddr).Port
	if err := os.WriteFile(ready+".part", []byte(fmt.Sprint(port)), 0o600); err != nil {
		return err
	}
	if err := os.Rename(ready+".part", ready); err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/exec/{namespace}/{pod}/{container}", exec)
	mux.Handle("/containerLogs/{namespace}/{pod}/{container}", logReader{logs})
	return http.Serve(listener, mux)
}
