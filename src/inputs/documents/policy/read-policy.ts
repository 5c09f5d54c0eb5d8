import { parseDuration } from '../../../model/policy/age.js';
import type { MinimumAge, Policy, PolicyEntry } from '../../../model/policy/policy.js';
import { isRepository } from '../../../model/reference.js';
import { isDigest } from '../../../text/digest.js';
import type { Path } from '../../../text/yaml/path.js';
import type { InputDocument } from '../../document.js';
import { errorAt, listAt, requiredTextAt, textAt, valueAt } from '../../field.js';
import { isBrokenDigest } from '../../written-reference.js';

const POLICY: Path = ['spec', 'policy'];

/** `spec.policy` of a PackageSet that is held to the schema; undefined: it has none. */
export function readPolicy(document: InputDocument): Policy | undefined {
  if ((valueAt(document, POLICY) ?? undefined) === undefined) return undefined;
  const registries = listAt(document, [...POLICY, 'registries']).map((_, i) =>
    packagesAt(document, [...POLICY, 'registries', i]),
  );
  return {
    ...(registries.length > 0 && {
      registries: { allowed: registries, origin: document.originOf([...POLICY, 'registries']) },
    }),
    deny: listAt(document, [...POLICY, 'deny']).map((_, i) =>
      deniedAt(document, [...POLICY, 'deny', i]),
    ),
    ...readMinimumAge(document),
  };
}

function deniedAt(document: InputDocument, path: Path): PolicyEntry {
  const at = [...path, 'version'];
  const version = textAt(document, at);
  if (version !== undefined && (isDigest(version) || isBrokenDigest(version))) {
    const hint = 'name the tags; a digest is not known before its image is read';
    throw errorAt(document, at, 'must be a constraint or a tag', hint);
  }
  return {
    packages: packagesAt(document, [...path, 'package']),
    version,
    reason: textAt(document, [...path, 'reason']),
    origin: document.originOf(path),
  };
}

function readMinimumAge(document: InputDocument): Pick<Policy, 'minimumAge'> {
  const path = [...POLICY, 'minimumAge'];
  const text = textAt(document, path);
  if (text === undefined) return {};
  const except = [...POLICY, 'minimumAgeExcept'];
  const minimumAge: MinimumAge = {
    text,
    milliseconds: parseDuration(text)!,
    except: listAt(document, except).map((_, i) => exceptionAt(document, [...except, i])),
    unknown: textAt(document, [...POLICY, 'unknownAge']) === 'allow' ? 'allow' : 'refuse',
    origin: document.originOf(path),
  };
  return { minimumAge };
}

/** `PACKAGES` or `PACKAGES@VERSION`. */
function exceptionAt(document: InputDocument, path: Path): PolicyEntry {
  const [packages, ...version] = requiredTextAt(document, path).split('@');
  const origin = document.originOf(path);
  checkPackages(document, path, packages!);
  return {
    packages: packages!,
    version: version.length > 0 ? version.join('@') : undefined,
    origin,
  };
}

function packagesAt(document: InputDocument, path: Path): string {
  const text = requiredTextAt(document, path);
  checkPackages(document, path, text);
  return text;
}

/** Refuses what could match nothing, or something else than is meant. */
function checkPackages(document: InputDocument, path: Path, text: string): void {
  const plain = text.replace(/\/$/, '');
  const [host = '', ...rest] = plain.split('/');
  const isNamed = /\.|:\d/.test(host) || host === 'localhost';
  if (isNamed && isRepository(rest.length === 0 ? `${plain}/any` : plain)) return;
  throw errorAt(
    document,
    path,
    `names no registry, and no packages of one: \`${text}\``,
    howTo(text),
  );
}

function howTo(text: string): string {
  if (/^[a-z]+:\/\//i.test(text)) return 'leave out what stands before `//`, and the slashes';
  if (text.includes('*')) return 'leave out `*`: all that begins with the parts given is meant';
  if (/[:@]/.test(text.slice(text.lastIndexOf('/') + 1))) return 'a version does not belong in it';
  return 'write the host, and below it as much as is meant: `xpkg.upbound.io/upbound`';
}
