package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/logs"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

func init() { logs.Warn = log.New(io.Discard, "", 0) }

// Served is what a registry holds. Go reads bytes from base64.
type Served struct {
	// ContentType is the type with which the first manifest is served.
	ContentType string `json:"contentType"`
	// Manifests are served by digest, and the first also as the tag `v1`.
	Manifests [][]byte `json:"manifests"`
	Blobs     [][]byte `json:"blobs"`
	// Tags and Link are the body and the header of the first page of the tag list.
	Tags []byte `json:"tags"`
	Link string `json:"link"`

	pages int
}

// RoundTrip answers as a registry does.
func (s *Served) RoundTrip(request *http.Request) (*http.Response, error) {
	header := http.Header{}
	body, status := s.find(request.URL.Path, header)
	return &http.Response{
		StatusCode: status, Header: header, Request: request, ContentLength: int64(len(body)),
		Body: io.NopCloser(bytes.NewReader(body)),
	}, nil
}

func (s *Served) find(path string, header http.Header) ([]byte, int) {
	if path == "/v2/" {
		return nil, http.StatusOK
	}
	if strings.HasSuffix(path, "/tags/list") {
		s.pages++
		if s.pages > 1 {
			return []byte(`{"tags":["last"]}`), http.StatusOK
		}
		if s.Link != "" {
			header.Set("Link", s.Link)
		}
		return s.Tags, http.StatusOK
	}
	wanted := path[strings.LastIndex(path, "/")+1:]
	for i, held := range append(append([][]byte{}, s.Manifests...), s.Blobs...) {
		digest, _, _ := v1.SHA256(bytes.NewReader(held))
		if digest.String() == wanted || (i == 0 && wanted == "v1") {
			if i == 0 && s.ContentType != "" {
				header.Set("Content-Type", s.ContentType)
			}
			return held, http.StatusOK
		}
	}
	return nil, http.StatusNotFound
}

// Package is what Crossplane v2.2 and later would install.
type Package struct {
	// Layers hold package.yaml: the first base layer or, if there is none, all layers.
	Layers []string `json:"layers"`
	IsBase bool     `json:"isBase"`
	Error  string   `json:"error,omitempty"`
}

func readImage(input []byte) any {
	layers, isBase, err := packageLayers(input)
	if err != nil {
		return Package{Layers: []string{}, Error: err.Error()}
	}
	return Package{Layers: layers, IsBase: isBase}
}

func packageLayers(input []byte) ([]string, bool, error) {
	served := &Served{}
	if err := json.Unmarshal(input, served); err != nil {
		panic(err)
	}
	ref, err := name.ParseReference("registry.example.test/acme/p:v1", name.StrictValidation)
	if err != nil {
		panic(err)
	}
	image, err := remote.Image(ref, remote.WithTransport(served))
	if err != nil {
		return nil, false, err
	}
	manifest, err := image.Manifest()
	if err != nil {
		return nil, false, err
	}
	for _, descriptor := range manifest.Layers {
		if descriptor.Annotations["io.crossplane.xpkg"] == "base" {
			layer, err := image.LayerByDigest(descriptor.Digest)
			if err != nil {
				return nil, false, err
			}
			content, err := contentOf(layer)
			return []string{content}, true, err
		}
	}
	layers, err := image.Layers()
	if err != nil {
		return nil, false, err
	}
	contents := []string{}
	for _, layer := range layers {
		content, err := contentOf(layer)
		if err != nil {
			return nil, false, err
		}
		contents = append(contents, content)
	}
	if len(contents) == 0 {
		err = fmt.Errorf("package.yaml not found in package")
	}
	return contents, false, err
}

// contentOf reads a layer to its end, where its digest and size are checked.
func contentOf(layer v1.Layer) (string, error) {
	content, err := layer.Compressed()
	if err != nil {
		return "", err
	}
	defer content.Close()
	digest, _, err := v1.SHA256(content)
	return digest.String(), err
}

// JSONDocument is a JSON document of a known kind.
type JSONDocument struct {
	Kind string `json:"kind"`
	Text []byte `json:"text"`
}

// Values are the values of a document that decide what is installed, by name.
type Values struct {
	Values map[string]any `json:"values,omitempty"`
	Error  string         `json:"error,omitempty"`
}

func readJSON(input []byte) any {
	var document JSONDocument
	if err := json.Unmarshal(input, &document); err != nil {
		panic(err)
	}
	values, err := valuesOf(document)
	if err != nil {
		return Values{Error: err.Error()}
	}
	return Values{Values: values}
}

func valuesOf(document JSONDocument) (map[string]any, error) {
	switch document.Kind {
	case "config":
		config, err := v1.ParseConfigFile(bytes.NewReader(document.Text))
		if err != nil {
			return nil, err
		}
		diffIDs := []string{}
		for _, diffID := range config.RootFS.DiffIDs {
			diffIDs = append(diffIDs, diffID.String())
		}
		labels := map[string]string{}
		for key, value := range config.Config.Labels {
			labels[key] = value
		}
		return map[string]any{
			"os": config.OS, "architecture": config.Architecture, "diffIds": diffIDs, "labels": labels,
		}, nil
	case "tags":
		served := &Served{}
		if err := json.Unmarshal(document.Text, served); err != nil {
			panic(err)
		}
		repository, err := name.NewRepository("registry.example.test/acme/p", name.StrictValidation)
		if err != nil {
			panic(err)
		}
		return listedTags(repository, served)
	case "token":
		var token transport.Token
		err := json.Unmarshal(document.Text, &token)
		value := token.Token
		if value == "" {
			value = token.AccessToken
		}
		return map[string]any{"token": value}, err
	case "auths":
		var config struct {
			Auths map[string]authn.AuthConfig `json:"auths"`
		}
		err := json.Unmarshal(document.Text, &config)
		auth := config.Auths["registry.example.test"]
		return map[string]any{
			"username": auth.Username, "password": auth.Password,
			"identitytoken": auth.IdentityToken, "registrytoken": auth.RegistryToken,
		}, err
	}
	panic(document.Kind)
}

// listedTags returns the tags of all pages.
func listedTags(repository name.Repository, served *Served) (map[string]any, error) {
	tags, err := remote.List(repository, remote.WithTransport(served))
	if tags == nil {
		tags = []string{}
	}
	return map[string]any{"tags": tags}, err
}
