import type { CoreEntry } from '../../explain/core-entries.js';
import { formatOrigin } from '../../model/input-error.js';
import type { Request } from '../../model/request.js';
import { isDigest } from '../../text/digest.js';
import type { Unsolvable } from '../resolve/answer.js';
import type { SetFinding } from './linted-set.js';

type Asking = CoreEntry & Required<Pick<CoreEntry, 'requirement'>>;

/** Crossplane compares a range with the installed version, and a digest is none: no set holds both. */
export function digestAndRange({ roots }: Request, { core }: Unsolvable): SetFinding[] {
  const asking = core.filter((entry): entry is Asking => entry.requirement !== undefined);
  return asking.flatMap(({ requirement: { by, on, constraint }, path }): SetFinding[] => {
    const ranged = asking.find(
      ({ requirement }) => requirement.on === on && !isDigest(requirement.constraint),
    );
    if (!isDigest(constraint) || ranged === undefined) return [];
    const place = roots.find(({ origin }) => formatOrigin(origin) === path[0]);
    const { by: other, constraint: range } = ranged.requirement;
    return [
      {
        rule: 'digest-and-range',
        severity: 'error',
        origin: place?.origin ?? { file: path[0]! },
        text: `${by} asks for ${on} by digest, and ${other} asks for it as \`${range}\`: Crossplane cannot compare the two, so what asks for the range never becomes healthy`,
        fix: 'ask for a tag, and pin the bytes with `--pin digest`; what a package asks for, `spec.overrides` overrules',
      },
    ];
  });
}
