import { describe, expect, test } from 'vitest';
import { mediaTypeProblem, parseManifest } from '../../../src/oci/image/manifest.js';
import { sha256 } from '../../../src/base/digest.js';
import { OCI_INDEX, OCI_MANIFEST } from '../../support/registry/image.js';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const OTHER = `sha256:${'b'.repeat(64)}`;
const GOOD = `{"digest":"${DIGEST}","size":1}`;
const EVIL = `{"digest":"${OTHER}","size":1}`;
const DOCKER_LIST = 'application/vnd.docker.distribution.manifest.list.v2+json';

function parse(json: string) {
  const bytes = Buffer.from(json);
  return parseManifest({ bytes, digest: sha256(bytes) }, 'x');
}

test('images and indexes are parsed', () => {
  const image = parse(`{"schemaVersion":2,"config":${GOOD},"layers":[${GOOD}],"annotations":null}`);
  expect(image).toMatchObject({ kind: 'image', layers: [{ digest: DIGEST, size: 1 }] });
  const index = parse(`{"schemaVersion":2,"mediaType":"${OCI_INDEX}","manifests":[${GOOD}]}`);
  expect(index).toMatchObject({ kind: 'index', children: [{ digest: DIGEST }] });
});

describe('a manifest that Go rejects or reads differently is rejected', () => {
  const image = (layer: string, more = '') => `{"config":${GOOD},"layers":[${layer}]${more}}`;
  const layer = (more: string) => image(`{"digest":"${DIGEST}","size":1,${more}}`);
  test.each([
    image(GOOD, `,"Layers":[${EVIL}]`),
    image(GOOD, `,"layers":[${EVIL}]`),
    image(GOOD, `,"layer\u017f":[${EVIL}]`),
    `{"manifests":[${GOOD}],"Manifests":[${EVIL}]}`,
    layer(`"Digest":"${OTHER}"`),
    layer('"annotations":{"a":"b"},"Annotations":{"io.crossplane.xpkg":"base"}'),
    layer('"annotations":{"a":"b"},"annotations":{"io.crossplane.xpkg":"base"}'),
    `{"manifests":[{"digest":"${DIGEST}","size":1,"platform":{"os":"linux","OS":"x"}}]}`,
    `{"manifests":[{"digest":"${DIGEST}","size":1,"platform":{"Architecture":"amd64"}}]}`,
    `{"manifests":[{"digest":"${DIGEST}","size":1,"platform":[]}]}`,
    image(`{"digest":"${DIGEST}","size":1.0}`),
    image(GOOD, ',"schemaVersion":"2"'),
    image(GOOD, ',"annotations":[]'),
    image(GOOD, ',"mediaType":7'),
    image(GOOD, ',"subject":{"digest":"sha512:00"}'),
    layer('"urls":"http://x"'),
    layer('"data":"AAAA"'),
    layer('"data":""'),
    image(`${GOOD},{"digest":"${DIGEST}","size":2}`),
    image(GOOD, `,"manifests":[${GOOD}]`),
    image(GOOD, `,"mediaType":"${OCI_INDEX}"`),
    `{"mediaType":"${OCI_MANIFEST}","manifests":[${GOOD}]}`,
    `${image(GOOD)}{}`,
  ])('%s', (json) => {
    expect(() => parse(json)).toThrow(expect.objectContaining({ code: 'BAD_IMAGE' }));
  });
});

describe('the media type of a response', () => {
  const index = Buffer.from('{"manifests":[]}');
  const image = Buffer.from('{"layers":[]}');
  const typed = Buffer.from(`{"layers":[],"mediaType":"${OCI_MANIFEST}"}`);
  test.each([
    { bytes: index, type: OCI_INDEX },
    { bytes: index, type: DOCKER_LIST },
    { bytes: image, type: OCI_MANIFEST },
    { bytes: image, type: 'application/octet-stream' },
    { bytes: image, type: '' },
    { bytes: typed, type: OCI_MANIFEST },
    { bytes: typed, type: 'application/json' },
  ])('agrees: $type', ({ bytes, type }) => {
    expect(mediaTypeProblem({ bytes }, type)).toBeUndefined();
  });

  test.each([
    { bytes: index, type: '' },
    { bytes: index, type: 'application/json' },
    { bytes: index, type: `${OCI_INDEX}; charset=utf-8` },
    { bytes: index, type: OCI_MANIFEST },
    { bytes: image, type: OCI_INDEX },
    { bytes: image, type: DOCKER_LIST },
    { bytes: image, type: 'application/vnd.docker.distribution.manifest.v1+prettyjws' },
    { bytes: typed, type: 'application/vnd.docker.distribution.manifest.v2+json' },
  ])('disagrees: $type', ({ bytes, type }) => {
    expect(mediaTypeProblem({ bytes }, type)).toBeTypeOf('string');
  });
});
