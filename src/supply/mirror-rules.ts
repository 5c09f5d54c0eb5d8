import { InputError } from '../model/input-error.js';
import type { Repository } from '../model/package.js';
import { parseReference } from '../model/reference.js';
import { byCodePoint } from '../text/code-point-order.js';
import type { JsonObject } from '../text/json.js';

/** Names that begin with `prefix` begin with `to` at the mirror. */
export interface MirrorRule {
  readonly prefix: string;
  readonly to: string;
}

export interface Mirror {
  /** `mirror.example.org/team`, without a slash at its end. */
  readonly place: string;
  /** The registry that an image is from becomes a folder at the mirror. */
  readonly keepHost: boolean;
}

/** Reads where a mirror is: a registry, and perhaps a path below it. */
export function parseMirror(text: string, flag: string, keepHost: boolean): Mirror {
  let place = text.replace(/^oci:\/\//, '');
  while (place.endsWith('/')) place = place.slice(0, -1);
  const example = parseReference(`${place}/some/package:v1`, { strict: true });
  if (example !== undefined && !place.includes('://')) {
    return { place, keepHost };
  }
  throw new InputError(`\`${flag} ${text}\` names no registry`, {
    hint: `write its host, and a path below it if need be: \`${flag} mirror.example.org/team\``,
  });
}

/**
 * Where each repository is at a mirror, as rules that Crossplane's ImageConfigs can say: a text that
 * names begin with, and what takes its place.
 */
export function mirrorRules(
  repositories: readonly Repository[],
  mirror: Mirror,
): readonly MirrorRule[] {
  const prefixes = new Set(repositories.map((repository) => hostOf(repository) ?? repository));
  const rules = [...prefixes].sort(byCodePoint).map((prefix) => ruleFor(prefix, mirror));
  const taken = new Map<string, Repository>();
  for (const repository of new Set(repositories)) {
    const place = mirrored(repository, rules);
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

/** The name that an image has at the mirror. */
export function mirrored(image: string, rules: readonly MirrorRule[]): string {
  const rule = rules
    .filter(({ prefix }) => image.startsWith(prefix))
    .reduce<MirrorRule | undefined>(
      (best, one) => (best === undefined || one.prefix.length > best.prefix.length ? one : best),
      undefined,
    );
  return rule === undefined ? image : `${rule.to}${image.slice(rule.prefix.length)}`;
}

/** `registry.example.org/`; undefined: the name has no registry. */
function hostOf(repository: Repository): string | undefined {
  const slash = repository.indexOf('/');
  const first = repository.slice(0, Math.max(slash, 0));
  return /[.:]/.test(first) ? `${first}/` : undefined;
}

function ruleFor(prefix: string, { place, keepHost }: Mirror): MirrorRule {
  if (!prefix.endsWith('/')) return { prefix, to: `${place}/${prefix}` };
  return { prefix, to: keepHost ? `${place}/${asPath(prefix)}/` : `${place}/` };
}

/** A registry as a folder of a path, in which capitals and colons cannot be. */
function asPath(prefix: string): string {
  return prefix
    .slice(0, -1)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]/g, '-');
}

/**
 * The ImageConfigs with which a cluster pulls from the mirror. The Secret to pull with is looked up by
 * the name that an image has there, and so has a config of its own.
 */
export function mirrorConfigs(
  rules: readonly MirrorRule[],
  { place }: Mirror,
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

/** A name of Kubernetes: words of letters and digits, with `-` and `.` between them. */
function asName(prefix: string): string {
  return (prefix.toLowerCase().match(/[a-z0-9]+(?:\.[a-z0-9]+)*/g) ?? []).join('-');
}
