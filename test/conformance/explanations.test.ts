import { expect, test } from 'vitest';
import { refusalText } from '../../src/cli/output/answer/refusal.js';
import { resolve } from '../../src/usecases/resolve/resolve.js';
import { openIndex } from '../../src/sources/index/index-source.js';
import { requestFor } from '../support/requests.js';
import { shared } from './shared.js';

const U = 'xpkg.upbound.io/upbound';
const HOPS = 'ghcr.io/hops-ops';

/** Real roots that cannot be had together; the name of each tells why. */
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
  'two-reference-platforms': {
    [`${U}/platform-ref-upbound`]: '>=v0.0.0',
    [`${U}/platform-ref-upbound-spaces`]: '>=v0.0.0',
  },
};

const source = await openIndex(shared('data', 'corpus', 'universe.index.json.gz'));

test.each(Object.entries(STORIES))('%s', async (slug, roots) => {
  const answer = await resolve(requestFor(roots), { source, crossplane: 'v2.3.4' });
  const text = answer.status === 'unsolvable' ? refusalText(answer).join('\n') : answer.status;
  await expect(`${text}\n`).toMatchFileSnapshot(`explanations/${slug}.txt`);
});
