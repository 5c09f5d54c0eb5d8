import { InputError } from '../../base/errors.js';
import type { Candidate, Repository } from '../../crossplane/packages/package.js';
import { parseReference } from '../../crossplane/packages/reference.js';
import { byCodePoint } from '../../base/collections.js';
import type { JsonObject } from '../../base/json.js';

/** Replaces the prefix `prefix` of an image name with `to`. */
export interface MirrorRule {
  readonly prefix: string;
  readonly to: string;
}

export interface Mirror {
  /** `mirror.example.org/team`, without a trailing slash. */
  readonly address: string;
  /** Whether names at the mirror contain the original registry as a path segment. */
  readonly keepHost: boolean;
}

/** Parses the address of a mirror: a registry with an optional path. */
export function parseMirror(text: string, flag: string, keepHost: boolean): Mirror {
  let place = text.replace(/^oci:\/\//, '');
  while (place.endsWith('/')) place = place.slice(0, -1);
  const example = parseReference(`${place}/some/package:v1`, { strict: true });
  if (example !== undefined && !place.includes('://')) return { address: place, keepHost };
  throw new InputError(`\`${flag} ${text}\` names no registry`, {
    hint: `write its host, and a path below it if need be: \`${flag} mirror.example.org/team\``,
  });
}

/**
 * Returns the prefix rules for some repositories, in a form that ImageConfigs support. Throws if two
 * repositories would have the same name at the mirror.
 */
export function mirrorRules(
  images: readonly Pick<Candidate, 'repository'>[],
  mirror: Mirror,
): readonly MirrorRule[] {
  const repositories = new Set(images.map(({ repository }) => repository));
  const prefixes = new Set(Array.from(repositories, (each) => hostOf(each) ?? each));
  const rules = [...prefixes].sort(byCodePoint).map((prefix) => ruleFor(prefix, mirror));
  const taken = new Map<string, Repository>();
  for (const repository of repositories) {
    const place = nameAtMirror(repository, rules);
    const other = taken.get(place);
    if (other !== undefined) {
      throw new InputError(`${other} and ${repository} would both be \`${place}\` at the mirror`, {
        hint: 'with `--keep-host` the registry that each is from is part of its name there',
      });
    }
    taken.set(place, repository);
  }
  return rules;
}

/** Returns the name of an image at the mirror. The rule with the longest prefix applies. */
export function nameAtMirror(image: string, rules: readonly MirrorRule[]): string {
  const [rule] = rules
    .filter(({ prefix }) => image.startsWith(prefix))
    .sort((a, b) => b.prefix.length - a.prefix.length);
  return rule === undefined ? image : `${rule.to}${image.slice(rule.prefix.length)}`;
}

/** Returns `registry.example.org/`, or undefined if the name has no registry. */
function hostOf(repository: Repository): string | undefined {
  const slash = repository.indexOf('/');
  const first = repository.slice(0, Math.max(slash, 0));
  return /[.:]/.test(first) ? `${first}/` : undefined;
}

function ruleFor(prefix: string, { address: place, keepHost }: Mirror): MirrorRule {
  if (!prefix.endsWith('/')) return { prefix, to: `${place}/${prefix}` };
  // The registry becomes a valid path segment, without capitals and colons.
  const host = prefix.slice(0, -1).toLowerCase();
  const segment = keepHost ? `${host.replaceAll(/[^a-z0-9._-]/g, '-')}/` : '';
  return { prefix, to: `${place}/${segment}` };
}

/**
 * Returns the ImageConfigs that make a cluster pull from the mirror. The pull secret has its own
 * config, because Crossplane looks it up by the name at the mirror.
 */
export function mirrorConfigs(
  rules: readonly MirrorRule[],
  { address: place }: Mirror,
  secret: string | undefined,
): readonly JsonObject[] {
  const rewriting = rules.map(({ prefix, to }) =>
    imageConfig(`mirror-${asName(prefix)}`, prefix, { rewriteImage: { prefix: to } }),
  );
  if (secret === undefined) return rewriting;
  const registry = { authentication: { pullSecretRef: { name: secret } } };
  return [...rewriting, imageConfig('mirror-credentials', `${place}/`, { registry })];
}

function imageConfig(name: string, prefix: string, rest: JsonObject): JsonObject {
  return {
    apiVersion: 'pkg.crossplane.io/v1beta1',
    kind: 'ImageConfig',
    metadata: { name },
    spec: { matchImages: [{ type: 'Prefix', prefix }], ...rest },
  };
}

/** Returns a prefix as a valid Kubernetes object name. */
function asName(prefix: string): string {
  return (prefix.toLowerCase().match(/[a-z0-9]+(?:\.[a-z0-9]+)*/g) ?? []).join('-');
}
