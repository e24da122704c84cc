// Command go_types prints every kind that a Kubernetes server can read, also in versions that it does not serve:
// a body of such a kind is refused in other words than one of a kind that nobody knows.
//
// Write the table anew:
//
//	cd tools/go_types && go run . > ../../src/kedge/apiserver/kinds/registered.json
//
// The output is one JSON object, a line for each group and version: "apps/v1beta1": ["Deployment", …]. The kinds
// under "*" are those of every version of every group.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	apiregistrationv1beta1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1beta1"
)

var shared = reflect.TypeFor[metav1.ObjectMeta]().PkgPath()

func main() {
	for _, register := range []func(*runtime.Scheme) error{
		apiextensionsv1.AddToScheme, apiextensionsv1beta1.AddToScheme,
		apiregistrationv1.AddToScheme, apiregistrationv1beta1.AddToScheme,
	} {
		if err := register(scheme.Scheme); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	kinds := map[string][]string{}
	for gvk, goType := range scheme.Scheme.AllKnownTypes() {
		key := gvk.GroupVersion().String()
		if goType.PkgPath() == shared {
			key = "*"
		}
		if !slices.Contains(kinds[key], gvk.Kind) && gvk.Version != runtime.APIVersionInternal {
			kinds[key] = append(kinds[key], gvk.Kind)
		}
	}
	versions := slices.Sorted(maps.Keys(kinds))
	lines := make([]string, len(versions))
	for i, version := range versions {
		slices.Sort(kinds[version])
		names, err := json.Marshal(kinds[version])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		lines[i] = fmt.Sprintf("%q:%s", version, names)
	}
	fmt.Printf("{\n%s\n}\n", strings.Join(lines, ",\n"))
}
