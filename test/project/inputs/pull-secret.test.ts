import { expect, test } from 'vitest';
import { readPullSecrets } from '../../../src/project/inputs/secrets.js';

const CONFIG = '{"auths":{"a.io":{"auth":"YTpi"}}}';
const ENCODED = Buffer.from(CONFIG).toString('base64');
const SECRET = `apiVersion: v1
kind: Secret
type: kubernetes.io/dockerconfigjson
metadata: { name: regcred }
data: { .dockerconfigjson: ${ENCODED} }
`;

test.each([
  { why: 'a Secret', text: SECRET, want: [{ name: 'regcred', dockerConfig: CONFIG }] },
  {
    why: 'a Secret in plain text',
    text: SECRET.replace(/^data:.*/m, `stringData: { .dockerconfigjson: '${CONFIG}' }`),
    want: [{ name: 'regcred', dockerConfig: CONFIG }],
  },
  {
    why: 'the older type',
    text: SECRET.replace('.dockerconfigjson:', '.dockercfg:'),
    want: [{ name: 'regcred', dockerConfig: CONFIG }],
  },
  { why: 'a bare config', text: CONFIG, want: [{ name: undefined, dockerConfig: CONFIG }] },
  {
    why: 'a List among other things',
    text: `kind: ConfigMap\n---\nkind: List\nitems:\n- ${JSON.stringify({ kind: 'Secret', metadata: { name: 'x' }, stringData: { '.dockercfg': '{}' } })}\n`,
    want: [{ name: 'x', dockerConfig: '{}' }],
  },
])('$why', ({ text, want }) => {
  expect(readPullSecrets(text, 'x.yaml')).toEqual(want);
});

test.each([
  { why: 'nothing of the kind', text: 'kind: ConfigMap\n', where: /^x\.yaml: / },
  { why: 'not YAML', text: 'a: 1\nb: "s3cret\n', where: /^x\.yaml:\d+: / },
])('$why is an error without secret text', ({ text, where }) => {
  expect(() => readPullSecrets(text, 'x.yaml')).toThrow(where);
  expect(() => readPullSecrets(text, 'x.yaml')).toThrow(/^(?!.*s3cret)/s);
});
