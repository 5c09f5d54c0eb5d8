import { expect, test } from 'vitest';
import { formatLockfile } from '../../../src/project/lockfile/format-lockfile.js';
import { SourceError } from '../../../src/base/errors.js';
import { registrySource } from '../../../src/sources/images/registry-source.js';
import { resolve } from '../../../src/resolver/resolve/resolve.js';
import { recordFigure } from '../../support/figures.js';
import { providerYaml } from '../../support/package-yaml.js';
import { anonymous, withRegistry } from '../../support/registry/client.js';
import {
  cutShort,
  instead,
  redirectTo,
  reset,
  status,
  truncated,
} from '../../support/registry/faults.js';
import { packageImage } from '../../support/registry/image.js';
import { send, type Fault } from '../../support/registry/registry.js';
import { requestFor } from '../../support/requests.js';

const ROOT = 'a/configuration';
const provider = await packageImage(providerYaml('p', 'a.example.org'));

function configurationYaml(host: string): string {
  return `apiVersion: meta.pkg.crossplane.io/v1
kind: Configuration
metadata: { name: c }
spec:
  dependsOn:
    - provider: ${host}/a/provider
      version: ">=v1.0.0"
`;
}

const PAGE = Buffer.from('<html><title>Sign in</title></html>');

/** What a registry or proxy may do to one request. */
const FAULTS: Readonly<Record<string, Fault>> = {
  'an empty answer': instead(''),
  'an empty object': instead('{}'),
  'an empty list': instead('[]'),
  'a web page': instead(PAGE, { 'Content-Type': 'text/html' }),
  'errors, with success': instead('{"errors":[{"code":"DENIED"}]}'),
  'a web page, not found': page(404),
  'a web page, forbidden': page(403),
  'not found with an empty body': status(404),
  unauthorized: status(401),
  gone: status(410),
  'too many requests': status(429),
  'a failure': status(500),
  'a failure behind a gateway': status(502),
  'an unsupported method': status(501),
  'a reset connection': reset,
  'half of it': truncated(PAGE, 10),
  'half of it, as if it were complete': cutShort(Buffer.from('{"tags":["v1.0.0"'), 12),
  'a redirect to a page': redirectTo('/v2/a/page'),
  'a redirect cycle': redirectTo((path) => path),
  'an invalid link': linked('next please'),
  'a link to elsewhere': linked('<https://elsewhere.example.org/v2/>; rel="next"'),
};

function page(code: number): Fault {
  return (_request, response) => {
    send(response, code, PAGE);
    return true;
  };
}

/** Returns a correct tag list with another header. */
function linked(link: string): Fault {
  return (request, response, registry) => {
    response.setHeader('Link', link);
    registry.answer(request, response);
    return true;
  };
}

/** Returns the lockfile or the error, with `fault` at request number `at` and its retries. */
async function outcome(
  fault: Fault | undefined,
  at: number,
): Promise<{ said: string; asked: number }> {
  let said = '';
  let asked = 0;
  const paths: string[] = [];
  const faulty: Fault = (request, response, registry) => {
    if (!paths.includes(request.path)) paths.push(request.path);
    if (fault === undefined || paths.indexOf(request.path) !== at) return false;
    return fault(request, response, registry);
  };
  await withRegistry({ faults: [faulty] }, async ({ registry, client }) => {
    const configuration = await packageImage(configurationYaml(registry.host));
    for (const tag of ['v1.0.0', 'v2.0.0']) registry.push(ROOT, tag, configuration);
    for (const tag of ['v1.0.0', 'v1.1.0']) registry.push('a/provider', tag, provider);
    const source = registrySource({ client, credentials: anonymous });
    const request = requestFor({ [`${registry.host}/${ROOT}`]: '>=v1.0.0' });
    try {
      const answer = await resolve(request, { source, crossplane: 'v2.3.4' });
      said = answer.status === 'solved' ? formatLockfile(answer.lockfile) : answer.status;
      said = said.replaceAll(registry.host, 'HOST').replaceAll(/sha256:[0-9a-f]{64}/g, 'DIGEST');
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      said = 'the source failed';
    }
    asked = paths.length;
  });
  return { said, asked };
}

test.each(Object.entries(FAULTS))(
  'with %s at any request, the result is correct or the source fails',
  async (_, fault) => {
    const { said: right, asked } = await outcome(undefined, 0);
    expect(right).toContain('v2.0.0');
    let failures = 0;
    recordFigure('faults of a registry, each at every request', { tried: asked });
    for (let at = 0; at < asked; at++) {
      const { said } = await outcome(fault, at);
      expect([right, 'the source failed']).toContain(said);
      if (said !== right) failures++;
    }
    expect(failures).toBeGreaterThan(0);
  },
);
