// Command proto_types prints how the built-in kinds are written as protobuf: the number of each field, as the tags of
// the Go types have it.
//
// Write the table anew:
//
//	cd tools/proto_types && go run . ../../src/kedge/apiserver/kinds/builtin.json \
//	  > ../../src/kedge/apiserver/protobuf/fields.json
//
// The argument is the table of built-in kinds, whose types and names of types are used here again. The output:
//
//	numbers  type -> JSON name -> "2": field 2; "2.1": field 1 of the message in field 2, whose fields are the
//	         type's own in JSON; "4*": a list that is a message of its own, its elements in field 1; "5 UID":
//	         Go's name of the field, where it is not the JSON name with a capital letter
//	within   type -> number of a message whose fields are the type's own in JSON, e.g. "2" or "2.1" -> its Go name
//	types    types that the table of built-in kinds does not have, as it would have them
//	kinds    "apiVersion/Kind" -> type, where the table of built-in kinds does not have it
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	discovery "k8s.io/api/apidiscovery/v2"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1beta1 "k8s.io/apimachinery/pkg/apis/meta/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// more are the kinds that OpenAPI does not tell of and a server answers with.
var more = map[string]any{
	"meta.k8s.io/v1/PartialObjectMetadata":          meta.PartialObjectMetadata{},
	"meta.k8s.io/v1/PartialObjectMetadataList":      meta.PartialObjectMetadataList{},
	"meta.k8s.io/v1beta1/PartialObjectMetadata":     meta.PartialObjectMetadata{},
	"meta.k8s.io/v1beta1/PartialObjectMetadataList": metav1beta1.PartialObjectMetadataList{},
	"v1/APIVersions":  meta.APIVersions{},
	"v1/APIGroup":     meta.APIGroup{},
	"v1/APIGroupList": meta.APIGroupList{},
	"apidiscovery.k8s.io/v2/APIGroupDiscoveryList": discovery.APIGroupDiscoveryList{},
}

// node is what a value may be, as the table of built-in kinds has it.
type node struct {
	Name    string `json:"name,omitempty"`
	Type    string `json:"type"`
	Format  string `json:"format,omitempty"`
	Ref     string `json:"ref,omitempty"`
	Items   *node  `json:"items,omitempty"`
	Pointer bool   `json:"pointer,omitempty"`
}

type object struct {
	Fields []node `json:"fields"`
}

type table struct {
	known   map[string]json.RawMessage
	seen    map[reflect.Type]bool
	Numbers map[string]map[string]string `json:"numbers"`
	Within  map[string]map[string]string `json:"within"`
	Types   map[string]object            `json:"types"`
	Kinds   map[string]string            `json:"kinds"`
}

// component names a type as OpenAPI does: k8s.io/api/core/v1.Pod is io.k8s.api.core.v1.Pod.
func component(t reflect.Type) string {
	host, path, _ := strings.Cut(t.PkgPath(), "/")
	labels := strings.Split(host, ".")
	slices.Reverse(labels)
	return strings.Join(labels, ".") + "." + strings.ReplaceAll(path, "/", ".") + "." + t.Name()
}

// isMessage tells whether a type has a form of its own on the wire.
func isMessage(t reflect.Type) bool {
	_, found := reflect.PointerTo(t).MethodByName("MarshalToSizedBuffer")
	return found
}

func (w *table) walk(t reflect.Type, always bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		w.walk(t.Elem(), always)
	case reflect.Struct:
		if w.seen[t] || !isMessage(t) {
			return
		}
		name := component(t)
		raw, found := w.known[name]
		if found && !strings.Contains(string(raw), `"fields"`) || !found && !always {
			return
		}
		w.seen[t] = true
		w.Numbers[name] = map[string]string{}
		w.fields(t, name, "", !found)
	}
}

// fields notes the fields of a type, and those of the structs within that are its own in JSON.
func (w *table) fields(t reflect.Type, name, path string, isNew bool) {
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		number := numberOf(f)
		if number == "" {
			continue
		}
		at := strings.TrimPrefix(path+"."+number, ".")
		label, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if label == "" {
			if w.Within[name] == nil {
				w.Within[name] = map[string]string{}
			}
			w.Within[name][at] = f.Type.Name()
			w.fields(f.Type, name, at, isNew)
			continue
		}
		if f.Type.Kind() == reflect.Slice && isMessage(f.Type) || f.Type.Kind() == reflect.Map && isMessage(f.Type.Elem()) && f.Type.Elem().Kind() == reflect.Slice {
			at += "*"
		}
		if f.Name != strings.ToUpper(label[:1])+label[1:] {
			at += " " + f.Name
		}
		w.Numbers[name][label] = at
		if isNew {
			of := w.Types[name]
			of.Fields = append(of.Fields, describe(label, f.Type))
			w.Types[name] = of
		}
		w.walk(f.Type, isNew)
	}
}

func numberOf(f reflect.StructField) string {
	parts := strings.Split(f.Tag.Get("protobuf"), ",")
	if len(parts) < 2 {
		return ""
	}
	return parts[1]
}

func describe(name string, t reflect.Type) node {
	n := node{Name: name}
	if t.Kind() == reflect.Pointer {
		n.Pointer = true
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String:
		n.Type = "string"
	case reflect.Bool:
		n.Type = "boolean"
	case reflect.Int32, reflect.Int64:
		n.Type, n.Format = "integer", t.Kind().String()
	case reflect.Struct:
		n.Type, n.Ref = "ref", component(t)
	case reflect.Slice, reflect.Map:
		n.Type = map[reflect.Kind]string{reflect.Slice: "array", reflect.Map: "map"}[t.Kind()]
		items := describe("", t.Elem())
		n.Items = &items
	default:
		panic(fmt.Sprintf("field %s has the type %s", name, t))
	}
	return n
}

func lines[V any](rows map[string]V) string {
	found := []string{}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		value, err := json.Marshal(rows[name])
		check(err)
		found = append(found, fmt.Sprintf("%q:%s", name, value))
	}
	return strings.Join(found, ",\n")
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	data, err := os.ReadFile(os.Args[1])
	check(err)
	read := struct {
		Types map[string]json.RawMessage
	}{}
	check(json.Unmarshal(data, &read))
	for _, register := range []func(*runtime.Scheme) error{apiextensions.AddToScheme, apiregistration.AddToScheme} {
		check(register(scheme.Scheme))
	}
	w := table{
		known: read.Types, seen: map[reflect.Type]bool{}, Types: map[string]object{}, Kinds: map[string]string{},
		Numbers: map[string]map[string]string{}, Within: map[string]map[string]string{},
	}
	for _, t := range scheme.Scheme.AllKnownTypes() {
		w.walk(t, false)
	}
	for kind, value := range more {
		t := reflect.TypeOf(value)
		w.walk(t, true)
		w.Kinds[kind] = component(t)
	}
	fmt.Printf("{\n\"numbers\":{\n%s\n},\n\"within\":{\n%s\n},\n\"types\":{\n%s\n},\n\"kinds\":{\n%s\n}\n}\n",
		lines(w.Numbers), lines(w.Within), lines(w.Types), lines(w.Kinds))
}
