// Compares pairs of CustomResourceDefinitions with the library of kubernetes-sigs crdify.
//
//	crdify <pairs >answers
//
// A pair is two documents, each four bytes of length, big endian, and that many bytes of JSON or YAML;
// an answer is a line of JSON, as `crdify -o json` prints it.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/crdify/pkg/config"
	"sigs.k8s.io/crdify/pkg/runner"
	"sigs.k8s.io/yaml"
)

func main() {
	cfg := &config.Config{Conversion: config.ConversionPolicyIgnore}
	must(config.ValidateConfig(cfg))
	compare, err := runner.New(cfg, runner.DefaultRegistry())
	must(err)
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	lines := json.NewEncoder(out)
	for {
		before, ended := read(in)
		if ended {
			return
		}
		after, _ := read(in)
		must(lines.Encode(compare.Run(before, after)))
	}
}

func read(in io.Reader) (*v1.CustomResourceDefinition, bool) {
	var size uint32
	err := binary.Read(in, binary.BigEndian, &size)
	if errors.Is(err, io.EOF) {
		return nil, true
	}
	must(err)
	text := make([]byte, size)
	_, err = io.ReadFull(in, text)
	must(err)
	crd := &v1.CustomResourceDefinition{}
	must(yaml.Unmarshal(text, crd))
	return crd, false
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
