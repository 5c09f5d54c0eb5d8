import { formatOrigin } from '../../model/input-error.js';
import type { Ruling } from '../../model/policy/ruling.js';
import { conjugated } from './verb.js';

/**
 * Part of step 3: what a policy has against versions, after their name: `are denied by the policy
 * (xpkg.yaml:9)`. Each kind of rule has its sentence.
 */
export function rulingText(ruling: Ruling, isMany: boolean): string {
  const are = conjugated('be', isMany);
  const place = formatOrigin(ruling.origin);
  switch (ruling.by) {
    case 'registries':
      return `${are} outside the registries that the policy allows (${place})`;
    case 'deny': {
      // Block scalars of YAML end in a line break, and a sentence is one line.
      const reason = ruling.reason?.trim().replace(/\s+/g, ' ') ?? '';
      const because = reason === '' ? '' : `: ${reason}`;
      return `${are} denied by the policy (${place}${because})`;
    }
    case 'age': {
      const which = isMany ? 'the first of them until' : 'until';
      return `${are} younger than the \`${ruling.minimum}\` that the policy asks for (${place}), ${which} ${ruling.from}`;
    }
    case 'signature': {
      const because = ruling.because === undefined ? '' : `: ${ruling.because}`;
      const lack = conjugated('lack', isMany);
      return `${lack} the signature that ImageConfig \`${ruling.policy}\` asks for (${place})${because}`;
    }
    case 'unknown-age': {
      const because = ruling.because === undefined ? '' : `: ${ruling.because}`;
      return `${are} of unknown age${because}, and the policy asks for \`${ruling.minimum}\` (${place})`;
    }
  }
}
