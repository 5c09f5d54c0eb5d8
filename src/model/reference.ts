import type { Repository } from './package.js';
import { isDigest, type Digest } from '../text/digest.js';
import type { Target } from './target/target.js';

/** Where references that name no registry point to, and how Docker Hub is spelled when pulling. */
export const DOCKER_HUB = 'index.docker.io';

/** An image reference, read as go-containerregistry reads it. */
export interface Reference {
  /** As written: this, never `name`, is a package's identity. */
  readonly text: string;
  /** Host to ask, `docker.io` made `index.docker.io`; empty: none named and no default. */
  readonly registry: string;
  /** Path below the registry, `library/` added where Docker Hub implies it. */
  readonly path: string;
  /** Registry and path: the same for every spelling of one repository. */
  readonly name: string;
  /** The tag or the digest; `latest` where neither was written. */
  readonly identifier: string;
  readonly digest: Digest | undefined;
}

interface ReferenceRules {
  /** Registry, and tag or digest, must be written out. */
  readonly strict?: boolean;
  /** Of references that name no registry; Docker Hub unless told. */
  readonly defaultRegistry?: string;
  /** `repo:` reads as `repo:latest`; else it is an error. */
  readonly emptyTagIsLatest?: boolean;
}

/** How a Crossplane release reads `spec.package`. */
export function referenceRules(target: Target): ReferenceRules {
  const { strictReferences, defaultRegistry, emptyTagIsLatest } = target.rules;
  return {
    strict: strictReferences,
    emptyTagIsLatest,
    ...(defaultRegistry === undefined ? {} : { defaultRegistry }),
  };
}

/** undefined: not a reference under these rules. */
export function parseReference(text: string, rules: ReferenceRules = {}): Reference | undefined {
  return parseTagged(text, rules) ?? parseDigested(text, rules);
}

function parseTagged(text: string, rules: ReferenceRules): Reference | undefined {
  const { name, tag } = splitTag(text);
  if (tag === '' && rules.emptyTagIsLatest !== true) return undefined;
  if ((Boolean(tag) || rules.strict === true) && !isTag(tag ?? '')) return undefined;
  const place = parseRepository(name, rules);
  if (place === undefined) return undefined;
  return { text, ...place, identifier: tag || 'latest', digest: undefined };
}

/** What stands before the colon of a tag, and after it; undefined: there is no such colon. */
export function splitTag(text: string): {
  readonly name: string;
  readonly tag: string | undefined;
} {
  const colon = text.lastIndexOf(':');
  // A colon before a slash belongs to a port.
  if (colon < 0 || text.includes('/', colon)) return { name: text, tag: undefined };
  return { name: text.slice(0, colon), tag: text.slice(colon + 1) };
}

function parseDigested(text: string, rules: ReferenceRules): Reference | undefined {
  const parts = text.split('@');
  const [base, digest] = parts;
  if (parts.length !== 2 || base === undefined || digest === undefined || !isDigest(digest)) {
    return undefined;
  }
  const place = parseTagged(base, rules) ?? parseRepository(base, rules);
  if (place === undefined) return undefined;
  const { registry, path, name } = place;
  return { text, registry, path, name, identifier: digest, digest };
}

type Place = Pick<Reference, 'registry' | 'path' | 'name'>;

const REPOSITORY_PATH = /^[a-z0-9_./-]{2,255}$/;
/** `host`, `host:port`, `[v6]:port`: what a URL takes as its authority without a change. */
const AUTHORITY = /^(?:[A-Za-z0-9._~!$&'()*+,;=-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]*)?$/;

const TAG = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;

/**
 * Whether a registry can hold such a tag, by the OCI distribution specification.
 *
 * go-containerregistry, and so Crossplane, also reads tags that begin with `.` or `-`; nothing can
 * be pushed under them, so a reference with one names no package.
 */
export function isTag(text: string): boolean {
  return TAG.test(text);
}

function parseRepository(text: string, rules: ReferenceRules): Place | undefined {
  const { host, rest } = splitHost(text);
  if (!REPOSITORY_PATH.test(rest)) return undefined;
  if (host === undefined ? rules.strict === true : !AUTHORITY.test(host)) return undefined;
  const named = host ?? rules.defaultRegistry ?? DOCKER_HUB;
  const registry = named === 'docker.io' ? DOCKER_HUB : named;
  const implied = registry === DOCKER_HUB && !rest.includes('/');
  if (implied && rules.strict === true) return undefined;
  const path = implied ? `library/${rest}` : rest;
  return { registry, path, name: registry === '' ? path : `${registry}/${path}` };
}

/** `localhost/foo` names no registry: only a dot or a colon makes one. */
function splitHost(text: string): { host: string | undefined; rest: string } {
  const slash = text.indexOf('/');
  const first = text.slice(0, Math.max(slash, 0));
  if (!first.includes('.') && !first.includes(':')) return { host: undefined, rest: text };
  return { host: first, rest: text.slice(slash + 1) };
}

/** Whether some release takes the text for a repository: no tag, no digest, a path that can be. */
export function isRepository(text: string): boolean {
  return (
    !text.includes('@') && splitTag(text).tag === undefined && parseReference(text) !== undefined
  );
}

/** By which signatures, attestations and other referrers of an image are found: never a version. */
export function isAttachmentTag(tag: string): boolean {
  return /^sha256-[0-9a-f]{64}(?:\.[a-z]+)?$/.test(tag);
}

/**
 * `spec.package` as a Lock row splits it; undefined: not a reference.
 *
 * Faithful to two oddities: the tag of `repo:tag@digest` stays in the source, and a name that ends
 * in `latest` loses it where no tag is written.
 */
export function splitPackageReference(
  text: string,
  target?: Target,
): { readonly source: Repository; readonly version: string } | undefined {
  const rules = target === undefined ? { emptyTagIsLatest: true } : referenceRules(target);
  const reference = parseReference(text, rules);
  if (reference === undefined) return undefined;
  const version = reference.identifier;
  let end = text.endsWith(version) ? text.length - version.length : text.length;
  while (text[end - 1] === ':' || text[end - 1] === '@') end -= 1;
  return { source: text.slice(0, end), version };
}

/** What `spec.package` says for a version, a tag or a digest, of a repository. */
export function joinReference(repository: Repository, version: string): string {
  return `${repository}${version.startsWith('sha256:') ? '@' : ':'}${version}`;
}

/** The rule that the CRDs of v2 put on `spec.package`. */
const PACKAGE_RULE =
  /^[^./]+(?:\.[^./]+)+(?:\/[^/:@]+)+(?::[^:@]+(?:@sha256[^\n]+)?|@sha256[^\n]+)$/;

/** Would the target's API server and package manager take this `spec.package`? */
export function validPackageReference(text: string, target: Target): boolean {
  const passes = !target.rules.strictReferences || PACKAGE_RULE.test(text);
  return passes && parseReference(text, referenceRules(target)) !== undefined;
}

/** Can packages of this repository be installed by the target, whatever their version? */
export function validRepository(repository: string, target: Target): boolean {
  return repositoryProblem(repository, target) === undefined;
}

/** Why a repository is of no use on the target; undefined: it is fine. */
export function repositoryProblem(repository: string, target: Target): string | undefined {
  const tagged = `${repository}:v0.0.0`;
  if (validPackageReference(tagged, target)) return undefined;
  if (repository.includes('@')) return 'it holds a digest, which belongs in the version';
  const scheme = /^[a-z]+:\/\//i.exec(repository)?.[0];
  if (scheme !== undefined)
    return `it begins with \`${scheme}\`, which the name of an image does not`;
  const { host, rest } = splitHost(repository);
  if (rest.includes(':')) return 'it holds a tag, which belongs in the version';
  if (!REPOSITORY_PATH.test(rest)) {
    return 'its path must be 2 to 255 characters of `a-z`, `0-9`, `_`, `.`, `/` and `-`';
  }
  if (host === undefined) return `Crossplane ${target.version} needs the registry in it`;
  if (!AUTHORITY.test(host)) return `\`${host}\` is not a registry host`;
  if (!host.includes('.')) {
    return `Crossplane ${target.version} takes no registry host without a dot, such as \`${host}\``;
  }
  if (parseReference(tagged, referenceRules(target)) === undefined) {
    return `Crossplane ${target.version} needs \`library/\` written out in it`;
  }
  return `Crossplane ${target.version} does not take it as part of \`spec.package\``;
}

/** One repository, however spelled: `docker.io/x/p`, `index.docker.io/x/p`. */
export function sameRepository(a: Repository, b: Repository, target?: Target): boolean {
  return a === b || pullName(a, target) === pullName(b, target);
}

/** Registry and path that a repository is pulled from, the default registry included. */
export function pullName(repository: Repository, target?: Target): string {
  const rules = target === undefined ? {} : referenceRules(target);
  return parseReference(repository, { ...rules, strict: false })?.name ?? repository;
}
