import type { LockedPackage, Lockfile } from '../../lock/lockfile.js';
import type { PackageMeta, Requirement } from '../../model/package-meta.js';
import type { OwnedObject } from '../../model/owned-object.js';
import type { CheckedPackage } from '../../driver/checked-package.js';
import type { Mismatch } from '../mismatch.js';

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
  { name: 'object', value: ({ object }) => written(object) },
];

/** Where a lockfile and the package that it names differ. */
export function contentMismatches(
  locked: LockedPackage,
  fetched: CheckedPackage,
  meta: PackageMeta,
): Mismatch[] {
  const { kind, crossplane, requirements, owns } = meta;
  const found: LockedPackage = { ...locked, kind, crossplane, requirements, owns };
  // A lockfile without digests lacks these as well: `--allow-undigested` is about all of them.
  const pins = MADE_OF_BYTES.filter(
    ({ value }) => locked.digest !== undefined || value(locked) !== undefined,
  );
  return [
    ...differences(pins, locked, { ...locked, ...pinsOf(fetched, locked) }),
    ...differences(SAID_BY_PACKAGE, locked, found),
  ].map((difference) => ({
    kind: 'content',
    text: `the lockfile does not say what the package says: \`${difference.field}\``,
    ...about(locked, difference),
  }));
}

type Pins = Pick<LockedPackage, 'manifest' | 'baseLayer' | 'packageYaml'>;

/** What an image is made of; as locked, where the source does not know it, as an index need not. */
function pinsOf({ manifest, baseLayer, packageYaml }: Pins, locked: Pins): Pins {
  const readImage = baseLayer !== undefined;
  return {
    // An image without a manifest of its own is one that has no index.
    manifest: readImage ? manifest : (manifest ?? locked.manifest),
    baseLayer: baseLayer ?? locked.baseLayer,
    packageYaml: packageYaml ?? locked.packageYaml,
  };
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

function setMismatches(lockfile: Lockfile, derived: Lockfile): Mismatch[] {
  const fields = ['objects', 'skipDependencyResolution'] as const;
  return fields.flatMap((field): Mismatch[] => {
    const [locked, found] = [written(lockfile[field]), written(derived[field])];
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
  if (requirement.requires === 'crd') {
    const { demand, text } = requirement;
    const { version } = demand;
    const named = 'crd' in demand ? [demand.crd, version] : [demand.group, version, demand.kind];
    return named[0] === text && version === undefined
      ? `crd ${text}`
      : `crd ${text} ${written(named)}`;
  }
  const { apiVersion, kind, repository, constraint } = requirement;
  const as = apiVersion === undefined ? kind : `${apiVersion} ${kind}`;
  return `${as} ${repository} \`${constraint}\``;
}

/** As JSON, in which different values are different texts: of infinity, JSON itself makes null. */
function written(value: object): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'number' && !Number.isFinite(part) ? String(part) : part,
  );
}

function ownedText({ kind, name }: OwnedObject): string {
  return `${kind} ${name}`;
}
