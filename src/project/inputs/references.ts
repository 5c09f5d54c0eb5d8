import type { DocumentNode } from './document.js';
import type { Contribution, PackageRootDraft, RootVersion } from './request.js';
import { type Digest, isDigest } from '../../base/digest.js';
import { InputError, type Origin } from '../../base/errors.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { isRepository, isTag, splitTag } from '../../crossplane/packages/reference.js';

/** Origin of package references on the command line. */
export const COMMAND_LINE: Origin = { file: 'command line' };
const REFERENCE_FORMATS = 'write `SOURCE@CONSTRAINT`, `SOURCE@sha256:…`, `SOURCE:TAG` or `SOURCE`';

/** The version of a root without one. */
export const ANY_VERSION: RootVersion = { form: 'text', text: '*' };

/** Reads the package reference at position `place` of the command line. */
export function readRef(ref: string, place = 0): Contribution {
  const { roots = [], ...rest } = readUnlocatedRef(ref);
  const origin = { ...COMMAND_LINE, path: [place] };
  return { roots: roots.map((root) => ({ ...root, origin })), ...rest };
}

function readUnlocatedRef(ref: string): Contribution {
  if (/\.(?:ya?ml|json)$/.test(ref)) {
    throw new InputError(`\`${ref}\` looks like a file, and a package is expected here`, {
      origin: COMMAND_LINE,
      hint: `name files with \`-f ${ref}\``,
    });
  }
  const mistake = referenceMistake(ref);
  if (mistake !== undefined) {
    const { problem, hint } = mistake;
    throw new InputError(`\`${ref}\` ${problem}`, { origin: COMMAND_LINE, hint });
  }
  const at = ref.indexOf('@');
  const constraint = at < 0 ? undefined : ref.slice(at + 1).trim();
  return constraint === undefined || isDigest(constraint)
    ? readReference(ref.trim())
    : readConstrained(ref, ref.slice(0, at).trim(), constraint);
}

function readConstrained(ref: string, repository: string, constraint: string): Contribution {
  if (!isRepository(repository) || constraint === '') throw invalidReferenceError(ref);
  if (isMalformedDigest(constraint)) {
    throw new InputError(`\`${ref}\` ${MALFORMED_DIGEST}`, { origin: COMMAND_LINE });
  }
  return { roots: [rootDraft({ repository, version: { form: 'text', text: constraint } })] };
}

function readReference(ref: string): Contribution {
  const reference = splitReference(ref);
  if (reference === undefined) throw invalidReferenceError(ref);
  const { repository, tag, digest } = reference;
  if (digest !== undefined) {
    const notes = tag === undefined ? [] : [`\`${ref}\`: the digest decides, the tag is not used`];
    return { roots: [rootDraft({ repository, version: { form: 'digest', digest } })], notes };
  }
  const version: RootVersion = tag === undefined ? ANY_VERSION : { form: 'tag', tag };
  return { roots: [rootDraft({ repository, version })] };
}

function rootDraft(what: Pick<PackageRootDraft, 'repository' | 'version'>): PackageRootDraft {
  return {
    root: 'package',
    ...what,
    kind: undefined,
    name: undefined,
    spec: {},
    object: undefined,
    origin: COMMAND_LINE,
  };
}

function invalidReferenceError(ref: string): InputError {
  return new InputError(`\`${ref}\` is not a package`, {
    origin: COMMAND_LINE,
    hint: REFERENCE_FORMATS,
  });
}

/** The parts of an image reference, as written. */
interface WrittenReference {
  readonly repository: Repository;
  readonly tag: string | undefined;
  readonly digest: Digest | undefined;
}

/** Splits an image reference. Returns undefined if no Crossplane release accepts it. */
export function splitReference(text: string): WrittenReference | undefined {
  const at = text.indexOf('@');
  const digest = at < 0 ? undefined : text.slice(at + 1);
  if (digest !== undefined && !isDigest(digest)) return undefined;
  const { name, tag } = splitTag(at < 0 ? text : text.slice(0, at));
  if (tag !== undefined && !isTag(tag)) return undefined;
  return isRepository(name) ? { repository: name, tag, digest } : undefined;
}

/** Returns the version of a reference in an object, where a missing tag means `latest`. */
export function objectVersion({ tag = 'latest', digest }: WrittenReference): RootVersion {
  return digest === undefined ? { form: 'tag', tag } : { form: 'digest', digest };
}

/** Returns whether a version is a malformed digest, which can be neither a tag nor a constraint. */
export function isMalformedDigest(version: string): boolean {
  return /^\s*sha(?:256|512):/i.test(version) && !isDigest(version);
}

export const MALFORMED_DIGEST = 'is no digest: write `sha256:` and 64 lower-case hex digits';

const QUOTES = '\'"`’‘“”';

/**
 * Recognizes a URL, quotes from a shell, spaces and capitals in a reference. `problem` continues a
 * message after the reference: "`https://…` begins with …".
 *
 * go-containerregistry would take `https:` for a host and complain about that instead.
 */
export function referenceMistake(text: string): { problem: string; hint: string } | undefined {
  const unquoted = withoutQuotes(text.trim());
  if (unquoted !== text.trim()) {
    return {
      problem: 'has quotes in it, which belong to the shell or to YAML',
      hint: `write \`${unquoted}\``,
    };
  }
  const scheme = /^([a-z][a-z0-9+.-]*:\/\/)(.*)$/is.exec(text);
  if (scheme !== null) {
    const [, start, rest] = scheme;
    return {
      problem: `begins with \`${start}\`, which the name of an image does not`,
      hint: `write \`${rest}\``,
    };
  }
  if (text.endsWith('/')) {
    return { problem: 'ends in a slash', hint: `write \`${text.replace(/(?<!\/)\/+$/, '')}\`` };
  }
  const repository = text.split('@', 1)[0]!;
  const colon = repository.indexOf(':', repository.lastIndexOf('/'));
  const name = colon < 0 ? repository : repository.slice(0, colon);
  if (/\s/.test(name)) {
    return { problem: 'has a blank in it', hint: 'name one package, without blanks' };
  }
  if (name === name.toLowerCase()) return undefined;
  const lowerCaseText = name.toLowerCase() + text.slice(name.length);
  return {
    problem: 'has capitals in it, and repositories are lower case',
    hint: `write \`${lowerCaseText}\``,
  };
}

/** Throws an `InputError` with a correction for a common mistake in a reference. */
export function checkReference(node: DocumentNode, reference: string): void {
  const mistake = referenceMistake(reference);
  if (mistake !== undefined) {
    throw node.inputError(`${mistake.problem}: \`${reference}\``, mistake.hint);
  }
}

/** Removes quotes around the text and around the version after an `@`. */
function withoutQuotes(text: string): string {
  const inner = trimQuotes(text);
  const at = inner.indexOf('@');
  return at < 0 ? inner : `${trimQuotes(inner.slice(0, at))}@${trimQuotes(inner.slice(at + 1))}`;
}

function trimQuotes(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && QUOTES.includes(text[start]!)) start += 1;
  while (end > start && QUOTES.includes(text[end - 1]!)) end -= 1;
  return text.slice(start, end);
}
