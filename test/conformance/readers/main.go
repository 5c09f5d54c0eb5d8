// Reads layers, package.yaml streams, images and JSON documents of registries with the libraries
// that Crossplane reads them with.
//
//	readers layer|yaml|image|json <inputs >answers
//
// An input is four bytes of length, big endian, and that many bytes; an answer is a line of JSON.
package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"unicode"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	apiyaml "k8s.io/apimachinery/pkg/util/yaml"
	strictjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

func main() {
	read := map[string]func([]byte) any{
		"layer": readLayer, "yaml": readYAML, "image": readImage, "json": readJSON,
	}[os.Args[1]]
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
			err = lines.Encode(read(input))
		}
		if err != nil {
			panic(err)
		}
	}
}

// File is an entry of a tar. Go writes bytes as base64.
type File struct {
	Name   []byte `json:"name"`
	Size   int64  `json:"size"`
	Sha256 []byte `json:"sha256"`
}

type Layer struct {
	Files []File `json:"files"`
	Error string `json:"error,omitempty"`
}

func readLayer(packed []byte) any {
	read := Layer{Files: []File{}}
	layer, err := partial.CompressedToLayer(blob(packed))
	if err != nil {
		read.Error = err.Error()
		return read
	}
	unpacked, err := layer.Uncompressed()
	if err != nil {
		read.Error = err.Error()
		return read
	}
	files := tar.NewReader(unpacked)
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return read
		}
		sum := sha256.New()
		var size int64
		if err == nil {
			size, err = io.Copy(sum, files)
		}
		if err != nil {
			read.Error = err.Error()
			return read
		}
		read.Files = append(read.Files, File{[]byte(header.Name), size, sum.Sum(nil)})
	}
}

// blob is a layer as a registry sends it.
type blob []byte

func (b blob) Digest() (v1.Hash, error)            { h, _, err := v1.SHA256(bytes.NewReader(b)); return h, err }
func (b blob) Compressed() (io.ReadCloser, error)  { return io.NopCloser(bytes.NewReader(b)), nil }
func (b blob) Size() (int64, error)                { return int64(len(b)), nil }
func (b blob) MediaType() (types.MediaType, error) { return types.OCILayer, nil }

type Document struct {
	// Value is the document as JSON.
	Value json.RawMessage `json:"value,omitempty"`
	// Of what the decoder of Kubernetes objects reads.
	Group    string          `json:"group"`
	Version  string          `json:"version"`
	Kind     string          `json:"kind"`
	Metadata json.RawMessage `json:"metadata,omitempty"`
}

type Stream struct {
	Documents []Document `json:"documents"`
	Error     string     `json:"error,omitempty"`
}

func readYAML(text []byte) any {
	read := Stream{Documents: []Document{}}
	documents := apiyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return read
		}
		if err != nil {
			read.Error = err.Error()
			return read
		}
		if isEmpty(document) {
			continue
		}
		decoded, err := decode(document)
		if err != nil {
			read.Error = err.Error()
			return read
		}
		read.Documents = append(read.Documents, decoded)
	}
}

// isEmpty tells which documents Crossplane passes over without decoding them.
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

// decode goes as far as the types that all objects have in common.
func decode(document []byte) (Document, error) {
	value, err := yaml.YAMLToJSON(document)
	if err != nil {
		return Document{}, err
	}
	kind, err := serializer.DefaultMetaFactory.Interpret(value)
	if err != nil {
		return Document{}, err
	}
	if kind.Kind == "" || kind.Version == "" {
		return Document{}, errors.New("Object 'Kind' or 'apiVersion' is missing")
	}
	var object metav1.PartialObjectMetadata
	if err := strictjson.UnmarshalCaseSensitivePreserveInts(value, &object); err != nil {
		return Document{}, err
	}
	metadata, err := json.Marshal(object.ObjectMeta)
	return Document{value, kind.Group, kind.Version, kind.Kind, metadata}, err
}
