import type { Repository } from './package.js';
import { isDigest, type Digest } from '../../base/digest.js';
import type { ReleaseRules } from '../releases/release-facts.js';
import type { Target } from '../releases/target.js';

/** Registry of references without one, and the host of Docker Hub for pulling. */
export const DOCKER_HUB = 'index.docker.io';

/** Registries of most packages. Each was the default of a release. */
export const KNOWN_REGISTRIES = ['xpkg.crossplane.io', 'xpkg.upbound.io'];

/** An image reference, parsed as go-containerregistry does. */
export interface Reference {
  /** As written. This, and not `name`, is the identity of a package. */
  readonly text: string;
  /** Host to connect to, `index.docker.io` for `docker.io`; empty if unknown. */
  readonly registry: string;
  /** Path below the registry, with `library/` added if Docker Hub implies it. */
  readonly path: string;
  /** Registry and path, equal for all spellings of one repository. */
  readonly name: string;
  /** The tag or the digest; `latest` if there is none. */
  readonly identifier: string;
  readonly digest: Digest | undefined;
}

interface ReferenceRules {
  /** Registry, and tag or digest, are required. */
  readonly strict?: boolean;
  /** Registry of references without one; Docker Hub by default. */
  readonly defaultRegistry?: string | undefined;
  /** `repo:` means `repo:latest`; otherwise it is an error. */
  readonly emptyTagIsLatest?: boolean;
}

/** Returns the rules of a Crossplane release for `spec.package`. */
export function referenceRules(target: ReleaseRules): ReferenceRules {
  const { strictReferences: strict, defaultRegistry, emptyTagIsLatest } = target.rules;
  return { strict, defaultRegistry, emptyTagIsLatest };
}

/** Parses a reference. Returns undefined if it is invalid under these rules. */
export function parseReference(text: string, rules: ReferenceRules = {}): Reference | undefined {
  return parseWithTag(text, rules) ?? parseWithDigest(text, rules);
}

function parseWithTag(text: string, rules: ReferenceRules): Reference | undefined {
  const { name, tag } = splitTag(text);
  if (tag === '' && rules.emptyTagIsLatest !== true) return undefined;
  if ((Boolean(tag) || rules.strict === true) && !isTag(tag ?? '')) return undefined;
  const place = parseRepository(name, rules);
  if (place === undefined) return undefined;
  return { text, ...place, identifier: tag || 'latest', digest: undefined };
}

/** Splits text at the colon of a tag. `tag` is undefined if there is no such colon. */
export function splitTag(text: string): {
  readonly name: string;
  readonly tag: string | undefined;
} {
  const colon = text.lastIndexOf(':');
  // A colon before a slash belongs to a port.
  if (colon < 0 || text.includes('/', colon)) return { name: text, tag: undefined };
  return { name: text.slice(0, colon), tag: text.slice(colon + 1) };
}

function parseWithDigest(text: string, rules: ReferenceRules): Reference | undefined {
  const parts = text.split('@');
  const [base, digest] = parts;
  if (parts.length !== 2 || base === undefined || digest === undefined || !isDigest(digest)) {
    return undefined;
  }
  const place = parseWithTag(base, rules) ?? parseRepository(base, rules);
  if (place === undefined) return undefined;
  const { registry, path, name } = place;
  return { text, registry, path, name, identifier: digest, digest };
}

type Place = Pick<Reference, 'registry' | 'path' | 'name'>;

const REPOSITORY_PATH = /^[a-z0-9_./-]{2,255}$/;
/**
 * `host`, `host:port` or `[v6]:port`. go-containerregistry also accepts hosts with `$`, `;`, `'`
 * and other characters that are valid in a URL. Go cannot look up such a host, so nothing can be
 * pulled from it, and a shell would execute part of it.
 */
const AUTHORITY = /^(?:[A-Za-z0-9_][A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\])(?::[0-9]*)?$/;

const TAG = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;

/**
 * Whether the OCI distribution specification allows a text as a tag. Crossplane also accepts tags
 * that begin with `.` or `-`, but registries do not, so a reference with one names no package.
 */
export function isTag(text: string): boolean {
  return TAG.test(text);
}

function parseRepository(text: string, rules: ReferenceRules): Place | undefined {
  const { host, rest } = splitHost(text);
  // Commands read a leading `-` as a flag, and registries accept no such name.
  if (!REPOSITORY_PATH.test(rest) || text.startsWith('-')) return undefined;
  if (host === undefined ? rules.strict === true : !AUTHORITY.test(host)) return undefined;
  const named = host ?? rules.defaultRegistry ?? DOCKER_HUB;
  const registry = named === 'docker.io' ? DOCKER_HUB : named;
  const implied = registry === DOCKER_HUB && !rest.includes('/');
  if (implied && rules.strict === true) return undefined;
  const path = implied ? `library/${rest}` : rest;
  return { registry, path, name: registry === '' ? path : `${registry}/${path}` };
}

/** `localhost/foo` has no registry: a host needs a dot or a colon. */
function splitHost(text: string): { host: string | undefined; rest: string } {
  const slash = text.indexOf('/');
  const first = text.slice(0, Math.max(slash, 0));
  if (!first.includes('.') && !first.includes(':')) return { host: undefined, rest: text };
  return { host: first, rest: text.slice(slash + 1) };
}

/** Whether text is a repository for some release: a valid path without tag and digest. */
export function isRepository(text: string): boolean {
  return (
    !text.includes('@') && splitTag(text).tag === undefined && parseReference(text) !== undefined
  );
}

/** Whether a tag is for signatures or other referrers of an image, never for a version. */
export function isAttachmentTag(tag: string): boolean {
  return /^sha256-[0-9a-f]{64}(?:\.[a-z]+)?$/.test(tag);
}

/**
 * Splits `spec.package` as a Lock row does. Returns undefined if it is not a reference.
 *
 * Reproduces two oddities: the tag of `repo:tag@digest` stays in the source, and a name that ends
 * in `latest` loses it if there is no tag.
 */
export function splitPackageReference(
  text: string,
  target?: ReleaseRules,
): { readonly source: Repository; readonly version: string } | undefined {
  const rules = target === undefined ? { emptyTagIsLatest: true } : referenceRules(target);
  const reference = parseReference(text, rules);
  if (reference === undefined) return undefined;
  const version = reference.identifier;
  let end = text.endsWith(version) ? text.length - version.length : text.length;
  while (text[end - 1] === ':' || text[end - 1] === '@') end -= 1;
  return { source: text.slice(0, end), version };
}

/** Returns `spec.package` for a version of a repository, a tag or a digest. */
export function joinReference(repository: Repository, version: string): string {
  return `${repository}${version.startsWith('sha256:') ? '@' : ':'}${version}`;
}

/** The rule for `spec.package` in the CRDs of v2. */
const PACKAGE_RULE =
  /^[^./]+(?:\.[^./]+)+(?:\/[^/:@]+)+(?::[^:@]+(?:@sha256[^\n]+)?|@sha256[^\n]+)$/;

/** Whether the target's API server and package manager accept this `spec.package`. */
export function validPackageReference(text: string, target: ReleaseRules): boolean {
  const isAcceptedByServer = !target.rules.strictReferences || PACKAGE_RULE.test(text);
  return isAcceptedByServer && parseReference(text, referenceRules(target)) !== undefined;
}

/** Returns why the target cannot use a repository, or undefined if it can. */
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

/** Whether two spellings are one repository: `docker.io/x/p`, `index.docker.io/x/p`. */
export function sameRepository(a: Repository, b: Repository, target?: ReleaseRules): boolean {
  return a === b || pullName(a, target) === pullName(b, target);
}

/** Returns the registry and path that a repository is pulled from, with the default registry. */
export function pullName(repository: Repository, target?: ReleaseRules): string {
  const rules = target === undefined ? {} : referenceRules(target);
  return parseReference(repository, { ...rules, strict: false })?.name ?? repository;
}

/**
 * Returns a repository, a reference or the beginning of one with one spelling of its host: without
 * capitals and the port of https, and with the name that Docker Hub has for pulling.
 */
export function withPlainHost(name: string): string {
  const [host = '', ...path] = name.split('/');
  const plain = host.toLowerCase().replace(/:443$/, '');
  return [plain === 'docker.io' ? DOCKER_HUB : plain, ...path].join('/');
}
