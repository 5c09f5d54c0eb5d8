// Says what a release of Crossplane makes of package.yaml streams and of version constraints.
//
//	oracle package|semver <inputs >answers
//
// An input is four bytes of length, big endian, and that many bytes; an answer is a line of JSON.
// The imports below "release" stand for packages of the release: build.sh says which.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	apiyaml "k8s.io/apimachinery/pkg/util/yaml"
	strictjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	functionmeta "release/functionmeta"
	"release/parser"
	pkgmeta "release/pkgmeta"
	semver "release/semver"
	"release/version"
	"release/xpkg"
)

func main() {
	answer := map[string]func([]byte) any{"package": readPackage, "semver": readConstraint}[os.Args[1]]
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	lines := json.NewEncoder(out)
	for {
		var size uint32
		err := binary.Read(in, binary.BigEndian, &size)
		if errors.Is(err, io.EOF) {
			return
		}
		input := make([]byte, size)
		if err == nil {
			_, err = io.ReadFull(in, input)
		}
		if err == nil {
			err = lines.Encode(answer(input))
		}
		if err != nil {
			panic(err)
		}
	}
}

// Package is what the parser and the linters make of a stream. Errors are texts, empty where there is none.
type Package struct {
	Parse string `json:"parse,omitempty"`
	// Refused is the document at which parsing stopped, if it got so far that its types were decoded.
	Refused *Refused `json:"refused,omitempty"`
	Metas   []Type   `json:"metas,omitempty"`
	Objects []Object `json:"objects,omitempty"`
	// Lint and Install are by kind of package: what the linter says, and what stops an installation.
	Lint    map[string]string `json:"lint,omitempty"`
	Install map[string]string `json:"install,omitempty"`
	Meta    *Meta             `json:"meta,omitempty"`
}

type Type struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// Refused tells a document whose metadata was decoded, and something else was not.
type Refused struct {
	Type
	Meta bool `json:"meta"`
}

type Object struct {
	Type
	Name string `json:"name"`
	// Spec has those fields that say what a definition defines.
	Spec *Spec `json:"spec,omitempty"`
	// Established: the establisher asserts that an object has metadata of its own, which lists have not.
	Established bool `json:"established"`
	// Allowed are the kinds of package whose linter takes it.
	Allowed []string `json:"allowed"`
}

type Spec struct {
	Group      string    `json:"group,omitempty"`
	Names      *Names    `json:"names,omitempty"`
	ClaimNames *Names    `json:"claimNames,omitempty"`
	Version    string    `json:"version,omitempty"`
	Versions   []Version `json:"versions,omitempty"`
}

type Names struct {
	Kind       string   `json:"kind,omitempty"`
	Plural     string   `json:"plural,omitempty"`
	ShortNames []string `json:"shortNames,omitempty"`
}

type Version struct {
	Name string `json:"name"`
}

type Meta struct {
	Name        string            `json:"name"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	Crossplane  *string           `json:"crossplane,omitempty"`
	// Incompatible says why this release is not one that the package takes.
	Incompatible string       `json:"incompatible,omitempty"`
	DependsOn    []Dependency `json:"dependsOn,omitempty"`
}

type Dependency struct {
	// Entry is the entry as the release's type holds it.
	Entry json.RawMessage `json:"entry"`
	// Constraint says why its version is no constraint.
	Constraint string `json:"constraint,omitempty"`
}

var (
	metaScheme = must(xpkg.BuildMetaScheme())
	objScheme  = must(xpkg.BuildObjectScheme())
	packages   = parser.New(metaScheme, objScheme)
	kinds      = []string{"Provider", "Configuration", "Function"}
	linters    = map[string]parser.Linter{
		"Provider":      xpkg.NewProviderLinter(),
		"Configuration": xpkg.NewConfigurationLinter(),
		"Function":      xpkg.NewFunctionLinter(),
	}
)

func readPackage(stream []byte) any {
	pkg, err := packages.Parse(context.Background(), io.NopCloser(bytes.NewReader(stream)))
	if err != nil {
		return Package{Parse: err.Error(), Refused: refusedAt(stream, len(pkg.GetMeta())+len(pkg.GetObjects()))}
	}
	read := Package{Lint: map[string]string{}, Install: map[string]string{}}
	for _, kind := range kinds {
		read.Lint[kind] = textOf(linters[kind].Lint(pkg))
		read.Install[kind] = textOf(blocking[kind].Lint(pkg))
	}
	for _, m := range pkg.GetMeta() {
		read.Metas = append(read.Metas, typeOf(m))
	}
	for _, o := range pkg.GetObjects() {
		read.Objects = append(read.Objects, objectOf(o, pkg.GetMeta()))
	}
	if len(pkg.GetMeta()) == 1 {
		read.Meta = metaOf(pkg.GetMeta()[0])
	}
	return read
}

func typeOf(o runtime.Object) Type {
	apiVersion, kind := o.GetObjectKind().GroupVersionKind().ToAPIVersionAndKind()
	return Type{apiVersion, kind}
}

// one is a package of one object.
type one struct{ meta, objects []runtime.Object }

func (p one) GetMeta() []runtime.Object    { return p.meta }
func (p one) GetObjects() []runtime.Object { return p.objects }

func objectOf(o runtime.Object, meta []runtime.Object) Object {
	read := Object{Type: typeOf(o), Allowed: []string{}}
	if named, ok := o.(metav1.Object); ok {
		read.Established = true
		read.Name = named.GetName()
	}
	for _, kind := range kinds {
		alone, with := linters[kind].Lint(one{meta: meta}), linters[kind].Lint(one{meta, []runtime.Object{o}})
		if textOf(alone) == textOf(with) {
			read.Allowed = append(read.Allowed, kind)
		}
	}
	if strings.HasSuffix(read.Kind, "Definition") {
		// The types of a release are several, and have these fields in common.
		var written struct {
			Spec Spec `json:"spec"`
		}
		try(json.Unmarshal(must(json.Marshal(o)), &written))
		read.Spec = &written.Spec
	}
	return read
}

func metaOf(o runtime.Object) *Meta {
	pkg, ok := xpkg.TryConvertToPkg(o, &pkgmeta.Provider{}, &pkgmeta.Configuration{}, &functionmeta.Function{})
	named, isObject := pkg.(metav1.Object)
	if !ok || !isObject {
		return nil
	}
	read := Meta{Name: named.GetName(), Labels: named.GetLabels(), Annotations: named.GetAnnotations()}
	if constraints := pkg.GetCrossplaneConstraints(); constraints != nil {
		read.Crossplane = &constraints.Version
	}
	read.Incompatible = textOf(xpkg.PackageCrossplaneCompatible(version.New())(o))
	for _, dep := range pkg.GetDependencies() {
		_, err := semver.NewConstraint(dep.Version)
		read.DependsOn = append(read.DependsOn, Dependency{must(json.Marshal(dep)), textOf(err)})
	}
	return &read
}

// refusedAt looks at the document that comes after some that were parsed.
func refusedAt(stream []byte, parsed int) *Refused {
	documents := apiyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(stream)))
	for {
		document, err := documents.Read()
		if err != nil {
			return nil
		}
		if isEmpty(document) {
			continue
		}
		if parsed == 0 {
			return partlyDecoded(document)
		}
		parsed--
	}
}

// isEmpty tells which documents the parser passes over without decoding them.
func isEmpty(document []byte) bool {
	for _, line := range strings.Split(string(document), "\n") {
		switch rest := strings.TrimLeftFunc(line, unicode.IsSpace); {
		case rest == "", rest == "---", rest == "...", strings.HasPrefix(rest, "#"):
		default:
			return false
		}
	}
	return true
}

func partlyDecoded(document []byte) *Refused {
	value, err := yaml.YAMLToJSON(document)
	if err != nil {
		return nil
	}
	kind, err := serializer.DefaultMetaFactory.Interpret(value)
	if err != nil {
		return nil
	}
	var object metav1.PartialObjectMetadata
	if strictjson.UnmarshalCaseSensitivePreserveInts(value, &object) != nil {
		return nil
	}
	isMeta := metaScheme.Recognizes(*kind)
	if !isMeta && !objScheme.Recognizes(*kind) {
		return nil
	}
	apiVersion, name := kind.ToAPIVersionAndKind()
	return &Refused{Type{apiVersion, name}, isMeta}
}

// Question is a constraint and versions to hold it against.
type Question struct {
	Constraint string   `json:"constraint"`
	Versions   []string `json:"versions"`
}

type Verdict struct {
	Error string `json:"error,omitempty"`
	// Admits has a character for each version: 1 yes, 0 no, x not a version.
	Admits string `json:"admits"`
}

func readConstraint(input []byte) any {
	var question Question
	try(json.Unmarshal(input, &question))
	constraint, err := semver.NewConstraint(question.Constraint)
	verdict := Verdict{Error: textOf(err)}
	for _, text := range question.Versions {
		version, invalid := semver.NewVersion(text)
		switch {
		case invalid != nil:
			verdict.Admits += "x"
		case err == nil && constraint.Check(version):
			verdict.Admits += "1"
		default:
			verdict.Admits += "0"
		}
	}
	return verdict
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func try(err error) {
	if err != nil {
		panic(err)
	}
}

func must[T any](value T, err error) T {
	try(err)
	return value
}
