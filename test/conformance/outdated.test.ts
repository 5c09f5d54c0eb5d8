import { expect, test } from 'vitest';
import { SourceMemory } from '../../src/driver/source-memory.js';
import { openIndex } from '../../src/sources/index/index-source.js';
import { outdated } from '../../src/usecases/outdated.js';
import { resolve } from '../../src/usecases/resolve/resolve.js';
import { update } from '../../src/usecases/update.js';
import { requestFor } from '../support/requests.js';
import { shared } from './shared.js';

const U = 'xpkg.upbound.io/upbound';
const PLATFORMS = [
  `${U}/platform-ref-aws`,
  `${U}/platform-ref-azure`,
  `${U}/platform-ref-gcp`,
  `${U}/configuration-app`,
];

test.each([
  { prefer: 'newest', why: 'all that could move has moved' },
  { prefer: 'lowest', why: 'nearly all may move' },
] as const)(
  'four platforms at `*`, locked at the $prefer: what fits is what update locks ($why)',
  async ({ prefer }) => {
    const source = SourceMemory.of(await openIndex(shared('data/corpus/universe.index.json.gz')));
    const request = requestFor(Object.fromEntries(PLATFORMS.map((each) => [each, '*'])));
    const options = { source, crossplane: 'v1.20.0' };
    const answer = await resolve(request, { ...options, prefer });
    if (answer.status !== 'solved') throw new Error(answer.status);
    const { lockfile } = answer;
    const { packages } = await outdated(lockfile, request, options);
    for (const { repository, version, fits, newest, heldBy } of packages) {
      const moved = await update(request, [{ repository }], { ...options, lockfile });
      const after = moved.status === 'solved' ? moved.lockfile.packages : [];
      expect(after.find((one) => one.repository === repository)?.version).toBe(fits);
      expect(heldBy === undefined).toBe(fits === newest);
      if (prefer === 'newest') expect(fits).toBe(version);
    }
  },
);
