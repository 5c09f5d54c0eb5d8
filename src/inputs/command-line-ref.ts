import { InputError } from '../model/input-error.js';
import type { Origin } from '../model/package.js';
import { isDigest } from '../text/digest.js';
import { isRepository } from '../model/reference.js';
import type { RootVersion } from '../model/request.js';
import type { PackageRootDraft, Contribution } from './contribution.js';
import { referenceMistake } from './reference-mistake.js';
import { BROKEN_DIGEST, isBrokenDigest, splitReference } from './written-reference.js';

const ORIGIN: Origin = { file: 'command line' };
const FORMS = 'write `SOURCE@CONSTRAINT`, `SOURCE@sha256:…`, `SOURCE:TAG` or `SOURCE`';

/** Any version: what leaving it out means. */
export const ANY_VERSION: RootVersion = { form: 'text', text: '*' };

/** A root named on the command line, at that place; its kind is read from the package. */
export function readRef(ref: string, place = 0): Contribution {
  const { roots = [], ...rest } = readWritten(ref);
  const origin = { ...ORIGIN, path: [place] };
  return { roots: roots.map((root) => ({ ...root, origin })), ...rest };
}

function readWritten(ref: string): Contribution {
  if (/\.(?:ya?ml|json)$/.test(ref)) {
    throw new InputError(`\`${ref}\` looks like a file, and a package is expected here`, {
      origin: ORIGIN,
      hint: `name files with \`-f ${ref}\``,
    });
  }
  const mistake = referenceMistake(ref);
  if (mistake !== undefined) {
    const { problem, hint } = mistake;
    throw new InputError(`\`${ref}\` ${problem}`, { origin: ORIGIN, hint });
  }
  const at = ref.indexOf('@');
  const constraint = at < 0 ? undefined : ref.slice(at + 1).trim();
  return constraint === undefined || isDigest(constraint)
    ? readReference(ref.trim())
    : readConstrained(ref, ref.slice(0, at).trim(), constraint);
}

function readConstrained(ref: string, repository: string, constraint: string): Contribution {
  if (!isRepository(repository) || constraint === '') throw bad(ref);
  if (isBrokenDigest(constraint)) {
    throw new InputError(`\`${ref}\` ${BROKEN_DIGEST}`, { origin: ORIGIN });
  }
  return { roots: [draft({ repository, version: { form: 'text', text: constraint } })] };
}

function readReference(ref: string): Contribution {
  const reference = splitReference(ref);
  if (reference === undefined) throw bad(ref);
  const { repository, tag, digest } = reference;
  if (digest !== undefined) {
    const notes = tag === undefined ? [] : [`\`${ref}\`: the digest decides, the tag is not used`];
    return { roots: [draft({ repository, version: { form: 'digest', digest } })], notes };
  }
  const version: RootVersion = tag === undefined ? ANY_VERSION : { form: 'tag', tag };
  return { roots: [draft({ repository, version })] };
}

function draft(what: Pick<PackageRootDraft, 'repository' | 'version'>): PackageRootDraft {
  return {
    root: 'package',
    ...what,
    kind: undefined,
    name: undefined,
    spec: {},
    object: undefined,
    origin: ORIGIN,
  };
}

function bad(ref: string): InputError {
  return new InputError(`\`${ref}\` is not a package`, { origin: ORIGIN, hint: FORMS });
}
