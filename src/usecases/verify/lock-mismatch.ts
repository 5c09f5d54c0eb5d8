import type { LockedPackage, Lockfile } from '../../lock/lockfile.js';
import type { PackageMeta, Requirement } from '../../model/package-meta.js';
import type { OwnedObject } from '../../model/owned-object.js';
import type { CheckedPackage } from '../../driver/checked-package.js';
import type { Repository } from '../../model/package.js';
import type { Digest } from '../../text/digest.js';

/** A difference between a lockfile and its sources or inputs. */
export interface Mismatch {
  /**
   * `tag-moved`: a version names other bytes than were locked. `gone`: no source has what was locked.
   * `content`: the package does not say what the lockfile says of it. `constraint`: the locked set
   * does not satisfy everything. `input`: it is not what is asked for.
   */
  readonly kind: 'tag-moved' | 'gone' | 'content' | 'constraint' | 'input';
  /** undefined: it is about the set. */
  readonly repository?: Repository | undefined;
  readonly version?: string | undefined;
  readonly text: string;
  /** What the lockfile has. */
  readonly locked?: string | undefined;
  /** What there is instead. */
  readonly found?: string | undefined;
}

interface Field {
  readonly name: string;
  /** Of a list its entries, in order. */
  readonly value: (locked: LockedPackage) => string | readonly string[] | undefined;
}

const MADE_OF_BYTES: readonly Field[] = [
  { name: 'manifest', value: ({ manifest }) => manifest },
  { name: 'baseLayer', value: ({ baseLayer }) => baseLayer },
  { name: 'packageYaml', value: ({ packageYaml }) => packageYaml },
];

const SAID_BY_PACKAGE: readonly Field[] = [
  { name: 'kind', value: ({ kind }) => kind },
  { name: 'crossplane', value: ({ crossplane }) => crossplane },
  { name: 'dependsOn', value: ({ requirements }) => requirements.map(requirementText) },
  { name: 'owns', value: ({ owns }) => owns.map(ownedText) },
];

const ASKED_FOR: readonly Field[] = [
  { name: 'direct', value: ({ direct }) => String(direct) },
  { name: 'object', value: ({ object }) => JSON.stringify(object) },
];

/** Where a lockfile and the package that it names differ. */
export function contentMismatches(
  locked: LockedPackage,
  fetched: CheckedPackage,
  meta: PackageMeta,
): Mismatch[] {
  const { manifest, baseLayer, packageYaml } = fetched;
  const { kind, crossplane, requirements, owns } = meta;
  const found: LockedPackage = {
    ...locked,
    manifest:
      baseLayer === undefined ? known(locked.manifest, manifest) : locked.manifest && manifest,
    baseLayer: known(locked.baseLayer, baseLayer),
    packageYaml: known(locked.packageYaml, packageYaml),
    kind,
    crossplane,
    requirements,
    owns,
  };
  return differences([...MADE_OF_BYTES, ...SAID_BY_PACKAGE], locked, found).map((difference) => ({
    kind: 'content',
    text: `the lockfile does not say what the package says: \`${difference.field}\``,
    ...about(locked, difference),
  }));
}

/**
 * Neither a lockfile nor a source need know what an image is made of: an index does not, and the
 * image's digest says it all.
 */
function known(locked: Digest | undefined, found: Digest | undefined): Digest | undefined {
  return locked && (found ?? locked);
}

/** Where two lockfiles of the same versions differ in what the user asked for. */
export function inputMismatches(lockfile: Lockfile, derived: Lockfile): Mismatch[] {
  const needed = new Map(derived.packages.map((one) => [one.repository, one]));
  const perPackage = lockfile.packages.flatMap((locked): Mismatch[] => {
    const { repository, version } = locked;
    const found = needed.get(repository);
    if (found === undefined) {
      return [
        { kind: 'input', repository, version, text: 'it is locked, and nothing requires it' },
      ];
    }
    return differences(ASKED_FOR, locked, found).map((difference) => ({
      kind: 'input',
      text: `\`${difference.field}\` is not what is asked for`,
      ...about(locked, difference),
    }));
  });
  return [...perPackage, ...setMismatches(lockfile, derived)];
}

/** Names that only the lockfile gives: it may, so that objects keep theirs. */
export function ownNames(lockfile: Lockfile, derived: Lockfile): string[] {
  const names = new Map(derived.packages.map(({ repository, name }) => [repository, name]));
  return lockfile.packages.flatMap(({ repository, version, name }) => {
    const other = names.get(repository);
    if (other === undefined || other === name) return [];
    return [
      `${repository} ${version}: its object is named \`${name}\`, not \`${other}\`, by the lockfile alone`,
    ];
  });
}

function setMismatches(lockfile: Lockfile, derived: Lockfile): Mismatch[] {
  const fields = ['objects', 'skipDependencyResolution'] as const;
  return fields.flatMap((field): Mismatch[] => {
    const [locked, found] = [JSON.stringify(lockfile[field]), JSON.stringify(derived[field])];
    if (locked === found) return [];
    return [{ kind: 'input', text: `\`${field}\` is not what is asked for`, locked, found }];
  });
}

interface Difference {
  readonly field: string;
  readonly locked: string;
  readonly found: string;
}

function differences(
  fields: readonly Field[],
  locked: LockedPackage,
  found: LockedPackage,
): Difference[] {
  return fields.flatMap(({ name, value }) => {
    const [a, b] = [entriesOf(value(locked)), entriesOf(value(found))];
    if (a.length === b.length && a.every((entry, i) => entry === b[i])) return [];
    const [onlyLocked, onlyFound] = [without(a, b), without(b, a)];
    const reordered = onlyLocked.length + onlyFound.length === 0;
    return [
      {
        field: name,
        locked: listed(reordered ? a : onlyLocked),
        found: listed(reordered ? b : onlyFound),
      },
    ];
  });
}

function entriesOf(value: ReturnType<Field['value']>): readonly string[] {
  return value === undefined ? [] : [value].flat();
}

function without(entries: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others);
  return entries.filter((entry) => !known.has(entry));
}

function about({ repository, version }: LockedPackage, { locked, found }: Difference) {
  return { repository, version, locked, found };
}

/** Entries of a list that a mismatch shows before it counts the rest. */
const MAX_ENTRIES_SHOWN = 5;

function listed(texts: readonly string[]): string {
  if (texts.length === 0) return 'nothing';
  const more =
    texts.length > MAX_ENTRIES_SHOWN ? ` and ${texts.length - MAX_ENTRIES_SHOWN} more` : '';
  return `${texts.slice(0, MAX_ENTRIES_SHOWN).join(', ')}${more}`;
}

function requirementText(requirement: Requirement): string {
  if (requirement.requires === 'crd') return `crd ${requirement.text}`;
  const { apiVersion, kind, repository, constraint } = requirement;
  const as = apiVersion === undefined ? kind : `${apiVersion} ${kind}`;
  return `${as} ${repository} \`${constraint}\``;
}

function ownedText({ kind, name }: OwnedObject): string {
  return `${kind} ${name}`;
}
