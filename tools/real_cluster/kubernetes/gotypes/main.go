// Command gotypes lists the Go types behind the API's kinds: what OpenAPI does not say and yet
// shows in answers. That is the order of fields, the type that an error message names, and
// whether an empty value is left out. One JSON object on standard output: type name to fields in
// the order of the Go struct, or null for a type that reads its own JSON.
package main

import (
	"encoding"
	"encoding/json"
	"os"
	"reflect"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

type field struct {
	Name    string `json:"name"`
	Go      string `json:"go"`
	Pointer bool   `json:"pointer,omitempty"`
	Omit    string `json:"omit,omitempty"`
}

type walker struct {
	types map[string][]field
	seen  map[reflect.Type]bool
}

// component names a type as OpenAPI does: k8s.io/api/core/v1.Pod is io.k8s.api.core.v1.Pod.
func component(t reflect.Type) string {
	host, path, _ := strings.Cut(t.PkgPath(), "/")
	labels := strings.Split(host, ".")
	for i, j := 0, len(labels)-1; i < j; i, j = i+1, j-1 {
		labels[i], labels[j] = labels[j], labels[i]
	}
	return strings.Join(labels, ".") + "." + strings.ReplaceAll(path, "/", ".") + "." + t.Name()
}

func readsItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Unmarshaler]()) ||
		p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

func (w *walker) walk(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		w.walk(t.Elem())
	case reflect.Struct:
		if w.seen[t] || t.PkgPath() == "time" {
			return
		}
		w.seen[t] = true
		if readsItself(t) {
			w.types[component(t)] = nil
			return
		}
		w.types[component(t)] = w.fields(t)
	}
}

func (w *walker) fields(t reflect.Type) []field {
	found := []field{}
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() {
			continue
		}
		if name == "" && f.Anonymous {
			within := f.Type
			if within.Kind() == reflect.Pointer {
				within = within.Elem()
			}
			found = append(found, w.fields(within)...)
			continue
		}
		found = append(found, describe(name, options, f.Type))
		w.walk(f.Type)
	}
	return found
}

func describe(name, options string, t reflect.Type) field {
	d := field{Name: name}
	if t.Kind() == reflect.Pointer {
		d.Pointer = true
		t = t.Elem()
	}
	d.Go = t.String()
	for _, option := range strings.Split(options, ",") {
		if option == "omitempty" || option == "omitzero" {
			d.Omit = strings.TrimPrefix(d.Omit+","+option, ",")
		}
	}
	return d
}

func main() {
	for _, add := range []func(*runtime.Scheme) error{
		apiextensions.AddToScheme, apiregistration.AddToScheme,
	} {
		if err := add(scheme.Scheme); err != nil {
			panic(err)
		}
	}
	w := walker{types: map[string][]field{}, seen: map[reflect.Type]bool{}}
	for _, t := range scheme.Scheme.AllKnownTypes() {
		w.walk(t)
	}
	if err := json.NewEncoder(os.Stdout).Encode(w.types); err != nil {
		panic(err)
	}
}
