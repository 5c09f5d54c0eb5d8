import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { explainedRefusalText, refusalText } from '../../src/features/resolve/refusal-output.js';
import type { Unsolvable } from '../../src/resolver/resolve/answer.js';
import { resolve } from '../../src/resolver/resolve/resolve.js';
import { openIndex } from '../../src/sources/index/index-source.js';
import { blocksOf } from '../support/readme.js';
import { requestFor } from '../support/requests.js';
import { shared } from './shared.js';

const U = 'xpkg.upbound.io/upbound';
const HOPS = 'ghcr.io/hops-ops';

/** Real roots that conflict, named after the reason. */
const STORIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a-root-contradicts-its-own-dependency': { [`${U}/configuration-aws-eks-castai`]: 'v0.6.0' },
  'two-pins-of-one-configuration': {
    [`${U}/configuration-aws-securitygroup`]: 'v0.4.0',
    [`${U}/platform-ref-aws-cnoe`]: 'v0.4.0',
  },
  'a-pin-two-levels-down': {
    [`${U}/configuration-aws-elasticache`]: 'v0.1.0',
    [`${U}/configuration-dbaas`]: 'v0.6.0',
  },
  'pins-of-a-configuration-below-both-roots': {
    [`${U}/configuration-caas`]: 'v1.0.0',
    [`${U}/configuration-gcp-gke`]: 'v2.0.4',
  },
  'two-pins-of-a-shared-provider': {
    [`${U}/configuration-aws-eks-irsa`]: 'v0.7.0',
    [`${U}/configuration-vault`]: 'v0.1.0',
  },
  'one-provider-from-two-organisations': {
    [`${U}/configuration-gcp-workload-identity`]: 'v0.1.0',
    [`${U}/platform-ref-azure`]: 'v2.0.1',
  },
  'two-configurations-own-one-composition': {
    [`${U}/configuration-aws-assume-gcp`]: 'v0.1.0',
    [`${U}/configuration-aws-eks-irsa`]: 'v0.7.0',
  },
  'one-provider-at-two-majors': {
    [`${U}/configuration-aws-database-ai`]: 'v2.0.2',
    [`${U}/configuration-dbaas`]: 'v0.6.0',
  },
  'the-same-family-from-two-registries': {
    [`${HOPS}/configuration-aws-organization`]: '>=v0.0.0',
    [`${U}/configuration-aws-network`]: '>=v0.0.0',
  },
  'no-version-of-either-root-will-do': {
    [`${HOPS}/configuration-aws-foundation`]: '>=v0.0.0',
    [`${U}/configuration-aws-database`]: '>=v0.0.0',
  },
  'three-roots-and-no-versions-for-them': {
    [`${U}/configuration-aws-eks-castai`]: '>=v0.0.0',
    [`${U}/configuration-aws-elasticache`]: '>=v0.0.0',
    [`${U}/configuration-aws-eks-pod-identity`]: '>=v0.0.0',
  },
  'all-of-a-family-beside-its-members': {
    [`${HOPS}/aws-organization`]: 'v0.25.0',
    [`${U}/platform-ref-apigateway`]: 'v0.1.1',
  },
  'a-platform-against-a-stack-of-configurations': {
    [`${U}/configuration-caas-ml`]: 'v0.1.0',
    [`${U}/platform-ref-aws`]: 'v2.0.0',
  },
  'a-family-from-two-registries-five-levels-down': {
    [`${HOPS}/configuration-aws-organization`]: 'v0.16.1',
    [`${U}/configuration-aws-lb-controller`]: 'v0.5.0',
  },
  'some-versions-clash-and-others-own-the-same': {
    [`${U}/configuration-azure-aks`]: '>=v0.0.0',
    [`${U}/configuration-azure-assume-gcp`]: '>=v0.0.0',
  },
  'one-provider-from-two-registries': {
    [`${HOPS}/configuration-aws-foundation`]: 'v0.10.0',
    [`${U}/platform-ref-aws-cnoe`]: 'v0.4.0',
  },
  'three-ways-to-fail': {
    [`${U}/configuration-backstage`]: 'v0.4.0',
    [`${U}/configuration-caas-ml`]: 'v0.1.0',
  },
  'a-version-that-was-never-published': { [`${U}/provider-aws-s3`]: 'v1.99.0' },
  'no-version-in-the-range': { [`${U}/configuration-aws-eks`]: '>=v9.0.0' },
  'two-reference-platforms': {
    [`${U}/platform-ref-upbound`]: '>=v0.0.0',
    [`${U}/platform-ref-upbound-spaces`]: '>=v0.0.0',
  },
};

const source = await openIndex(shared('data', 'corpus', 'universe.index.json.gz'));

async function refused(roots: Readonly<Record<string, string>>): Promise<Unsolvable> {
  const answer = await resolve(requestFor(roots), { source, crossplane: 'v2.3.4' });
  if (answer.status !== 'unsolvable') throw new Error(answer.status);
  return answer;
}

test.each(Object.entries(STORIES))('%s', async (slug, roots) => {
  const answer = await refused(roots);
  const text = [...refusalText(answer), '', '--explain:', '', ...explainedRefusalText(answer)];
  await expect(`${text.join('\n')}\n`).toMatchFileSnapshot(`explanations/${slug}.txt`);
});

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/refusals.md'), 'utf8');

test('docs/refusals.md shows each of them (`-u` updates it)', async () => {
  const shown = new Set<string>();
  let page = PAGE;
  for (const { at, body } of blocksOf(PAGE).reverse()) {
    const title = PAGE.slice(0, at)
      .match(/^### .*$/gm)!
      .at(-1)!;
    const slug = title.slice('### '.length).toLowerCase().replaceAll(' ', '-');
    const text = `${refusalText(await refused(STORIES[slug]!)).join('\n')}\n`;
    page = page.slice(0, at) + text + page.slice(at + body.length);
    shown.add(slug);
  }
  expect([...shown].sort()).toEqual(Object.keys(STORIES).sort());
  await expect(page).toMatchFileSnapshot('../../docs/refusals.md');
});
